/**
 * Filters and methods that templates of models use and @huggingface/jinja lacks, and those whose results can be much longer than
 * what they read: their size is checked before they run.
 */
import { invalid } from "../core/errors.js";
import type { Environment, Value } from "./jinja.js";
import { checkLimit } from "./limits.js";
import { textOf } from "./text.js";
import { isInteger, isList, isNothing, isNumber, isObject, isText, type Values } from "./values.js";

export interface Arguments {
  readonly list: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export interface Call extends Arguments {
  /** What the filter or method applies to. */
  readonly of: Value;
  readonly scope: Environment;
  readonly make: Values;
}

/** The result; undefined leaves the call to the package. */
type Addition = (call: Call) => Value | undefined;

/** Occurrences of a text in another, at most as many as a list may have elements. */
function occurrences(text: string, part: string): number {
  if (part === "") return text.length + 1;
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

const replace: Addition = ({ of, list: [from, to] }) => {
  if (isText(of) && isText(from) && isText(to))
    checkLimit("text", of.value.length + occurrences(of.value, from.value) * to.value.length);
  return undefined;
};

const split: Addition = ({ of, list: [separator] }) => {
  if (isText(of) && isText(separator) && separator.value !== "")
    checkLimit("list", occurrences(of.value, separator.value) + 1);
  else if (isText(of)) checkLimit("list", of.value.length / 2);
  return undefined;
};

const join: Addition = ({ of, list: [given], named }) => {
  const separator = given ?? named.get("separator");
  const between = isText(separator) ? separator.value.length : 0;
  if (isText(of)) checkLimit("text", of.value.length * (1 + between));
  if (isList(of))
    checkLimit(
      "text",
      of.value.reduce((sum, part) => sum + between + (isText(part) ? part.value.length : 0), 0),
    );
  return undefined;
};

const indent: Addition = ({ of, list: [given], named }) => {
  const width = given ?? named.get("width");
  if (isText(of) && isInteger(width))
    checkLimit("text", of.value.length + (occurrences(of.value, "\n") + 1) * width.value);
  return undefined;
};

const tojson: Addition = ({ named }) => {
  const [width, separators] = [named.get("indent"), named.get("separators")];
  if (isNumber(width)) checkLimit("indent", width.value);
  for (const separator of isList(separators) ? separators.value : [])
    if (isText(separator)) checkLimit("indent", separator.value.length);
  return undefined;
};

/** Python's `"{} {0} {name}".format(...)`, without format specifications. */
const format: Addition = ({ of, list, named, make }) => {
  if (!isText(of)) return undefined;
  let next = 0;
  let length = 0;
  const text = of.value.replace(/\{\{|\}\}|\{(\w*)\}/g, (all: string, name: string | undefined) => {
    if (name === undefined) return all[0]!;
    const value = /^\d*$/.test(name) ? list[name === "" ? next++ : Number(name)] : named.get(name);
    if (!value) throw invalid(`format() has no argument for {${name}}`);
    const part = textOf(value);
    checkLimit("text", (length += part.length));
    return part;
  });
  return make.of(text);
};

const append: Addition = ({ of, list: [element], make }) => {
  if (!isList(of) || !element) return undefined;
  checkLimit("list", of.value.push(element));
  return make.of(null);
};

const pop: Addition = ({ of, list: [given] }) => {
  if (!isList(of)) return undefined;
  const index = isInteger(given) ? given.value : -1;
  const [taken] = of.value.splice(index, 1);
  if (!taken) throw invalid("pop() from a list without that element");
  return taken;
};

/** The least or the greatest number or text of a list. */
const extreme =
  (sign: number): Addition =>
  ({ of, make }) => {
    if (!isList(of)) return undefined;
    const isSame = of.value.every(isNumber) || of.value.every(isText);
    if (!isSame) throw invalid("min and max need a list of numbers, or of texts");
    const values = of.value.map(({ value }) => value as number | string);
    if (values.length === 0) return make.of(undefined);
    const found = values.reduce((a, b) => (sign * (a < b ? -1 : 1) <= 0 ? a : b));
    return of.value[values.indexOf(found)];
  };

const string: Addition = ({ of, make }) => make.of(textOf(of));

/** Python's filters of texts take any value, and nothing for one that is not defined. */
const asText =
  (change: (text: string) => string): Addition =>
  ({ of, make }) =>
    isText(of) ? undefined : make.of(change(textOf(of)));

/** `none` has no elements: templates that expect a list of tools get none. */
const ofNothing: Addition = ({ of, make }) => (isNothing(of) ? make.list([]) : undefined);

/** Of objects. Python finds methods before members of the same name, and keys may be numbers. */
const entries =
  (listOf: (entries: readonly (readonly [Value, Value])[], make: Values) => Value[]): Addition =>
  ({ of, make }) =>
    of.type === "ObjectValue" && isObject(of)
      ? make.list(
          listOf(
            [...of.value].map(([key, value]) => [make.of(key), value]),
            make,
          ),
        )
      : undefined;
const pairs = (given: readonly (readonly [Value, Value])[], make: Values): Value[] =>
  given.map(([key, value]) => make.list([key, value]));
const items = entries(pairs);
const keys = entries((given) => given.map(([key]) => key));
const values = entries((given) => given.map(([, value]) => value));
const get: Addition = ({ of, list: [key, otherwise], make }) => {
  if (of.type !== "ObjectValue" || !isObject(of) || !(isText(key) || isInteger(key))) return undefined;
  return of.value.get(key.value) ?? otherwise ?? make.of(null);
};

/** Sorts keys that are numbers. */
const dictsort: Addition = (call) => {
  const { of, make } = call;
  if (!isObject(of) || ![...of.value.keys()].some((key) => typeof key === "number")) return undefined;
  const sorted = new Map([...of.value].sort(([a], [b]) => Number(a) - Number(b)));
  return items({ ...call, of: make.object(sorted) });
};

export const FILTERS: Readonly<Record<string, Addition>> = {
  replace,
  join,
  indent,
  tojson,
  string,
  items,
  dictsort,
  min: extreme(1),
  max: extreme(-1),
  trim: asText((text) => text.trim()),
  upper: asText((text) => text.toUpperCase()),
  lower: asText((text) => text.toLowerCase()),
  selectattr: ofNothing,
  rejectattr: ofNothing,
  map: ofNothing,
  list: ofNothing,
  select: ofNothing,
};

export const METHODS: Readonly<Record<string, Addition>> = {
  replace,
  split,
  format,
  append,
  pop,
  items,
  keys,
  values,
  get,
};
