/** What is enforced of each keyword of JSON Schema; test/grammars compares it with a validator. */

/** A schema that is an object, before it is checked. */
export type Schema = Readonly<Record<string, unknown>>;

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
  minimum: NUMBERS,
  maximum: NUMBERS,
  exclusiveMinimum: NUMBERS,
  exclusiveMaximum: NUMBERS,
  multipleOf: NUMBERS,
  divisibleBy: NUMBERS,
  minLength: ["string"],
  maxLength: ["string"],
  pattern: ["string"],
  format: ["string"],
  prefixItems: ["array"],
  items: ["array"],
  minItems: ["array"],
  maxItems: ["array"],
  contains: ["array"],
  unevaluatedItems: ["array"],
  additionalItems: ["array"],
  uniqueItems: ["array"],
  minContains: ["array"],
  maxContains: ["array"],
  properties: ["object"],
  required: ["object"],
  additionalProperties: ["object"],
  propertyNames: ["object"],
  unevaluatedProperties: ["object"],
  patternProperties: ["object"],
  minProperties: ["object"],
  maxProperties: ["object"],
  dependencies: ["object"],
  dependentRequired: ["object"],
  dependentSchemas: ["object"],
};

/** Assertions that assert nothing with this value. */
export const WITHOUT_EFFECT: Readonly<Record<string, unknown>> = { uniqueItems: false, additionalItems: true };

const BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const DATE =
  "[0-9]{4}-((01|03|05|07|08|10|12)-(0[1-9]|[12][0-9]|3[01])|(04|06|09|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))";
const TIME = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";
const LABEL = "[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";

/** The values of `format` that are enforced, as regular expressions; some valid texts are left out. */
export const FORMATS: Readonly<Record<string, string>> = {
  email: `[a-zA-Z0-9_+-]{1,30}(\\.[a-zA-Z0-9_+-]{1,30}){0,2}@${LABEL}(\\.${LABEL}){1,3}`,
  date: DATE,
  time: TIME,
  "date-time": `${DATE}T${TIME}`,
  duration: "P([0-9]{1,9}W|[0-9]{1,9}D(T[0-9]{1,9}H)?|T[0-9]{1,9}(H[0-9]{1,9}M|[HMS]))",
  ipv4: `${BYTE}(\\.${BYTE}){3}`,
  ipv6: "[0-9a-fA-F]{1,4}(:[0-9a-fA-F]{1,4}){7}",
  hostname: `${LABEL}(\\.${LABEL}){0,3}`,
  uuid: "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
  uri: `https?://${LABEL}(\\.${LABEL}){0,3}(/[a-zA-Z0-9._~-]{1,100}){0,20}`,
};

/** Values of each kind that a keyword takes. */
export const COUNTS: ReadonlySet<string> = new Set([
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
]);
