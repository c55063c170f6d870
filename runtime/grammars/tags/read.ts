/** Reads structural tags: what each format must have, and what is wrong with one, by its JSON pointer. */
import { show } from "@ggsl/compiler/core/show.js";
import { InputError, invalid } from "../../core/errors.js";
import { spend } from "../budget.js";
import { GRAMMAR_LIMITS } from "../limits.js";

type Given = Readonly<Record<string, unknown>>;

/** A format whose members are right; `T` is what was made of those inside of it. */
export type Format<T> =
  | { readonly type: "const_string"; readonly value: string }
  | (SchemaOptions & { readonly type: "json_schema"; readonly json_schema: unknown })
  | { readonly type: "any_text"; readonly excludes?: readonly string[] }
  | { readonly type: "regex"; readonly pattern: string }
  | { readonly type: "grammar"; readonly grammar: string }
  | { readonly type: "sequence" | "or"; readonly elements: readonly T[] }
  | { readonly type: "tag"; readonly begin: string; readonly content: T; readonly end: string }
  | (Endings & { readonly type: "triggered_tags"; readonly triggers: readonly string[]; readonly tags: readonly T[] })
  | (Endings & { readonly type: "tags_with_separator"; readonly tags: readonly T[]; readonly separator: string })
  | (Openers<T> & { readonly type: "free_text"; readonly stop_after_first?: boolean })
  | { readonly type: "repeat"; readonly content: T; readonly separator?: T }
  | { readonly type: "members"; readonly members: readonly GivenMember<T>[]; readonly separator?: T };

/** A part that comes at most once. */
interface GivenMember<T> {
  readonly content: T;
  readonly required: boolean;
}

type SchemaOptions = Readonly<Partial<Record<"ignore" | "whitespace" | "order" | "others", unknown>>>;

/** What free text may have inside. */
interface Openers<T> {
  readonly triggers?: readonly string[];
  readonly tags?: readonly T[];
  /** Formats that begin with a control token. */
  readonly blocks?: readonly T[];
  /** Control tokens. */
  readonly tokens?: readonly number[];
}

interface Endings {
  readonly at_least_one?: boolean;
  readonly stop_after_first?: boolean;
}

/** Makes something of a format, after those inside of it. */
type Make<T> = (format: Format<T>, path: string) => T;

/** What messages call it. */
export const WHOLE = "the structural tag";

export const fault = (path: string, message: string): InputError =>
  invalid(`${WHOLE}${path === "" ? "" : ` at ${show(path)}`}: ${message}`);

export const exceeded = (message: string): InputError =>
  new InputError(`${WHOLE} exceeds a limit: ${message}`, { code: "LIMIT_EXCEEDED" });

const isObject = (value: unknown): value is Given =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a member is; each returns what is made of it. */
type Member = (value: unknown, path: string, inner: Inner) => unknown;
/** Reads a format inside of another. */
type Inner = (value: unknown, path: string) => unknown;

const someText: Member = (value, path) => {
  if (typeof value !== "string" || value === "") throw fault(path, `expected a text, found ${show(value)}`);
  return wellFormed(value, path);
};
const anyText: Member = (value, path) => {
  if (typeof value !== "string") throw fault(path, `expected a text, found ${show(value)}`);
  return wellFormed(value, path);
};
function wellFormed(value: string, path: string): string {
  if (/\p{Surrogate}/u.test(value))
    throw fault(path, `expected whole characters, found a half of one in ${show(value)}`);
  return value;
}
const flag: Member = (value, path) => {
  if (typeof value !== "boolean") throw fault(path, `expected a boolean, found ${show(value)}`);
  return value;
};
const token: Member = (value, path) => {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31) return value;
  throw fault(path, `expected the number of a token, found ${show(value)}`);
};
const listOf =
  (member: Member): Member =>
  (value, path, inner) => {
    if (!Array.isArray(value) || value.length === 0) throw fault(path, "expected a list that is not empty");
    return value.map((entry, i) => member(entry, `${path}/${i}`, inner));
  };
const anything: Member = (value) => value;
const format: Member = (value, path, inner) => inner(value, path);
const formats = listOf(format);
const member: Member = (value, path, inner) => {
  if (!isObject(value)) throw fault(path, `expected an object with \`content\` and \`required\`, found ${show(value)}`);
  const { content, required, ...rest } = value;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw fault(path, `a member has no \`${unknown}\``);
  return { content: inner(content, `${path}/content`), required: flag(required, `${path}/required`, inner) };
};
const tag: Member = (value, path, inner) => {
  if (!isObject(value)) return inner(value, path);
  const { type = "tag" } = value;
  if (type !== "tag") throw fault(path, `expected a format of the type "tag", found ${show(type)}`);
  return inner({ ...value, type }, path);
};

interface Kind {
  readonly required: Readonly<Record<string, Member>>;
  readonly optional?: Readonly<Record<string, Member>>;
}

/** Those of a schema that is a source; not in XGrammar's. */
const SCHEMA_OPTIONS = { ignore: anything, whitespace: anything, order: anything, others: anything };
const ENDINGS = { at_least_one: flag, stop_after_first: flag };

/** The types of formats, and their members; the last three are not XGrammar's. */
const KINDS: Readonly<Record<string, Kind>> & Readonly<Record<Format<unknown>["type"], Kind>> = {
  const_string: { required: { value: someText } },
  json_schema: { required: { json_schema: anything }, optional: SCHEMA_OPTIONS },
  any_text: { required: {}, optional: { excludes: listOf(someText) } },
  regex: { required: { pattern: someText } },
  grammar: { required: { grammar: someText } },
  sequence: { required: { elements: formats } },
  or: { required: { elements: formats } },
  tag: { required: { begin: someText, content: format, end: anyText } },
  triggered_tags: { required: { triggers: listOf(someText), tags: listOf(tag) }, optional: ENDINGS },
  tags_with_separator: { required: { tags: listOf(tag), separator: anyText }, optional: ENDINGS },
  free_text: {
    required: {},
    optional: {
      triggers: listOf(someText),
      tags: listOf(tag),
      blocks: formats,
      tokens: listOf(token),
      stop_after_first: flag,
    },
  },
  repeat: { required: { content: format }, optional: { separator: format } },
  members: { required: { members: listOf(member) }, optional: { separator: format } },
};

/**
 * Reads a structural tag, or a format alone. Throws `InputError`.
 * @param make what is made of each format, from the innermost on
 */
export function readTag<T>(given: unknown, make: Make<T>): T {
  if (!isObject(given)) throw fault("", `expected an object, found ${show(given)}`);
  const isWhole = given["type"] === "structural_tag";
  return isWhole ? made(given["format"], "/format", 0, make) : made(given, "", 0, make);
}

function made<T>(given: unknown, path: string, depth: number, make: Make<T>): T {
  spend();
  if (depth > GRAMMAR_LIMITS.depth) throw exceeded(`it is nested deeper than ${GRAMMAR_LIMITS.depth} levels`);
  if (!isObject(given)) throw fault(path, `expected an object, found ${show(given)}`);
  const { type, ...members } = given;
  const kind = typeof type === "string" && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (!kind) throw fault(path, `unknown type ${show(type)}: expected one of ${Object.keys(KINDS).join(", ")}`);
  const all = { ...kind.required, ...kind.optional };
  const missing = Object.keys(kind.required).find((name) => !(name in members));
  if (missing !== undefined) throw fault(path, `\`${String(type)}\` needs \`${missing}\``);
  const unknown = Object.keys(members).find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) throw fault(path, `\`${String(type)}\` has no \`${unknown}\``);
  const inner: Inner = (value, at) => made(value, at, depth + 1, make);
  const read = Object.entries(members).map(([name, value]) => [name, all[name]!(value, `${path}/${name}`, inner)]);
  return make({ type, ...Object.fromEntries(read) } as Format<T>, path);
}
