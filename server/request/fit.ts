/** How values fit JSON schemas: what is wrong with one, in words, and its members that count as absent. */
import { MOST_INTEGER, type FieldSchema } from "./schemas.js";

/** The way to a value in a body: names of members, and places in lists. */
export type Path = readonly (string | number)[];

/** A path as `messages[3].content[0]`. */
export const pathText = (path: Path): string =>
  path.map((part, i) => (typeof part === "number" ? `[${part}]` : i === 0 ? part : `.${part}`)).join("");

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Schemas are constants, which long lists ask again for each item. */
const known = new WeakMap<FieldSchema, readonly FieldSchema[]>();

/** The alternatives of a schema; itself if it has none. */
function alternatives(schema: FieldSchema): readonly FieldSchema[] {
  const before = known.get(schema);
  if (before) return before;
  const all = Array.isArray(schema["anyOf"]) ? (schema["anyOf"] as FieldSchema[]).flatMap(alternatives) : [schema];
  known.set(schema, all);
  return all;
}

const membersOf = (schema: FieldSchema): Readonly<Record<string, FieldSchema>> =>
  (schema["properties"] ?? {}) as Readonly<Record<string, FieldSchema>>;

const requiredIn = (schema: FieldSchema): readonly string[] => (schema["required"] ?? []) as readonly string[];

const enumOf = (schema: FieldSchema | undefined): readonly unknown[] | undefined =>
  schema?.["enum"] as readonly unknown[] | undefined;

const mayBeNull = (schema: FieldSchema): boolean => alternatives(schema).some(({ type }) => type === "null");

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  integer: (value) => typeof value === "number",
  array: Array.isArray,
  object: isObject,
  null: (value) => value === null,
};

/** Whether a value is of a schema's kind, whatever its members. */
function isKind(schema: FieldSchema, value: unknown): boolean {
  const { type } = schema;
  const values = enumOf(schema);
  if (type === undefined) return values?.some((one) => typeof one === typeof value) ?? true;
  return KINDS[type as string]!(value);
}

/** The alternative that a value is meant for: of those for objects the one whose `type` it has. */
function meant(schema: FieldSchema, value: unknown): FieldSchema[] {
  const kinds = alternatives(schema).filter((one) => isKind(one, value));
  if (!isObject(value)) return kinds;
  return kinds.filter((one) => {
    const types = enumOf(membersOf(one)["type"]);
    if (!types) return true;
    return value["type"] === undefined || value["type"] === null
      ? !requiredIn(one).includes("type")
      : types.includes(value["type"]);
  });
}

// ---------------------------------------------------------------- faults

/** What is wrong with a value. */
export interface Fault {
  readonly path: Path;
  readonly kind: "missing" | "type" | "value";
  /** In words. */
  readonly expected: string;
  readonly found: unknown;
}

/** The first fault of a value; undefined if it fits. A value that fits no alternative has the fault that is farthest in it. */
export function faultOf(schema: FieldSchema, value: unknown, path: Path = []): Fault | undefined {
  const of = alternatives(schema);
  if (of.length === 1) return plainFault(of[0]!, value, path);
  const likely = meant(schema, value);
  if (likely.length === 0) return wrongAlternative(of, value, path);
  const faults: Fault[] = [];
  for (const one of likely) {
    const fault = plainFault(one, value, path);
    if (!fault) return undefined;
    faults.push(fault);
  }
  const farthest = faults.reduce((best, fault) => (isFarther(fault.path, best.path) ? fault : best));
  const same = faults.filter((fault) => !isFarther(farthest.path, fault.path));
  const near = same.filter(({ kind }) => kind !== "type");
  const told = near.length > 0 ? near : same;
  return { ...told[0]!, expected: listed(told.map(({ expected }) => expected)) };
}

/** A value of a kind that no alternative has, or an object whose `type` none has. */
function wrongAlternative(of: readonly FieldSchema[], value: unknown, path: Path): Fault {
  const types = of.flatMap((one) => enumOf(membersOf(one)["type"]) ?? []);
  if (!isObject(value) || types.length === 0)
    return { path, kind: "type", expected: listed(of.map(describe)), found: value };
  const { type } = value;
  const kind = type === undefined ? "missing" : "value";
  return { path: [...path, "type"], kind, expected: listed(types.map(jsonOf)), found: type };
}

/** Whether a path goes on where the other ends, or leads to a later place. */
function isFarther(a: Path, b: Path): boolean {
  if (a.length !== b.length) return a.length > b.length;
  const at = a.findIndex((part, i) => part !== b[i]);
  return at >= 0 && typeof a[at] === "number" && typeof b[at] === "number" && a[at] > b[at];
}

function plainFault(schema: FieldSchema, value: unknown, path: Path): Fault | undefined {
  const wrong = (kind: Fault["kind"]): Fault => ({ path, kind, expected: describe(schema), found: value });
  if (!isKind(schema, value)) return wrong("type");
  const values = enumOf(schema);
  if (values && !values.includes(value)) return wrong("value");
  if (typeof value === "number" && !isInRange(schema, value)) return wrong("value");
  if (typeof value === "string" && value.length < ((schema["minLength"] as number | undefined) ?? 0))
    return wrong("value");
  if (Array.isArray(value)) return listFault(schema, value, path);
  return isObject(value) ? objectFault(schema, value, path) : undefined;
}

function isInRange(schema: FieldSchema, value: number): boolean {
  const { minimum = -Infinity, maximum = Infinity } = schema as Range;
  return value >= minimum && value <= maximum && (schema["type"] !== "integer" || Number.isInteger(value));
}

function listFault(schema: FieldSchema, value: readonly unknown[], path: Path): Fault | undefined {
  const { minItems = 0, maxItems = Infinity } = schema as Range;
  if (value.length < minItems || value.length > maxItems)
    return { path, kind: "value", expected: describe(schema), found: value };
  for (const [i, item] of value.entries()) {
    const fault = faultOf(schema["items"] as FieldSchema, item, [...path, i]);
    if (fault) return fault;
  }
  return undefined;
}

function objectFault(schema: FieldSchema, value: Members, path: Path): Fault | undefined {
  const members = membersOf(schema);
  const rest = schema["additionalProperties"];
  // what it is comes first
  const names = Object.keys(members).sort((a, b) => Number(b === "type") - Number(a === "type"));
  const required = requiredIn(schema);
  for (const name of names) {
    const at = [...path, name];
    if (value[name] === undefined && !required.includes(name)) continue;
    if (value[name] === undefined || (value[name] === null && !mayBeNull(members[name]!)))
      return { path: at, kind: "missing", expected: describe(members[name]!), found: value[name] };
    const fault = faultOf(members[name]!, value[name], at);
    if (fault) return fault;
  }
  for (const name of Object.keys(value).filter((one) => !Object.hasOwn(members, one))) {
    const fault = isObject(rest) ? faultOf(rest, value[name], [...path, name]) : undefined;
    if (fault) return fault;
  }
  return undefined;
}

// ---------------------------------------------------------------- words

const WORDS: Readonly<Record<string, string>> = {
  string: "a text",
  boolean: "true or false",
  number: "a number",
  integer: "an integer",
  object: "an object",
  null: "null",
  array: "a list",
};
const MANY: Readonly<Record<string, string>> = {
  string: "texts",
  number: "numbers",
  integer: "integers",
  object: "objects",
  array: "lists",
};

const jsonOf = (value: unknown): string => JSON.stringify(value);

/** `a, b, or c`, each once. */
function listed(words: readonly string[]): string {
  const [first = "", ...more] = [...new Set(words)];
  if (more.length === 0) return first;
  if (more.length === 1) return `${first} or ${more[0]!}`;
  return `${[first, ...more.slice(0, -1)].join(", ")}, or ${more.at(-1)!}`;
}

/** What a schema allows, in words; not what is in lists and objects. */
function describe(schema: FieldSchema): string {
  const of = alternatives(schema);
  if (of.length > 1) return listed(of.map(describe));
  const values = enumOf(schema);
  if (values) return listed(values.map(jsonOf));
  const { type } = schema;
  const word = WORDS[type as string] ?? "a value";
  if (type === "number" || type === "integer") return `${word}${rangeText(schema)}`;
  if (type === "array") return `a list of ${sizeText(schema)}${itemsText(schema["items"] as FieldSchema)}`;
  return type === "string" && schema["minLength"] === 1 ? "a text that is not empty" : word;
}

const itemsText = (items: FieldSchema): string =>
  enumOf(items) ? describe(items) : (MANY[alternatives(items)[0]!["type"] as string] ?? "values");

interface Range {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const rangeText = ({ minimum, maximum }: Range): string =>
  `${minimum === undefined ? "" : ` from ${minimum}`}${maximum === undefined || maximum === MOST_INTEGER ? "" : ` to ${maximum}`}`;

function sizeText({ minItems, maxItems }: Range): string {
  if (maxItems === undefined) return minItems === undefined ? "" : `${minItems} or more `;
  return minItems === undefined ? `at most ${maxItems} ` : `${minItems} to ${maxItems} `;
}

const MOST = 60;

/** A value as JSON, cut. */
export function show(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > MOST ? `${text.slice(0, MOST)}...` : text;
}

// ---------------------------------------------------------------- members that count as absent

/** A member that a schema does not know, and those that it does. */
export interface Unknown {
  readonly path: Path;
  readonly known: readonly string[];
}

/**
 * The value without members that are null, where they may be absent, and without those that a schema does not allow, of which
 * `unknown` gets the paths. What a schema says nothing about stays as it is.
 * @param path where the value is; it is changed on the way, and at the end as it was
 */
export function tidied(
  schema: FieldSchema,
  value: unknown,
  unknown: Unknown[],
  path: (string | number)[] = [],
): unknown {
  if (typeof value !== "object" || value === null) return value;
  const [of] = meant(schema, value);
  if (!of) return value;
  const inside = (own: FieldSchema, member: unknown, at: string | number): unknown => {
    path.push(at);
    const tidy = tidied(own, member, unknown, path);
    path.pop();
    return tidy;
  };
  if (Array.isArray(value) && of["items"]) return value.map((item, i) => inside(of["items"] as FieldSchema, item, i));
  if (!isObject(value) || !(of["properties"] ?? of["additionalProperties"])) return value;
  const members = membersOf(of);
  const rest = of["additionalProperties"];
  const required = requiredIn(of);
  const kept: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(members, name) ? members[name]! : isObject(rest) ? rest : undefined;
    if (member === null && !required.includes(name) && !(own && mayBeNull(own))) continue;
    if (own) kept.push([name, inside(own, member, name)]);
    else if (rest === false) unknown.push({ path: [...path, name], known: Object.keys(members) });
    else kept.push([name, member]);
  }
  // a literal of the entries would set the prototype by the name `__proto__`
  return Object.fromEntries(kept);
}
