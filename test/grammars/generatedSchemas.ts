/** Schemas in the form in which generators write them, with values. */

interface Generated {
  readonly name: string;
  readonly schema: object;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}

export const GENERATED: readonly Generated[] = [
  {
    name: "Pydantic: a model with optional fields, a reference and an enum",
    schema: {
      $defs: {
        Address: {
          properties: {
            street: { title: "Street", type: "string" },
            zip: { anyOf: [{ pattern: "^\\d{5}$", type: "string" }, { type: "null" }], default: null, title: "Zip" },
          },
          required: ["street"],
          title: "Address",
          type: "object",
        },
        Color: { enum: ["red", "green"], title: "Color", type: "string" },
      },
      additionalProperties: false,
      properties: {
        name: { maxLength: 20, minLength: 1, title: "Name", type: "string" },
        age: { anyOf: [{ exclusiveMinimum: 0, type: "integer" }, { type: "null" }], default: null, title: "Age" },
        address: { $ref: "#/$defs/Address", description: "Where" },
        colors: { items: { $ref: "#/$defs/Color" }, title: "Colors", type: "array" },
        scores: { additionalProperties: { type: "number" }, title: "Scores", type: "object" },
        pair: {
          maxItems: 2,
          minItems: 2,
          prefixItems: [{ type: "integer" }, { type: "string" }],
          title: "Pair",
          type: "array",
        },
        created: { format: "date-time", title: "Created", type: "string" },
      },
      required: ["name", "address"],
      title: "Person",
      type: "object",
    },
    valid: [
      { name: "A", address: { street: "x" } },
      {
        name: "A",
        age: null,
        address: { street: "x", zip: "12345" },
        colors: ["red"],
        scores: { a: 1.5 },
        pair: [1, "x"],
      },
      { name: "A", age: 3, address: { street: "", zip: null, more: 1 }, created: "2024-02-29T10:00:00Z" },
    ],
    invalid: [
      {},
      { name: "", address: { street: "x" } },
      { name: "A", age: 0, address: { street: "x" } },
      { name: "A", address: { street: "x", zip: "1" } },
      { name: "A", address: { street: "x" }, colors: ["blue"] },
      { name: "A", address: { street: "x" }, pair: [1] },
      { name: "A", address: { street: "x" }, more: 1 },
    ],
  },
  {
    name: "Pydantic: a union with a discriminator, and decimals",
    schema: {
      $defs: {
        Cat: {
          properties: {
            pet: { const: "cat", title: "Pet", type: "string" },
            lives: { title: "Lives", type: "integer" },
          },
          required: ["pet", "lives"],
          title: "Cat",
          type: "object",
        },
        Dog: {
          properties: {
            pet: { const: "dog", title: "Pet", type: "string" },
            price: { anyOf: [{ type: "number" }, { type: "string" }] },
          },
          required: ["pet", "price"],
          title: "Dog",
          type: "object",
        },
      },
      properties: {
        pet: {
          discriminator: { mapping: { cat: "#/$defs/Cat", dog: "#/$defs/Dog" }, propertyName: "pet" },
          oneOf: [{ $ref: "#/$defs/Cat" }, { $ref: "#/$defs/Dog" }],
          title: "Pet",
        },
      },
      required: ["pet"],
      title: "Owner",
      type: "object",
    },
    valid: [
      { pet: { pet: "cat", lives: 9 } },
      { pet: { pet: "dog", price: "1.50" } },
      { pet: { pet: "dog", price: 1.5, lives: "x" } },
    ],
    invalid: [{ pet: { pet: "cat" } }, { pet: { pet: "cow", lives: 1 } }, { pet: { pet: "dog", lives: 1 } }],
  },
  {
    name: "Zod 3 with zod-to-json-schema: references to properties, draft 7",
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        from: {
          type: "object",
          properties: { x: { type: "number" }, y: { type: "number" } },
          required: ["x", "y"],
          additionalProperties: false,
        },
        to: { $ref: "#/properties/from" },
        via: { type: "array", items: { $ref: "#/properties/from" }, minItems: 1 },
        label: { type: ["string", "null"] },
        size: {
          type: "array",
          minItems: 2,
          maxItems: 2,
          items: [{ type: "integer" }, { type: "integer", exclusiveMinimum: 0 }],
        },
        tags: { type: "object", additionalProperties: { type: "string" }, propertyNames: { minLength: 2 } },
        kind: { anyOf: [{ type: "string", const: "a" }, { type: "string", const: "b" }, { not: {} }] },
        all: {
          allOf: [
            { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
            { type: "object", properties: { b: { type: "string" } }, required: ["b"] },
          ],
        },
      },
      required: ["from", "to"],
      additionalProperties: false,
    },
    valid: [
      { from: { x: 1, y: 2 }, to: { x: 0.5, y: -1 } },
      {
        from: { x: 1, y: 2 },
        to: { x: 0, y: 0 },
        via: [{ x: 1, y: 1 }],
        label: null,
        size: [0, 1],
        tags: { ab: "x" },
        kind: "b",
        all: { a: "x", b: "y" },
      },
    ],
    invalid: [
      { from: { x: 1, y: 2 } },
      { from: { x: 1, y: 2 }, to: { x: 1 } },
      { from: { x: 1, y: 2 }, to: { x: 1, y: 1 }, via: [] },
      { from: { x: 1, y: 2 }, to: { x: 1, y: 1 }, size: [1, 0] },
      { from: { x: 1, y: 2 }, to: { x: 1, y: 1 }, tags: { a: "x" } },
      { from: { x: 1, y: 2 }, to: { x: 1, y: 1 }, kind: "c" },
    ],
  },
  {
    name: "OpenAPI 3.1: allOf of a base and own properties, oneOf, read-only",
    schema: {
      $defs: {
        Base: {
          type: "object",
          properties: {
            id: { type: "string", format: "uuid", readOnly: true },
            at: { type: "integer", format: "int64" },
          },
          required: ["id"],
        },
        Error: {
          type: "object",
          properties: {
            code: { type: "integer", format: "int32", minimum: 400, maximum: 599 },
            message: { type: "string" },
          },
          required: ["code"],
          example: { code: 404 },
        },
      },
      type: "object",
      properties: {
        item: {
          allOf: [
            { $ref: "#/$defs/Base" },
            { type: "object", properties: { name: { type: "string", maxLength: 4 } }, required: ["name"] },
          ],
        },
        result: {
          oneOf: [{ $ref: "#/$defs/Error" }, { type: "array", items: { $ref: "#/$defs/Base" } }],
          "x-go-type": "Result",
        },
      },
      externalDocs: { url: "https://example.org" },
    },
    valid: [
      { item: { id: "0b7f9a6e-8b52-4c55-9d0a-111111111111", name: "n" } },
      { result: { code: 404, message: "x" } },
      { result: [{ id: "0b7f9a6e-8b52-4c55-9d0a-111111111111", at: 1700000000000 }] },
    ],
    invalid: [
      { item: { id: "0b7f9a6e-8b52-4c55-9d0a-111111111111" } },
      { item: { name: "n" } },
      { result: { code: 200 } },
      { result: "x" },
    ],
  },
  {
    name: ".NET's JsonSchemaExporter: types with null, references into the schema",
    schema: {
      type: ["object", "null"],
      properties: {
        Name: { type: ["string", "null"] },
        Count: { type: ["string", "integer"], pattern: "^-?(?:0|[1-9]\\d*)$" },
        Child: {
          type: ["object", "null"],
          properties: { Id: { type: "string" }, Other: { $ref: "#/properties/Child" } },
          required: ["Id"],
        },
        Kind: { enum: ["A", "B", null] },
      },
      required: ["Name"],
      additionalProperties: false,
    },
    valid: [
      null,
      { Name: null },
      { Name: "x", Count: 5, Child: { Id: "a", Other: { Id: "b", Other: null } }, Kind: null },
      { Name: "x", Count: "-12" },
    ],
    invalid: [{}, { Name: "x", Count: "x" }, { Name: "x", Child: { Other: null } }, { Name: "x", Kind: "C" }, []],
  },
  {
    name: "a tool of a server of tools: a filesystem's edit",
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        path: { type: "string", minLength: 1 },
        edits: {
          type: "array",
          items: {
            type: "object",
            properties: { oldText: { type: "string", description: "Text to search for" }, newText: { type: "string" } },
            required: ["oldText", "newText"],
            additionalProperties: false,
          },
        },
        dryRun: { type: "boolean", default: false, description: "Preview changes" },
        head: { type: "number", minimum: 0 },
        sortBy: { type: "string", enum: ["name", "size"], default: "name" },
      },
      required: ["path", "edits"],
      additionalProperties: false,
    },
    valid: [
      { path: "/a b/ü.ts", edits: [{ oldText: 'if (a) {\n\treturn "x";\n}', newText: "\\" }] },
      { path: "x", edits: [], dryRun: true, head: 12.5, sortBy: "size" },
    ],
    invalid: [
      { path: "", edits: [] },
      { path: "x" },
      { path: "x", edits: [{ oldText: "a" }] },
      { path: "x", edits: [], head: -1 },
    ],
  },
  {
    name: "a tool without parameters",
    schema: {
      type: "object",
      properties: {},
      additionalProperties: false,
      $schema: "http://json-schema.org/draft-07/schema#",
    },
    valid: [{}],
    invalid: [{ a: 1 }, []],
  },
  {
    name: "a query with filters: anyOf of required, dependencies, patterns of names",
    schema: {
      type: "object",
      properties: {
        query: { type: "string" },
        ids: { type: "array", items: { type: "integer" } },
        limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
        cursor: { type: "string" },
      },
      patternProperties: { "^x-": {} },
      additionalProperties: false,
      anyOf: [{ required: ["query"] }, { required: ["ids"] }],
      dependentRequired: { cursor: ["limit"] },
      minProperties: 1,
    },
    valid: [
      { query: "a" },
      { ids: [1, 2] },
      { query: "a", limit: 5, cursor: "c" },
      { query: "a", "x-trace": { a: 1 } },
    ],
    invalid: [{}, { limit: 5 }, { query: "a", cursor: "c" }, { query: "a", limit: 0 }, { query: "a", other: 1 }],
  },
  {
    name: "a schema of types by JSON's own description",
    schema: {
      $defs: {
        schema: {
          type: "object",
          properties: {
            type: { enum: ["string", "object", "array"] },
            properties: { type: "object", additionalProperties: { $ref: "#/$defs/schema" } },
            items: { anyOf: [{ $ref: "#/$defs/schema" }, { type: "boolean" }] },
            required: { type: "array", items: { type: "string" } },
          },
          additionalProperties: false,
        },
      },
      $ref: "#/$defs/schema",
    },
    valid: [
      {},
      { type: "object", properties: { a: { type: "array", items: { type: "string" } } }, required: ["a"] },
      { items: true },
    ],
    invalid: [{ type: "x" }, { properties: { a: { type: "x" } } }, { items: 1 }],
  },
];
