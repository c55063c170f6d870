/** JSON schemas with counts: of properties, of items, of characters, and in each other. Each is a grammar or refused, in threads. */
import * as fc from "fast-check";
import { defineGenerator } from "../core/generator.js";
import { lower } from "../core/shrink.js";
import { followed } from "./followed.js";

/** What a schema of values is made of; a number is a count, or a part of one. */
type Shape =
  | { readonly kind: "plain"; readonly at: number }
  | { readonly kind: "text"; readonly least: number; readonly most: number; readonly pattern: number }
  | {
      readonly kind: "object";
      readonly count: number;
      readonly least: number;
      readonly most: number;
      readonly required: number;
      readonly of: Shape;
    }
  | { readonly kind: "array"; readonly least: number; readonly most: number; readonly of: Shape }
  | { readonly kind: "any"; readonly of: readonly Shape[] };

const PLAIN = [
  { type: "string" },
  { type: "integer", minimum: -12_345, maximum: 98_765 },
  { type: "number", exclusiveMinimum: 0.125 },
  { enum: ["a", "ab", 1, null] },
  { type: "boolean" },
  { type: "string", format: "date-time" },
  {},
] as const;

const PATTERNS: readonly ((n: number) => string)[] = [
  (n) => `^${"[a-z]".repeat(n)}$`,
  (n) => `^(${Array.from({ length: n }, (_, i) => `w${i}`).join("|")})$`,
  (n) => `^([a-z]{0,${n}}[0-9]{1,${n}})+$`,
  (n) => `^.*a.{${n}}$`,
  (n) => `^(a?){${n}}a{${n}}$`,
];

/** From nothing to more than any limit. */
const count = fc.constantFrom(0, 1, 2, 3, 10, 40, 150, 600, 2500, 9000, 100_000);
/** Left out, or of the other count. */
const part = fc.constantFrom(-1, 0, 0.5, 1, 2);

const shape = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("plain" as const), at: fc.nat(PLAIN.length - 1) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("text" as const),
        least: part,
        most: count,
        pattern: fc.integer({ min: -2, max: 4 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("object" as const),
        count,
        least: part,
        most: part,
        required: part,
        of: tie("shape"),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("array" as const), least: part, most: count, of: tie("shape") }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("any" as const),
        of: fc.array(tie("shape"), { minLength: 1, maxLength: 3 }),
      }),
    },
  ),
})).shape;

/** Of a body of a mebibyte: more is refused before a schema is read. */
const MOST_BYTES = 2 ** 20;

const bound = (name: string, value: number): object => (value < 0 ? {} : { [name]: Math.floor(value) });

function schemaOf(one: Shape): object {
  switch (one.kind) {
    case "plain":
      return PLAIN[one.at]!;
    case "text": {
      const pattern = PATTERNS[one.pattern]?.(Math.min(one.most, 3000));
      const lengths = { ...bound("minLength", one.least * one.most), maxLength: one.most };
      return { type: "string", ...(pattern === undefined ? lengths : { pattern }) };
    }
    case "object": {
      const value = schemaOf(one.of);
      const most = Math.min(one.count, MOST_BYTES / (12 + JSON.stringify(value).length));
      const names = Array.from({ length: most }, (_, i) => `p${i}`);
      return {
        type: "object",
        properties: Object.fromEntries(names.map((name) => [name, value])),
        ...(one.required > 0 && { required: names.slice(0, Math.floor((one.required * names.length) / 2)) }),
        ...bound("minProperties", one.least * names.length),
        ...bound("maxProperties", one.most * names.length),
        ...(one.required < 0 && { additionalProperties: value }),
      };
    }
    case "array":
      return { type: "array", items: schemaOf(one.of), ...bound("minItems", one.least * one.most), maxItems: one.most };
    case "any":
      return { anyOf: one.of.map(schemaOf) };
  }
}

interface Case {
  readonly shape: Shape;
  readonly steps: number;
}

export const schemas = defineGenerator<Case>({
  name: "schemas",
  doc: "JSON schemas with counts of properties, items and characters, prepared and followed in threads",
  cases: fc.record({ shape, steps: fc.integer({ min: 0, max: 20 }) }),
  run: ({ shape: one, steps }) => followed({ jsonSchema: schemaOf(one) }, steps),
  *smaller(c) {
    for (const steps of lower(c.steps)) yield { ...c, steps };
    for (const smaller of smallerShapes(c.shape)) yield { ...c, shape: smaller };
  },
  show: (c) => ({ ending: "json", text: JSON.stringify(schemaOf(c.shape)) }),
  // 10 s to prepare, and 2 s for each of some tokens
  seconds: 30,
  bytes: 2 ** 30,
});

function* smallerShapes(one: Shape): Iterable<Shape> {
  if (one.kind === "any") {
    yield* one.of;
    for (const [i, inner] of one.of.entries())
      for (const smaller of smallerShapes(inner)) yield { ...one, of: one.of.with(i, smaller) };
  }
  if (one.kind === "object" || one.kind === "array") {
    yield one.of;
    for (const of of smallerShapes(one.of)) yield { ...one, of };
  }
  if (one.kind === "object") for (const fewer of lower(one.count)) yield { ...one, count: fewer };
  if (one.kind === "array" || one.kind === "text") for (const most of lower(one.most)) yield { ...one, most };
}
