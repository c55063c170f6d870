/** The fields of other tools' requests that ask for a grammar: llama-server's, vLLM's and SGLang's. A request has one of them. */
import type { GrammarSource, SchemaSource } from "ggsl/grammars/types.js";
import { checkShape } from "../http/json.js";
import { Refusal } from "../refusal.js";
import * as schema from "./schemas.js";
import type { FieldSchema } from "./schemas.js";

interface ConstraintField {
  readonly schema: FieldSchema;
  readonly about: string;
  readonly neutral: readonly unknown[];
  /** The grammar of a value that fits the schema. */
  readonly read: (value: never, field: string) => GrammarSource;
}

type Texts = readonly string[];
type Json = object | string;

const NOTHING: readonly unknown[] = ["", {}, []];

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);

const anyJson: FieldSchema = { anyOf: [schema.someObject, schema.text] };

/** A text is looked at as a body is. */
function checkedJson(value: Json, field: string): Json {
  if (typeof value === "string") checkShape(value, field);
  return value;
}

const jsonSchema = (value: Json, field: string): SchemaSource => ({ jsonSchema: checkedJson(value, field) });
const gbnf = (text: string): GrammarSource => ({ gbnf: text });
const regex = (text: string): GrammarSource => ({ regex: text });
const choices = (texts: Texts): GrammarSource => ({ choices: texts });
const anyObject = (): GrammarSource => ({ jsonSchema: { type: "object" } });

function structuralTag(value: Json, field: string): GrammarSource {
  if (typeof value !== "string") return { structuralTag: value };
  checkShape(value, field);
  try {
    return { structuralTag: JSON.parse(value) as object };
  } catch {
    throw new Refusal("invalid_request", `\`${field}\` must be JSON, found another text`, { param: field });
  }
}

const field = <T>(
  of: FieldSchema,
  about: string,
  read: (value: T, field: string) => GrammarSource,
): ConstraintField => ({
  schema: of,
  about,
  neutral: NOTHING,
  read,
});

const GBNF = "a grammar in [GBNF](grammars.md), which the text obeys";
const SCHEMA = "a JSON schema, as an object or a text, which the text obeys";
const REGEX = "a regular expression for the whole text";
const CHOICE = "texts of which the text is one";
const someTexts = schema.listOf(schema.someText, { minItems: 1, maxItems: 1024 });

const MEMBERS = {
  json: field(anyJson, SCHEMA, jsonSchema),
  regex: field(schema.text, REGEX, regex),
  choice: field(someTexts, CHOICE, choices),
  grammar: field(schema.text, GBNF, gbnf),
  json_object: field(schema.flag, "any JSON object", anyObject),
  structural_tag: field(anyJson, "a structural tag of XGrammar", structuralTag),
} as const;

export const CONSTRAINT_FIELDS = {
  grammar: field(schema.text, `llama-server's: ${GBNF}`, gbnf),
  json_schema: field(anyJson, `llama-server's and SGLang's: ${SCHEMA}`, jsonSchema),
  guided_json: field(anyJson, `vLLM's: ${SCHEMA}`, jsonSchema),
  guided_regex: field(schema.text, `vLLM's: ${REGEX}`, regex),
  guided_choice: field(someTexts, `vLLM's: ${CHOICE}`, choices),
  guided_grammar: field(schema.text, `vLLM's: ${GBNF}; other forms are refused`, gbnf),
  structured_outputs: field(
    schema.object(Object.fromEntries(Object.entries(MEMBERS).map(([name, { schema: of }]) => [name, of]))),
    "vLLM's: one of `json`, `regex`, `choice`, `grammar`, `json_object`, `structural_tag`",
    structured,
  ),
  regex: field(schema.text, `SGLang's: ${REGEX}`, regex),
  ebnf: field(schema.text, `SGLang's: ${GBNF}`, gbnf),
} as const;

export type ConstraintName = keyof typeof CONSTRAINT_FIELDS;

const NAMES = Object.keys(CONSTRAINT_FIELDS) as ConstraintName[];

type Given = Readonly<Partial<Record<string, unknown>>>;

/** `false` is what clients send for a form that is not asked for. */
const isAsked = (value: unknown): boolean => !isEmpty(value) && value !== false;

function structured(value: Given, name: string): GrammarSource {
  const asked = (Object.keys(MEMBERS) as (keyof typeof MEMBERS)[]).filter((member) => isAsked(value[member]));
  const [member, ...more] = asked;
  if (member === undefined || more.length > 0)
    throw new Refusal(
      "invalid_request",
      `\`${name}\` must have one of ${Object.keys(MEMBERS).join(", ")}, found ${asked.join(" and ") || "none"}`,
      { param: name },
    );
  return MEMBERS[member].read(value[member] as never, `${name}.${member}`);
}

/** What a body asks for by one of these fields. Throws a `Refusal` for several. */
export function constraintOf(given: object): { readonly source: GrammarSource; readonly field: string } | undefined {
  const body = given as Given;
  const [name, more] = NAMES.filter((one) => !isEmpty(body[one]));
  if (name === undefined) return undefined;
  if (more !== undefined)
    throw new Refusal("invalid_request", `\`${more}\` and \`${name}\` both ask for a grammar: give one`, {
      param: more,
    });
  const source = CONSTRAINT_FIELDS[name].read(body[name] as never, name);
  const { schema_options: options } = body;
  return { source: "jsonSchema" in source ? { ...(options as object), ...source } : source, field: name };
}
