/** Checks XGrammar's structural tags: it gives no message for a fault in one. */
import { show } from "@ggsl/compiler/core/show.js";
import { InputError, invalid } from "../core/errors.js";
import { spend } from "./budget.js";
import { GRAMMAR_LIMITS } from "./limits.js";
import { readSchema } from "./schema/schema.js";
import { readGbnf } from "./text/gbnf.js";
import { readRegex } from "./text/regex.js";
import { toEbnf } from "./text/ebnf.js";
import { OnlyLlama, type Rules } from "./text/rules.js";

type Format = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Format =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a member is; each returns what XGrammar is given. */
type Member = (value: unknown, path: string, depth: number) => unknown;

const someText: Member = (value, path) => {
  if (typeof value !== "string" || value === "") throw fault(path, `expected a text, found ${show(value)}`);
  return value;
};
const anyText: Member = (value, path) => {
  if (typeof value !== "string") throw fault(path, `expected a text, found ${show(value)}`);
  return value;
};
const flag: Member = (value, path) => {
  if (typeof value !== "boolean") throw fault(path, `expected a boolean, found ${show(value)}`);
  return value;
};
const listOf =
  (member: Member): Member =>
  (value, path, depth) => {
    if (!Array.isArray(value) || value.length === 0) throw fault(path, "expected a list that is not empty");
    return value.map((entry, i) => member(entry, `${path}/${i}`, depth));
  };
const schema: Member = (value) => value;
const formats = listOf((value, path, depth) => format(value, path, depth));
const tag: Member = (value, path, depth) => format(isObject(value) ? { type: "tag", ...value } : value, path, depth);

interface Kind {
  readonly required: Readonly<Record<string, Member>>;
  readonly optional?: Readonly<Record<string, Member>>;
}

const ENDINGS = { at_least_one: flag, stop_after_first: flag };

/** The types of formats, and their members. */
const KINDS: Readonly<Record<string, Kind>> = {
  const_string: { required: { value: someText } },
  json_schema: { required: { json_schema: schema } },
  any_text: { required: {} },
  regex: { required: { pattern: someText } },
  grammar: { required: { grammar: someText } },
  sequence: { required: { elements: formats } },
  or: { required: { elements: formats } },
  tag: { required: { begin: someText, content: (v, p, d) => format(v, p, d), end: anyText } },
  triggered_tags: { required: { triggers: listOf(someText), tags: listOf(tag) }, optional: ENDINGS },
  tags_with_separator: { required: { tags: listOf(tag), separator: anyText }, optional: ENDINGS },
};

const fault = (path: string, message: string): InputError =>
  invalid(`the structural tag${path === "" ? "" : ` at ${show(path)}`}: ${message}`);

/** The tag as JSON for XGrammar. Throws `InputError`. */
export function readStructuralTag(given: unknown): string {
  if (!isObject(given)) throw fault("", `expected an object, found ${show(given)}`);
  const isWhole = given["type"] === "structural_tag";
  const inner = isWhole ? format(given["format"], "/format", 0) : format(given, "", 0);
  const text = JSON.stringify({ type: "structural_tag", format: inner });
  if (text.length > GRAMMAR_LIMITS.length)
    throw new InputError(`the structural tag exceeds a limit: it has ${text.length} characters as JSON`, {
      code: "LIMIT_EXCEEDED",
    });
  return text;
}

function format(given: unknown, path: string, depth: number): unknown {
  spend();
  if (depth > GRAMMAR_LIMITS.depth)
    throw new InputError(
      `the structural tag exceeds a limit: it is nested deeper than ${GRAMMAR_LIMITS.depth} levels`,
      {
        code: "LIMIT_EXCEEDED",
      },
    );
  if (!isObject(given)) throw fault(path, `expected an object, found ${show(given)}`);
  const { type, ...members } = given;
  const kind = typeof type === "string" && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (!kind) throw fault(path, `unknown type ${show(type)}: expected one of ${Object.keys(KINDS).join(", ")}`);
  const all = { ...kind.required, ...kind.optional };
  const missing = Object.keys(kind.required).find((name) => !(name in members));
  if (missing !== undefined) throw fault(path, `\`${String(type)}\` needs \`${missing}\``);
  const unknown = Object.keys(members).find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) throw fault(path, `\`${String(type)}\` has no \`${unknown}\``);
  const read = Object.entries(members).map(([name, value]) => [name, all[name]!(value, `${path}/${name}`, depth + 1)]);
  return forXgrammar({ type, ...(Object.fromEntries(read) as Format) }, path);
}

const READERS: Readonly<Record<string, (format: Format) => Rules>> = {
  regex: ({ pattern }) => readRegex(pattern as string),
  grammar: ({ grammar }) => readGbnf(grammar as string),
  json_schema: ({ json_schema }) => readSchema(json_schema, []),
};

/** Grammars, schemas and patterns are read here, and given in a form that means the same there. */
function forXgrammar(read: Format & { readonly type?: unknown }, path: string): unknown {
  const reader = READERS[read.type as string];
  if (!reader) return read;
  try {
    const rules = reader(read);
    return { type: "grammar", grammar: toEbnf(rules) };
  } catch (error) {
    if (!(error instanceof OnlyLlama)) throw error;
    throw fault(path, `it has ${error.message}, which a tag cannot have`);
  }
}
