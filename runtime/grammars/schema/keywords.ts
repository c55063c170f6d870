/** What is enforced of each keyword of JSON Schema; test/grammars compares it with a validator. */

/** Keywords that assert nothing. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "id", "$comment", "$anchor", "$defs", "definitions", "title", "description", "default"],
  ...["examples", "example", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType"],
  ...["contentSchema", "$vocabulary", "discriminator"],
]);

/** The first of these that there is decides: XGrammar reads no assertion beside it. */
export const DECIDING = ["$ref", "const", "enum", "anyOf", "oneOf", "allOf"] as const;
export type Deciding = (typeof DECIDING)[number];

export const TYPES = ["integer", "number", "string", "boolean", "null", "array", "object"] as const;
export type SchemaType = (typeof TYPES)[number];

/** The keywords that are enforced for each type. */
export const ENFORCED: Readonly<Record<SchemaType, readonly string[]>> = {
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  string: ["minLength", "maxLength", "pattern", "format"],
  boolean: [],
  null: [],
  array: ["prefixItems", "items", "minItems", "maxItems"],
  object: ["properties", "required", "additionalProperties", "minProperties", "maxProperties"],
};

const NUMBERS: readonly SchemaType[] = ["integer", "number"];

/** The types whose values an assertion is about: it accepts all values of other types. */
export const ABOUT: Readonly<Record<string, readonly SchemaType[]>> = {
  ...{ minimum: NUMBERS, maximum: NUMBERS, exclusiveMinimum: NUMBERS, exclusiveMaximum: NUMBERS },
  ...{ multipleOf: NUMBERS, divisibleBy: NUMBERS },
  ...{ minLength: ["string"], maxLength: ["string"], pattern: ["string"], format: ["string"] },
  ...{ prefixItems: ["array"], items: ["array"], minItems: ["array"], maxItems: ["array"], contains: ["array"] },
  ...{ unevaluatedItems: ["array"], additionalItems: ["array"], uniqueItems: ["array"] },
  ...{ minContains: ["array"], maxContains: ["array"] },
  ...{ properties: ["object"], required: ["object"], additionalProperties: ["object"], propertyNames: ["object"] },
  ...{ unevaluatedProperties: ["object"], patternProperties: ["object"], minProperties: ["object"] },
  ...{ maxProperties: ["object"], dependencies: ["object"], dependentRequired: ["object"] },
  ...{ dependentSchemas: ["object"] },
};

/** Assertions that assert nothing with this value. */
export const WITHOUT_EFFECT: Readonly<Record<string, unknown>> = { uniqueItems: false, additionalItems: true };

/** The values of `format` that are enforced. */
export const FORMATS: ReadonlySet<string> = new Set([
  ...["email", "date", "time", "date-time", "duration", "ipv4", "ipv6", "hostname", "uuid", "uri"],
]);

/** Values of each kind that a keyword takes. */
export const COUNTS: ReadonlySet<string> = new Set([
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
]);
