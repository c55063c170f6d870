/** Schemas for the tests of JSON schemas: the public test suite's, and one of each kind. */
import { readFileSync } from "node:fs";

const SUITE = "test/grammars/suite/draft2020-12.json";

interface Group {
  readonly keyword: string;
  readonly description: string;
  readonly schema: object | boolean;
}

/** The suite's groups by their names. */
export const suite = (): { readonly name: string; readonly schema: object | boolean }[] =>
  (JSON.parse(readFileSync(SUITE, "utf8")) as Group[]).map(({ keyword, description, schema }) => ({
    name: `${keyword}: ${description}`,
    schema,
  }));

const text = { type: "string" };

export const MORE: Readonly<Record<string, object | boolean>> = {
  true: true,
  "an object of anything": { type: "object" },
  "a list of anything": { type: "array" },
  const: { const: { a: ["x", 1, null], b: 'quote " and \\ and \n' } },
  "numbers in a list": { enum: [1, 2.5, -3e-7, 1e21, "é", "\u2028", true, null, [], {}] },
  "an enum with a type": { type: "string", enum: ["a", 1, "b"] },
  prefixItems: { type: "array", prefixItems: [text, { type: "integer" }], minItems: 2 },
  "prefixItems and items": { type: "array", prefixItems: [text], items: { type: "null" }, maxItems: 4 },
  "no more items": { type: "array", prefixItems: [text, text], items: false },
  "exclusive bounds": { type: "integer", exclusiveMinimum: -3, exclusiveMaximum: 12 },
  "bounds of numbers": { type: "number", minimum: -1.5, maximum: 2.25 },
  "exclusive bounds of numbers": { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
  "one bound": { type: "number", minimum: 3.7 },
  "a large bound": { type: "integer", minimum: 1000, maximum: 99999 },
  lengths: { type: "string", minLength: 3, maxLength: 5 },
  "a pattern": { type: "string", pattern: "^[A-Z]{2}-[0-9]{3,5}$" },
  "a pattern with quotes": { type: "string", pattern: '^("a"|\\\\|\\n|[^a-z]|ü)+$' },
  "a pattern with a caret": { type: "string", pattern: "^[\\^x-z\\]-]{1,4}\\.[^^]$" },
  "a pattern of anything": { type: "string", pattern: "^.{1,5}\\W\\D\\S$" },
  "several types": { type: ["integer", "string", "null"], minimum: 3, maxLength: 2 },
  "names of properties": {
    type: "object",
    properties: { "a b": { type: "null" }, "c/d": { type: "null" }, "é*": { type: "null" }, "": { type: "null" } },
    required: ["a b", "é*", ""],
  },
  "a property that is not named": { type: "object", properties: { a: text }, required: ["b"] },
  "additional properties": { type: "object", additionalProperties: { type: "integer" } },
  "both properties": { type: "object", properties: { a: text }, additionalProperties: { type: "integer" } },
  "a number of properties": { type: "object", additionalProperties: text, minProperties: 1, maxProperties: 3 },
  "some of the properties": {
    type: "object",
    properties: { a: text, b: text, c: text, d: text },
    required: ["b"],
    minProperties: 2,
    maxProperties: 3,
  },
  "a tree": {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        properties: { value: { type: "integer" }, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
        required: ["value", "next"],
      },
    },
  },
  "a reference to all": { type: "object", properties: { child: { $ref: "#" }, leaf: { type: "boolean" } } },
  "cases that differ": {
    oneOf: [
      { type: "object", properties: { kind: { const: "a" }, x: text }, required: ["kind", "x"] },
      { type: "object", properties: { kind: { const: "b" }, y: { type: "number" } }, required: ["kind"] },
    ],
  },
  nested: {
    type: "object",
    properties: { a: { type: "object", properties: { b: { type: "array", items: { type: "array", items: text } } } } },
    required: ["a"],
  },
  ...Object.fromEntries(
    ["email", "date", "time", "date-time", "duration", "ipv4", "ipv6", "hostname", "uuid", "uri"].map((format) => [
      `the format ${format}`,
      { type: "string", format },
    ]),
  ),
};
