/**
 * Checks of arguments from outside. Callers without types, and values from JSON, can pass anything, so every public function
 * checks its arguments before it does anything else. A check throws an `InputError` that names the argument, what was expected
 * and what was found.
 */
import { show } from "@ggsl/compiler/core/show.js";
import { unknownOption, type OptionNames } from "@ggsl/compiler/core/optionNames.js";
import { invalid } from "./errors.js";

/** Throws `InputError` unless the value is allowed. */
export type Check = (value: unknown, name: string) => void;

/** A check for each option of an interface; an option that is `undefined` is not checked. */
export type Checks<T> = { readonly [Name in keyof Required<T>]: Check };

export function refuse(name: string, expected: string, value: unknown): never {
  throw invalid(`\`${name}\` must be ${expected}, found ${show(value)}`);
}

/** A check by a predicate. */
export const that =
  (expected: string, accepts: (value: unknown) => boolean): Check =>
  (value, name) => {
    if (!accepts(value)) refuse(name, expected, value);
  };

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

/** Whether it is a typed array of that kind, also of another realm, such as a frame of a page or a `vm` context. */
export const isArrayOf = (kind: "Uint8Array" | "Int32Array" | "Float32Array", value: unknown): boolean =>
  ArrayBuffer.isView(value) && (value as Partial<Uint8Array>)[Symbol.toStringTag] === (kind as string);

export const text = that("a text", (value) => typeof value === "string");
export const flag = that("true or false", (value) => typeof value === "boolean");
export const callback = that("a function", (value) => typeof value === "function");
export const someObject = that("an object", isObject);
export const map = that("a Map from token to number", (value) => value instanceof Map);
export const bytes = that("a Uint8Array", (value) => isArrayOf("Uint8Array", value));

export const integer = (least: number, most = Infinity): Check =>
  that(
    most === Infinity ? `an integer from ${least}` : `an integer from ${least} to ${most}`,
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  );

export const oneOf = (...names: readonly unknown[]): Check =>
  that(`one of ${names.join(", ")}`, (value) => names.includes(value));

/** Passes if one of the checks does. */
export const either = (expected: string, ...checks: readonly Check[]): Check =>
  that(expected, (value) =>
    checks.some((check) => {
      try {
        check(value, "");
        return true;
      } catch {
        return false;
      }
    }),
  );

/** A list or a typed array whose elements pass the check. */
export const listOf =
  (expected: string, each: Check): Check =>
  (value, name) => {
    if (!Array.isArray(value) && !(ArrayBuffer.isView(value) && !(value instanceof DataView)))
      refuse(name, expected, value);
    const values = value as ArrayLike<unknown>;
    // an index loop: `forEach` skips the holes of a sparse list
    for (let i = 0; i < values.length; i++) each(values[i], `${name}[${i}]`);
  };

/** An object whose values pass the check, whatever their names. */
export const recordOf =
  (expected: string, each: Check): Check =>
  (value, name) => {
    if (!isObject(value) || value instanceof Map) refuse(name, expected, value);
    for (const [key, entry] of Object.entries(value)) each(entry, `${name}.${key}`);
  };

type Table = Readonly<Record<string, Check>>;
type Path = (name: string, key: string) => string;

const member: Path = (name, key) => `${name}.${key}`;
/** Errors name options of a function alone: `contextSize`, not `options.contextSize`. */
const alone: Path = (_, key) => key;

const closed =
  (checks: Readonly<Record<string, unknown>>, check: Check, path: Path): Check =>
  (value, name) => {
    someObject(value, name);
    const fault = unknownOption(value as object, checks, (key) => path(name, key));
    if (fault !== undefined) throw invalid(fault);
    check(value, name);
  };

const present =
  (checks: Table, path: Path): Check =>
  (value, name) => {
    for (const [key, check] of Object.entries(checks)) {
      const entry = (value as Readonly<Record<string, unknown>>)[key];
      if (entry !== undefined) check(entry, path(name, key));
    }
  };

/** An object with members of a table, and no others. */
export const object = (checks: Table): Check => closed(checks, present(checks, member), member);

/** The options of a function, and no others. */
export const options = (checks: Table): Check => closed(checks, present(checks, alone), alone);

/** The options of a function by their names alone: their values are checked elsewhere. */
export const named = <T>(names: OptionNames<T>): Check => closed(names, () => undefined, alone);
/** The same of an object in them. */
export const namedIn = <T>(names: OptionNames<T>): Check => closed(names, () => undefined, member);

/** Some of the options of a function; another check has refused unknown ones. */
export const someOptions = (checks: Table): Check => present(checks, alone);

/** An object that has all members of a table, and any others. */
export const having =
  (checks: Table): Check =>
  (value, name) => {
    someObject(value, name);
    for (const [key, check] of Object.entries(checks))
      check((value as Readonly<Record<string, unknown>>)[key], member(name, key));
  };

/** An object that has all members of a table, and no others. */
export const complete = (checks: Table): Check => closed(checks, having(checks), member);

/** As `check`, also for `undefined`. */
export const optional =
  (check: Check): Check =>
  (value, name) => {
    if (value !== undefined) check(value, name);
  };
