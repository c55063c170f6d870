/**
 * The fields of requests: what a body may have, and what is not done and why. Fastify checks bodies by these schemas, and the tables
 * of docs/server.md are written from them.
 */
import { isDeepStrictEqual } from "node:util";
import { ALIASES, type AliasName } from "./aliases.js";
import { BOTH, neutral, own, type Body, type Endpoint, type Field, type Rule } from "./field.js";
import { faultOf } from "./fit.js";
import { OPENAI_FIELDS } from "./openaiFields.js";
import { OWN_FIELDS } from "./ownFields.js";
import * as schema from "./schemas.js";
import type { FieldSchema } from "./schemas.js";

export type { Body, Endpoint, Field, Rule, TextEndpoint } from "./field.js";
export { RANDOM_SEED } from "./openaiFields.js";

/** The number of likely tokens of each place, for chats, too. */
const PROBS: Field = own(schema.integer(0, 20), "", neutral(0));

const NAMED = { ...OPENAI_FIELDS, ...OWN_FIELDS } as const;

/** With the schemas and neutral values of what they are names of. */
const ALIAS_FIELDS = Object.fromEntries(
  Object.entries(ALIASES).map(([name, { of }]): [string, Field] => {
    const field: Field = name === "n_probs" ? PROBS : NAMED[of as keyof typeof NAMED];
    return [name, { ...field, on: BOTH, support: "own", about: `another name of \`${of}\`` }];
  }),
) as Readonly<Record<AliasName, Field>>;

export const FIELDS = { ...NAMED, ...ALIAS_FIELDS } as const;

export type FieldName = keyof typeof FIELDS;

export const fieldOf = (name: string): Field | undefined =>
  Object.hasOwn(FIELDS, name) ? FIELDS[name as FieldName] : undefined;

/** The fields of an endpoint. */
export const fieldsOn = (endpoint: Endpoint): (readonly [string, Field])[] =>
  Object.entries(FIELDS).filter(([, { on }]) => on.includes(endpoint));

/** Whether a value of a field asks for nothing. */
export function isNeutral(name: string, value: unknown, rule: Rule | undefined = fieldOf(name)): boolean {
  const { neutral: values = [], asksNothing } = rule ?? {};
  if (asksNothing?.(value)) return true;
  // biases of 0 change nothing, either
  if (name === "logit_bias" && typeof value === "object" && value !== null && !Array.isArray(value))
    return Object.values(value).every((bias) => bias === 0);
  return values.some((one) => isDeepStrictEqual(one, value));
}

/** Whether a body asks for something by a field: it is given, not neutral, and what it is beside is there. */
export function isWish(name: string, body: Body): boolean {
  const { beside } = fieldOf(name) ?? {};
  return body[name] !== undefined && !isNeutral(name, body[name]) && (beside === undefined || isWish(beside, body));
}

/** Whether a value counts as absent: it asks for nothing, in a form that the field does not have. */
export function isAbsent(name: string, value: unknown, rule: Rule = fieldOf(name)!): boolean {
  if (rule.support === "no") return isNeutral(name, value, rule) || isEmpty(value);
  return isNeutral(name, value, rule) && faultOf(rule.schema, value) !== undefined;
}

/** What asks for nothing, whatever the field. */
export const isEmpty = (value: unknown): boolean =>
  value === false || value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** The schema of a body of some fields. Others are found by `checkFields`, which can allow them. */
export const schemaOf = (fields: Iterable<readonly [string, Rule]>): FieldSchema => ({
  type: "object",
  properties: Object.fromEntries(Array.from(fields, ([name, { schema: of }]) => [name, of])),
  required: Array.from(fields).flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
});

export const bodySchema = (endpoint: Endpoint): FieldSchema => schemaOf(fieldsOn(endpoint));
