/** Shapes of untrusted plain data: its members and their types. */
import { show } from "../core/show.js";

/** A predicate of a value, or the shape of a list, of an object with a `kind`, or of an object's members. */
export type Shape = Test | ListShape | KindShape | Members;

export interface Test {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
}

interface ListShape {
  readonly array: Shape;
}

/** The members other than `kind`, by the value of `kind`. */
interface KindShape {
  readonly kinds: Readonly<Record<string, Members>>;
}

/** A name that ends in `?` is optional. */
interface Members {
  readonly [member: string]: Shape;
}

/** More faults are not useful. */
export const MAX_FAULTS = 20;

export const test = (what: string, is: (value: unknown) => boolean): Test => ({ is, what });

export const isObject = (v: unknown): v is Record<string, unknown> =>
  typeof v === "object" && v !== null && !Array.isArray(v);

const isTest = (shape: Shape): shape is Test => typeof (shape as Test).is === "function";

/** Adds the faults of a value to `faults`; `where` is its path. */
export function checkShape(value: unknown, shape: Shape, where: string, faults: string[]): void {
  if (isTest(shape)) {
    if (!shape.is(value)) faults.push(`${where}: expected ${shape.what}, found ${show(value)}`);
  } else if ("array" in shape) {
    checkList(value, (shape as ListShape).array, where, faults);
  } else if ("kinds" in shape) {
    checkKind(value, shape as KindShape, where, faults);
  } else {
    checkMembers(value, shape, where, faults);
  }
}

function checkList(value: unknown, entry: Shape, where: string, faults: string[]): void {
  if (!Array.isArray(value)) {
    faults.push(`${where}: expected a list, found ${show(value)}`);
    return;
  }
  for (const [i, v] of value.entries()) {
    if (faults.length >= MAX_FAULTS) return;
    checkShape(v, entry, `${where}[${i}]`, faults);
  }
}

function checkKind(value: unknown, { kinds }: KindShape, where: string, faults: string[]): void {
  const names = Object.keys(kinds);
  const kind = test(`one of ${names.join(", ")}`, (v) => names.includes(v as string));
  const members = isObject(value) && kind.is(value["kind"]) ? kinds[String(value["kind"])] : undefined;
  if (isObject(value) && !members) checkShape(value["kind"], kind, `${where}.kind`, faults);
  else checkMembers(value, { kind, ...members }, where, faults);
}

function checkMembers(value: unknown, shape: Members, where: string, faults: string[]): void {
  if (!isObject(value)) {
    faults.push(`${where}: expected an object, found ${show(value)}`);
    return;
  }
  const known = new Map(
    Object.entries(shape).map(([name, inner]) => [name.replace("?", ""), { inner, isOptional: name.endsWith("?") }]),
  );
  const stray = Object.keys(value).find((name) => !known.has(name));
  if (stray !== undefined) faults.push(`${where}: unknown member ${show(stray)}`);
  for (const [name, { inner, isOptional }] of known) {
    // inherited properties are not members
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member !== undefined || !isOptional) checkShape(member, inner, `${where}.${name}`, faults);
  }
}
