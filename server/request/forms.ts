/** The forms of bodies: which fields each path takes. */
import { bodySchema, fieldsOn, schemaOf, type Endpoint, type Rule } from "./fields.js";
import type { FieldSchema } from "./schemas.js";

export type Rules = Readonly<Record<string, Rule>>;

export interface Form {
  readonly path: string;
  readonly fields: Rules;
  readonly schema: FieldSchema;
}

export const PATHS: Readonly<Record<Endpoint, string>> = {
  chat: "/v1/chat/completions",
  completions: "/v1/completions",
  logits: "/v1/logits",
  template: "/apply-template",
  tokenize: "/tokenize",
  detokenize: "/detokenize",
};

const own = (endpoint: Endpoint): Form => ({
  path: PATHS[endpoint],
  fields: Object.fromEntries(fieldsOn(endpoint)),
  schema: bodySchema(endpoint),
});

/** The forms of bodies as the server keeps them. */
export const FORMS: Readonly<Record<Endpoint, Form>> = {
  chat: own("chat"),
  completions: own("completions"),
  logits: own("logits"),
  template: own("template"),
  tokenize: own("tokenize"),
  detokenize: own("detokenize"),
};

/** The form of a client's API. */
export const formOf = (path: string, fields: Rules): Form => ({
  path,
  fields,
  schema: schemaOf(Object.entries(fields)),
});

/** The rule of a field; undefined for one that the path does not take. */
export const ruleOf = ({ fields }: Form, name: string): Rule | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;
