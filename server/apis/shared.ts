/** What the APIs have in common: fields under the server's own names, and parts of tables. */
import { FIELDS, fieldsOn, type Body, type FieldName, type Rule } from "../request/fields.js";
import type { Rules } from "../request/forms.js";
import type { FieldSchema } from "../request/schemas.js";

/** OpenAI's fields of sampling that other APIs do not have. */
const SAMPLING = ["frequency_penalty", "presence_penalty", "logit_bias", "seed", "stop"] as const satisfies FieldName[];

/** The rules of fields that an API has as they are. */
export const same = (...names: readonly FieldName[]): Rules =>
  Object.fromEntries(names.map((name) => [name, FIELDS[name]]));

/** Answers of other APIs have no place for them. */
const CHOICES: ReadonlySet<string> = new Set(["measures", "trace"]);

/** Fields of the server that every API takes, also those that it does not know. */
export const OWN: Rules = {
  ...same(...SAMPLING),
  ...Object.fromEntries(fieldsOn("chat").filter(([name, { support }]) => support === "own" && !CHOICES.has(name))),
};

type Options = Omit<Rule, "support" | "schema" | "about">;
const rule =
  (support: Rule["support"]) =>
  (schema: FieldSchema, about: string, options: Options = {}): Rule => ({ support, schema, about, ...options });

export const [yes, partly] = [rule("yes"), rule("partly")];
export const no = (about: string, options: Options = {}): Rule => rule("no")({}, about, options);
export const neutral = (...values: readonly unknown[]): Options => ({ neutral: values });

/** The fields of a body that are in a table, as they are. */
export const passed = (body: Body, rules: Rules): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(rules, name)));

/** Without members that are undefined. */
export const defined = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

/** In APIs whose models go on with a last message of the assistant. */
export function goesOn(messages: readonly object[]): Body {
  const last: { readonly role?: unknown } | undefined = messages.at(-1);
  return last?.role === "assistant" ? { continue_final_message: true } : {};
}

/** Whether the model thinks: by the variable that most templates read. Those of the request count first. */
export const thinkingSwitch = (thinks: boolean, { chat_template_kwargs: variables }: Body): Body => ({
  chat_template_kwargs: { enable_thinking: thinks, ...(variables as object) },
});
