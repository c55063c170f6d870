/** JSON schemas as grammars: what people write, and what is wrong. Each case asks both: invalid values are refused, valid ones match. */
import { expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { budgeted } from "../../runtime/grammars/budget.js";
import { schemaRules, type SchemaOptions } from "../../runtime/grammars/values/schema.js";
import { matcher } from "./matcher.js";
import { usualTexts } from "./serializations.js";
import { CASES, integer, text } from "./valueCases.js";
import { thrownBy } from "../native/batches.js";

// draft 4 and OpenAPI 3.0 have forms that draft 2020-12 has not: the lists alone judge them
const OLDER = ["a tuple of draft 7", "exclusive bounds of draft 4", "nullable, of OpenAPI 3.0"];
const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 9 });

test.each(Object.entries(CASES))("%s", (name, { schema, valid = [], invalid = [] }) => {
  const grammar = matcher(schemaRules(schema));
  const validate = OLDER.includes(name) ? undefined : ajv.compile(schema);
  for (const [values, isValid] of [
    [valid, true],
    [invalid, false],
  ] as const)
    for (const value of values) {
      if (validate) expect({ value, isValid: validate(value) }).toEqual({ value, isValid });
      for (const one of usualTexts(value))
        expect({ text: one, isValid: grammar.matches(one) }).toEqual({ text: one, isValid });
    }
});

test("members come in their order, and others after them, unless any order is asked for", () => {
  const schema = { type: "object", properties: { a: integer, b: integer }, required: ["c"] };
  const ordered = ['{"a":1,"b":2,"c":3}', '{"b":1,"c":2}', '{"c":1,"d":2}', '{"a":1,"d":2,"c":3}'];
  const others = ['{"b":1,"a":2,"c":3}', '{"c":1,"a":2}'];
  const grammars = [matcher(schemaRules(schema)), matcher(schemaRules(schema, [], { order: "any" }))];
  expect(ordered.map((one) => grammars.map((grammar) => grammar.matches(one)))).toEqual(
    ordered.map(() => [true, true]),
  );
  expect(others.map((one) => grammars.map((grammar) => grammar.matches(one)))).toEqual(others.map(() => [false, true]));
  // a name comes once, in each of its spellings
  expect(grammars.map((grammar) => grammar.matches('{"c":1,"\\u0061":"x"}'))).toEqual([false, false]);
});

test.each<[SchemaOptions["whitespace"], readonly boolean[]]>([
  ["none", [true, false, false, false]],
  ["usual", [true, true, true, false]],
  ["any", [true, true, true, true]],
])("blanks: %s", (whitespace, expected) => {
  const schema = { type: "object", properties: { a: { type: "array", items: integer } } };
  const grammar = matcher(schemaRules(schema, [], { whitespace: whitespace! }));
  const texts = ['{"a":[1,2]}', '{"a": [1, 2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}', '{ "a" :\r\n\n[1 ,2] }'];
  expect(texts.map((one) => grammar.matches(one))).toEqual(expected);
});

test("lines of 16 levels with four blanks each are usual", () => {
  const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);
  const { matches } = matcher(schemaRules(true));
  expect(matches(JSON.stringify(nested(16), undefined, 4))).toBe(true);
  expect(matches(JSON.stringify(nested(17), undefined, 4))).toBe(false);
});

test("lines are indented by the levels that a schema has", () => {
  const inside = { type: "object", properties: { b: { type: "array", items: integer } } };
  const schema = { type: "object", properties: { a: inside } };
  const { matches } = matcher(schemaRules(schema, [], { others: "none" }));
  const value = { a: { b: [1, 2] } };
  for (const indentation of [1, 2, 4, "\t"]) expect(matches(JSON.stringify(value, undefined, indentation))).toBe(true);
  expect(matches(`{\n${" ".repeat(12)}"a": {}}`)).toBe(true);
  expect(matches(`{\n${" ".repeat(13)}"a": {}}`)).toBe(false);
  // one that refers to itself has any number
  const list = { type: "object", properties: { next: { $ref: "#" } } };
  const deep = matcher(schemaRules(list, [], { others: "none" }));
  expect(deep.matches(`{\n${" ".repeat(64)}"next": {}}`)).toBe(true);
});

test("all spellings of a text", () => {
  const grammar = matcher(schemaRules({ type: "string", pattern: "^é[/]😀\\n$" }));
  for (const one of ['"é/😀\\n"', '"\\u00e9\\/\\ud83d\\ude00\\u000a"', '"\\u00E9\\u002f\\uD83D\\uDE00\\n"'])
    expect({ one, isValid: grammar.matches(one) }).toEqual({ one, isValid: true });
  for (const one of ['"é/\\ud83d\\n"', '"é/😀\n"', '"e/😀\\n"'])
    expect({ one, isValid: grammar.matches(one) }).toEqual({ one, isValid: false });
});

test.each<[string, string, object]>([
  ["uniqueItems", "", { type: "array", items: text, uniqueItems: true }],
  ["minProperties", "/properties/a", { properties: { a: { type: "object", minProperties: 2 } } }],
  ["multipleOf", "/items", { items: { type: "integer", multipleOf: 1_000_003 } }],
  ["not", "", { type: "array", not: { uniqueItems: true } }],
  ["not", "", { type: "string", not: { format: "email" } }],
  ["pattern", "/items", { items: { type: "string", pattern: "^(a|b)\\1$" } }],
])("`%s` that a grammar cannot enforce is an error, unless it is ignored", (keyword, path, schema) => {
  const at = path === "" ? "" : ` at "${path}"`;
  expect(() => schemaRules(schema)).toThrow(
    expect.objectContaining({
      code: "UNENFORCED_KEYWORD",
      message: expect.stringContaining(`the JSON schema${at}: \`${keyword}\` cannot be enforced: `) as unknown,
    }),
  );
  expect(schemaRules(schema, [keyword]).size).toBeGreaterThan(0);
});

test.each([
  ["the JSON schema: no value is valid", false],
  [
    'the JSON schema at "/properties/a": no value is valid',
    { type: "object", properties: { a: { type: "integer", minimum: 3, maximum: 2 } }, required: ["a"] },
  ],
  [
    'the JSON schema at "/type": expected one of null, boolean, integer, number, string, array, object, found "text"',
    { type: "text" },
  ],
  [
    'at "/properties/a/minLength": expected an integer of at least 0, found -1',
    { properties: { a: { type: "string", minLength: -1 } } },
  ],
  ['"#/$defs/b": no schema is there', { $ref: "#/$defs/b", $defs: { a: {} } }],
  [
    'the JSON schema at "/$defs/a/$ref": it refers only to itself',
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } },
  ],
  ["expected a reference inside this schema", { $ref: "https://example.org/a.json" }],
  ['the JSON schema at "/pattern": ', { type: "string", pattern: "ab(c" }],
  ['the JSON schema at "/properties": expected an object, found a list', { properties: [] }],
])("a fault: %s", (message, schema) => {
  expect(thrownBy(() => void schemaRules(schema))).toContain(message);
});

test("a schema that is not asked for may have faults", () => {
  const rules = schemaRules({ type: "null", $defs: { unused: { type: "text" } } });
  expect(matcher(rules).matches("null")).toBe(true);
});

test("a schema as text, and text that is not JSON", () => {
  expect(matcher(schemaRules('{ "const": 12 }')).matches("12")).toBe(true);
  expect(thrownBy(() => void schemaRules('{ "const": '))).toContain("the JSON schema is not JSON");
});

const many = <T>(count: number, one: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => one(i));
const optional = (i: number): object => ({ type: "object", properties: { [`a${i}`]: text, [`b${i}`]: integer } });

test.each<[string, object]>([
  ["alternatives that multiply", { allOf: many(20, (i) => ({ anyOf: many(5, (k) => optional(5 * i + k)) })) }],
  ["what depends on others", { dependentRequired: Object.fromEntries(many(40, (i) => [`a${i}`, [`b${i}`]])) }],
  ["exactly one of many that overlap", { oneOf: many(30, optional) }],
  ["patterns of names", { patternProperties: Object.fromEntries(many(24, (i) => [`a${i}b`, { minLength: i }])) }],
  ["all that could be evaluated", { anyOf: many(14, optional), unevaluatedProperties: false }],
  ["remainders of large numbers", { anyOf: many(50, (i) => ({ multipleOf: 900 + i, minimum: 1e5, maximum: 1e9 })) }],
])("a grammar that would be too large exceeds a limit: %s", (_, schema) => {
  expect(() => budgeted("the JSON schema", () => schemaRules(schema))).toThrow(
    expect.objectContaining({ code: "LIMIT_EXCEEDED" }),
  );
});

test.each<[string, object, readonly string[], readonly string[]]>([
  [
    "opposites of itself",
    { $defs: { a: { type: "object", properties: { x: { not: { $ref: "#/$defs/a" } } } } }, $ref: "#/$defs/a" },
    ["{}", '{"x":1}', '{"x":{"x":{}}}'],
    ["1", '{"x":{}}'],
  ],
  [
    "intersections with itself",
    {
      $defs: {
        a: { allOf: [{ properties: { x: { $ref: "#/$defs/a" } } }, { properties: { x: { $ref: "#/$defs/b" } } }] },
        b: { allOf: [{ properties: { x: { $ref: "#/$defs/a" } } }, { type: "object" }] },
      },
      $ref: "#/$defs/a",
    },
    ["1", "{}", '{"x":{"x":{}}}'],
    ['{"x":1}', '{"x":{"x":1}}'],
  ],
  [
    "expensive patterns",
    { allOf: [{ pattern: "^.*a.{12}$" }, { not: { pattern: "b.{10}$" } }] },
    ['"a123456789012"'],
    ['"a1b3456789012"'],
  ],
  [
    "a pattern that is slow by trying all ways",
    { propertyNames: { pattern: "^(a+)+$" }, properties: { [`${"a".repeat(40)}!`]: {} } },
    ['{"aa":1}'],
    ['{"a!":1}'],
  ],
  [
    "listed values without others",
    { type: "number", not: { enum: many(2000, (i) => i) } },
    ["1.5", "-1", "2000"],
    ["7", "7.0"],
  ],
  ["a schema in a schema", many(1000, (i) => i).reduce<object>((items) => ({ items }), integer), ["[]"], ["[[[]"]],
])("a grammar of a useful size: %s", (_, schema, valid, invalid) => {
  const grammar = matcher(budgeted("the JSON schema", () => schemaRules(schema)));
  expect(valid.map((one) => [one, grammar.matches(one)])).toEqual(valid.map((one) => [one, true]));
  expect(invalid.map((one) => [one, grammar.matches(one)])).toEqual(invalid.map((one) => [one, false]));
});
