/** Schemas that people write, each with values that are valid for it, and values that are not. */

export const text = { type: "string" };
export const integer = { type: "integer" };

interface Case {
  readonly schema: object | boolean;
  readonly valid?: readonly unknown[];
  readonly invalid?: readonly unknown[];
}

export const CASES: Readonly<Record<string, Case>> = {
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
