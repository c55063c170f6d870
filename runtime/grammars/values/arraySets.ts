/** Sets of arrays: intersections and differences. */
import { spend } from "../budget.js";
import { ANY, ANY_ARRAY, NEVER, NoForm, type ArraySet, type Lazy, type SchemaPlace, type Space } from "./values.js";

export const itemAt = ({ prefix, rest }: ArraySet, i: number): Lazy => prefix[i] ?? rest;

/** Undefined if it is empty, as far as counts show. */
export function arraySet(given: ArraySet): ArraySet | undefined {
  const { prefix, rest, min } = given;
  // no array goes on after an item that cannot be
  const last = prefix.findIndex((item) => item === NEVER);
  const length = last >= 0 ? last : rest === NEVER ? prefix.length : Infinity;
  const max = Math.min(given.max, length);
  if (min > max || given.contains.some((one) => one.min > one.max)) return undefined;
  return { ...given, prefix: prefix.length > max ? prefix.slice(0, max) : prefix, max };
}

export function intersectArrays(a: ArraySet, b: ArraySet, space: Space): ArraySet | undefined {
  if (a === ANY_ARRAY || a === b) return b;
  if (b === ANY_ARRAY) return a;
  const length = Math.max(a.prefix.length, b.prefix.length);
  spend(1 + length);
  return arraySet({
    prefix: Array.from({ length }, (_, i) => space.intersection(itemAt(a, i), itemAt(b, i))),
    rest: space.intersection(a.rest, b.rest),
    min: Math.max(a.min, b.min),
    max: Math.min(a.max, b.max),
    contains: a.contains.length === 0 ? b.contains : [...a.contains, ...b.contains],
    unique: a.unique ?? b.unique,
    evaluated: Math.max(a.evaluated, b.evaluated),
  });
}

/** What is in the first set and not in the second. */
export function subtractArray(a: ArraySet, b: ArraySet, space: Space, at: SchemaPlace): ArraySet[] {
  if (b === ANY_ARRAY || a === b) return [];
  const parts: (ArraySet | undefined)[] = [];
  if (b.min > 0) parts.push(arraySet({ ...a, max: Math.min(a.max, b.min - 1) }));
  if (b.max < Infinity) parts.push(arraySet({ ...a, min: Math.max(a.min, b.max + 1) }));
  // an item that is not as in the second set, at each of the places that have their own
  const places = Math.min(Math.max(a.prefix.length, b.prefix.length), a.max, b.max);
  for (let i = 0; i < places; i++) parts.push(otherAt(a, i, space.difference(itemAt(a, i), itemAt(b, i), at)));
  for (const part of othersAfter(a, b, places, space, at)) parts.push(part);
  for (const { value, min, max, at: from } of b.contains) {
    if (min > 1 || max < Infinity)
      throw new NoForm("the opposite of `contains` with counts other than at least 1 has no grammar");
    const other = (item: Lazy): Lazy => space.difference(item, value, from);
    parts.push(arraySet({ ...a, prefix: a.prefix.map(other), rest: other(a.rest) }));
  }
  if (b.unique && Math.min(a.max, b.max) > 1) throw new NoForm("the opposite of `uniqueItems` has no grammar");
  return parts.filter((part) => part !== undefined);
}

/** Arrays with another item at a place. */
function otherAt(a: ArraySet, i: number, item: Lazy): ArraySet | undefined {
  if (item === NEVER) return undefined;
  const prefix = Array.from({ length: Math.max(a.prefix.length, i + 1) }, (_, k) => (k === i ? item : itemAt(a, k)));
  return arraySet({ ...a, prefix, min: Math.max(a.min, i + 1) });
}

const MOST_PLACES = 16;

/** Arrays with another item after those that have their own place. */
function othersAfter(
  a: ArraySet,
  b: ArraySet,
  places: number,
  space: Space,
  at: SchemaPlace,
): (ArraySet | undefined)[] {
  const most = Math.min(a.max, b.max);
  if (b.rest === ANY || most <= places) return [];
  const other = space.difference(a.rest, b.rest, at);
  if (other === NEVER) return [];
  if (places === 0) return [arraySet({ ...a, contains: [...a.contains, { value: other, min: 1, max: Infinity, at }] })];
  if (most > MOST_PLACES) throw new NoForm("an item that is not as the others has no grammar after a list of items");
  return Array.from({ length: most - places }, (_, i) => otherAt(a, places + i, other));
}
