/** JSON schemas as grammars: what people write, and what is wrong. Each case asks both: invalid values are refused, valid ones match. */
import { expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { budgeted } from "../../runtime/grammars/budget.js";
import { schemaRules, type SchemaOptions } from "../../runtime/grammars/values/schema.js";
import { matcher } from "./matcher.js";
import { usualTexts } from "./serializations.js";
import { thrownBy } from "../native/batches.js";

const text = { type: "string" };
const integer = { type: "integer" };

interface Case {
  readonly schema: object | boolean;
  readonly valid?: readonly unknown[];
  readonly invalid?: readonly unknown[];
}

const CASES: Readonly<Record<string, Case>> = {
  "a length beside a pattern, as Zod orders them": {
    schema: { type: "string", minLength: 2, maxLength: 4, pattern: "^[a-z]+$" },
    valid: ["ab", "abcd"],
    invalid: ["a", "abcde", "AB", "bloodlers"],
  },
  "a pattern before a length": {
    schema: { pattern: "^[a-z]+$", maxLength: 4, type: "string", minLength: 2 },
    valid: ["ab"],
    invalid: ["a", "abcde"],
  },
  "a pattern is contained": {
    schema: { type: "string", pattern: "\\.json$" },
    valid: ["a.json", ".json"],
    invalid: ["a.jsonx"],
  },
  "a text with characters that JSON escapes": {
    schema: { type: "string", minLength: 1 },
    valid: ["two\nlines", 'a "quoted" one', "C:\\temp", "é\u2028\u{1f600}", "\u0001"],
    invalid: [""],
  },
  "long texts": {
    schema: { type: "string", maxLength: 10_000 },
    valid: ["x".repeat(10_000)],
    invalid: ["x".repeat(10_001)],
  },
  "fewer prefix items than items": {
    schema: { type: "array", prefixItems: [text, integer], minItems: 3 },
    valid: [
      ["a", 1, null],
      ["a", 1, 2, 3],
    ],
    invalid: [
      ["a", 1],
      [1, "a", 2],
    ],
  },
  "a tuple of draft 7": {
    schema: { type: "array", items: [text, integer], additionalItems: false, minItems: 2 },
    valid: [["a", 1]],
    invalid: [["a"], ["a", 1, 2], [1, 1]],
  },
  "fewer properties than are required": {
    schema: { type: "object", properties: { a: text, b: text }, required: ["a"], maxProperties: 1 },
    valid: [{ a: "x" }],
    invalid: [{}, { b: "x" }, { a: "x", b: "y" }],
  },
  "oneOf with implied types": {
    schema: { oneOf: [{ type: "integer" }, { minimum: 2 }] },
    valid: [1, 2.5, "text", null],
    invalid: [3, 1.5],
  },
  "oneOf of objects that overlap": {
    schema: {
      oneOf: [
        { type: "object", properties: { a: text }, required: ["a"], additionalProperties: false },
        { type: "object", properties: { a: text, b: text }, additionalProperties: false },
      ],
    },
    valid: [{}, { b: "x" }, { a: "x", b: "y" }],
    invalid: [{ a: "x" }, { a: 1 }, { c: 1 }],
  },
  "anyOf of what is required": {
    schema: {
      type: "object",
      properties: { a: text, b: text },
      additionalProperties: false,
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    valid: [{ a: "x" }, { b: "x" }, { a: "x", b: "y" }],
    invalid: [{}],
  },
  "allOf of two objects": {
    schema: {
      allOf: [
        { type: "object", properties: { a: text }, required: ["a"] },
        { type: "object", properties: { b: integer }, required: ["b"] },
      ],
    },
    valid: [
      { a: "x", b: 1 },
      { a: "x", b: 1, c: null },
    ],
    invalid: [{ a: "x" }, { a: "x", b: "y" }],
  },
  "keywords beside $ref": {
    schema: { $ref: "#/$defs/id", maxLength: 3, $defs: { id: { type: "string", minLength: 2 } } },
    valid: ["ab", "abc"],
    invalid: ["a", "abcd", 1],
  },
  "references to all kinds of places": {
    schema: {
      type: "object",
      properties: {
        "a/b": { type: "array", items: { type: "integer", minimum: 1 } },
        "c d": { $ref: "#/properties/a~1b" },
        e: { $ref: "#/properties/a~1b/items" },
        f: { $ref: "#/properties/c%20d" },
        g: { $ref: "#name" },
        h: { $anchor: "name", enum: ["h"] },
      },
      additionalProperties: false,
    },
    valid: [{ "a/b": [1], "c d": [2], e: 3, f: [], g: "h", h: "h" }],
    invalid: [{ e: 0 }, { f: [0] }, { g: "x" }],
  },
  "names of properties": {
    schema: { type: "object", propertyNames: { type: "string", pattern: "^[a-z]+$" }, additionalProperties: integer },
    valid: [{}, { ab: 1, c: 2 }],
    invalid: [{ A: 1 }, { ab: "x" }],
  },
  "names of a list": {
    schema: { type: "object", propertyNames: { enum: ["b", "a"] }, additionalProperties: integer },
    valid: [{ b: 1, a: 2 }, {}],
    invalid: [{ c: 1 }],
  },
  "names that match patterns": {
    schema: {
      type: "object",
      properties: { x_a: { enum: [1, "y"] } },
      patternProperties: { "^x_": integer, _b$: { minimum: 5 } },
      additionalProperties: text,
    },
    valid: [{ x_a: 1, x_b: 7, y_b: 6, z: "t" }],
    invalid: [{ x_a: "y" }, { x_b: 4 }, { x_c: "t" }, { y_b: 4 }, { z: 1 }],
  },
  dependentRequired: {
    schema: { type: "object", properties: { a: text, b: text }, dependentRequired: { a: ["b"] } },
    valid: [{}, { b: "x" }, { a: "x", b: "y" }],
    invalid: [{ a: "x" }],
  },
  "if, then and else": {
    schema: {
      type: "object",
      properties: { country: { enum: ["US", "NL"] }, code: text },
      required: ["country"],
      if: { properties: { country: { const: "US" } } },
      then: { properties: { code: { pattern: "^[0-9]{5}$" } } },
      else: { properties: { code: { pattern: "^[0-9]{4} [A-Z]{2}$" } } },
    },
    valid: [{ country: "US", code: "12345" }, { country: "NL", code: "1234 AB" }, { country: "NL" }],
    invalid: [
      { country: "US", code: "1234 AB" },
      { country: "NL", code: "12345" },
    ],
  },
  "not of a value": {
    schema: { type: "string", not: { enum: ["a", "b"] } },
    valid: ["c", "ab", ""],
    invalid: ["a", "b"],
  },
  "not of a pattern": { schema: { type: "string", not: { pattern: "^x" } }, valid: ["", "ax"], invalid: ["x", "xa"] },
  "not of anything, for what may not come": {
    schema: { type: "object", properties: { a: { not: {} }, b: text } },
    valid: [{ b: "x" }, {}, { c: 1 }],
    invalid: [{ a: 1 }],
  },
  "not of what is required": {
    schema: { type: "object", properties: { a: text, b: text }, not: { required: ["a", "b"] } },
    valid: [{}, { a: "x" }, { b: "x" }],
    invalid: [{ a: "x", b: "y" }],
  },
  contains: {
    schema: { type: "array", items: integer, contains: { minimum: 10 }, minContains: 2, maxContains: 3, maxItems: 5 },
    valid: [
      [10, 11],
      [1, 10, 2, 11, 12],
    ],
    invalid: [[10], [1, 2], [10, 11, 12, 13], [1, 10, 11, 2, 3, 4]],
  },
  "different items of a list": {
    schema: { type: "array", items: { enum: ["a", "b", 3] }, uniqueItems: true, minItems: 1 },
    valid: [["a"], [3, "b", "a"]],
    invalid: [[], ["a", "a"], [3, 3]],
  },
  "different integers of a range": {
    schema: { type: "array", items: { type: "integer", minimum: 1, maximum: 3 }, uniqueItems: true },
    valid: [[], [2, 1, 3]],
    invalid: [[1, 1], [4]],
  },
  "multiples with bounds": {
    schema: { type: "integer", multipleOf: 7, minimum: -15, exclusiveMaximum: 28 },
    valid: [-14, -7, 0, 7, 21],
    invalid: [-21, -15, 1, 28, 35],
  },
  "multiples of a cent": {
    schema: { type: "number", multipleOf: 0.01, minimum: 0 },
    valid: [0, 0.01, 19.99, 5, 100.5],
    invalid: [0.001, -0.01, 19.995],
  },
  "nullable, of OpenAPI 3.0": {
    schema: { type: "object", properties: { a: { type: "string", nullable: true } }, required: ["a"] },
    valid: [{ a: null }, { a: "x" }],
    invalid: [{ a: 1 }, {}],
  },
  "exclusive bounds of draft 4": {
    schema: { type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
    valid: [2, 5],
    invalid: [1, 6],
  },
  "unevaluated properties": {
    schema: {
      allOf: [{ type: "object", properties: { a: text } }],
      properties: { b: integer },
      unevaluatedProperties: false,
    },
    valid: [{ b: 1 }, { b: 1, a: "x" }],
    invalid: [{ c: 1 }, { a: 1 }],
  },
  "annotations and keywords that nobody knows": {
    schema: {
      type: "string",
      format: "password",
      markdownDescription: "x",
      "x-order": 1,
      readOnly: true,
      $comment: "y",
    },
    valid: ["x"],
    invalid: [1],
  },
  "a tree": {
    schema: {
      $ref: "#/$defs/node",
      $defs: {
        node: {
          type: "object",
          properties: { value: integer, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
          required: ["value", "next"],
          additionalProperties: false,
        },
      },
    },
    valid: [
      { value: 1, next: null },
      { value: 1, next: { value: 2, next: null } },
    ],
    invalid: [{ value: 1 }, { value: 1, next: { value: 2 } }],
  },
  "a property that no value ends": {
    schema: {
      type: "object",
      properties: { a: { $ref: "#/$defs/endless" }, b: text },
      $defs: { endless: { type: "object", properties: { c: { $ref: "#/$defs/endless" } }, required: ["c"] } },
    },
    valid: [{}, { b: "x" }],
    invalid: [{ a: { c: {} } }, { a: null }],
  },
};

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
