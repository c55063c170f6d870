/** Arrays as items. */
import { spend } from "../budget.js";
import { all, any, type Item } from "../text/rules.js";
import { arraySet } from "./arraySets.js";
import { unenforced } from "./faults.js";
import { listedIn } from "./listed.js";
import type { ArraySet, Contains, Lazy } from "./values.js";
import { EMPTY, repeat, type Writing, type WrittenMember } from "./writing.js";

const MARKS = ["[", "]"] as const;

/** The most items that are told from others by `contains`. */
const MOST_CONTAINED = 64;

/** Items that together are the arrays of a set. */
export function arrayItems(set: ArraySet, writing: Writing): Item[] {
  const { sets } = writing;
  if (sets.isEmptyArray(set)) return [];
  if (set.unique && set.max > 1 && !areDifferent(set, writing)) return different(set, writing);
  // the first item that cannot be ends the array
  const last = set.prefix.findIndex((item) => sets.isEmpty(item));
  const hasRest = last < 0 && set.max > set.prefix.length && !sets.isEmpty(set.rest);
  const prefix = last < 0 ? set.prefix : set.prefix.slice(0, last);
  const known = { ...set, prefix, max: hasRest ? set.max : Math.min(set.max, prefix.length) };
  return resolved(known, known.contains, [], writing);
}

/** An item that must be there is one of those that have their own place, or of the others; two of these may be the same. */
function resolved(set: ArraySet, left: readonly Contains[], others: readonly Contains[], writing: Writing): Item[] {
  spend(16);
  const [first, ...rest] = left;
  if (!first) return withItems(set, others, writing);
  if (first.min !== 1 || first.max < Infinity) {
    const second = others[0] ?? rest[0];
    if (set.prefix.length > 0)
      throw unenforced(first.at, "counts have no grammar beside items that have their own places");
    if (second) throw unenforced(second.at, "counts of several things have no grammar");
    return withItems(set, [first], writing);
  }
  const { sets } = writing;
  const items: Item[] = [];
  const add = (some: readonly Item[]): void => {
    for (const item of some) items.push(item);
  };
  for (let i = 0; i < Math.min(set.prefix.length, set.max); i++) {
    const both = sets.intersection(set.prefix[i]!, first.value);
    if (sets.isEmpty(both)) continue;
    const prefix = set.prefix.map((item, k) => (k === i ? both : item));
    const needed = arraySet({ ...set, prefix, contains: [], min: Math.max(set.min, i + 1) });
    if (needed) add(resolved(needed, rest, others, writing));
  }
  if (set.max === set.prefix.length) return items;
  add(resolved(set, rest, [...others, first], writing));
  others.forEach((other, i) => {
    const both = { ...other, value: sets.intersection(other.value, first.value) };
    if (sets.isEmpty(both.value)) return;
    add(
      resolved(
        set,
        rest,
        others.map((one, k) => (k === i ? both : one)),
        writing,
      ),
    );
  });
  return items;
}

function withItems(set: ArraySet, contains: readonly Contains[], writing: Writing): Item[] {
  const { prefix, rest, min, max } = set;
  const { comma } = writing.blanks;
  if (contains.length > 0) {
    const after = containing(set, contains, writing);
    if (after === undefined) return [];
    if (prefix.length === 0)
      return after.canBeNone ? [none(writing), ...listed(after.item, writing)] : listed(after.item, writing);
    const first = prefix.flatMap((item, i) => [...(i > 0 ? [comma] : []), writing.item(item)]);
    return after.item ? listed(all([...first, comma, after.item]), writing) : [];
  }
  if (max === 0) return [none(writing)];
  const first = min > 0 ? [] : [none(writing)];
  if (prefix.length === 0) {
    const item = writing.item(rest);
    return [...first, ...listed(all([item, repeat(all([comma, item]), Math.max(min, 1) - 1, max - 1)]), writing)];
  }
  const length = Math.min(prefix.length, max);
  let inside =
    max > prefix.length ? repeat(all([comma, writing.item(rest)]), Math.max(min - length, 0), max - length) : EMPTY;
  for (let n = length - 1; n >= 0; n--) {
    const more = all([n > 0 ? comma : EMPTY, writing.item(prefix[n]!), inside]);
    inside = n < min || n === 0 ? more : repeat(more, 0, 1);
  }
  return [...first, ...listed(inside, writing)];
}

const none = (writing: Writing): Item => writing.list(EMPTY, true, MARKS);
const listed = (inside: Item | undefined, writing: Writing): Item[] =>
  inside ? [writing.list(inside, false, MARKS)] : [];

/** Whether items at two places are always different: no value is in two of them. */
function areDifferent({ prefix, rest, max }: ArraySet, { sets }: Writing): boolean {
  const hasRest = max > prefix.length && !sets.isEmpty(rest);
  if (hasRest && max > prefix.length + 1) return false;
  const places = hasRest ? [...prefix, rest] : prefix;
  return places.every((a, i) => places.slice(i + 1).every((b) => sets.isEmpty(sets.intersection(a, b))));
}

/** Arrays whose items are of a list, each at most once. */
function different({ prefix, rest, contains, min, max, unique }: ArraySet, writing: Writing): Item[] {
  const values = prefix.length === 0 && contains.length === 0 ? listedIn(writing.sets.valuesOf(rest)) : undefined;
  if (!values) throw unenforced(unique!, "the items are not of a list of values, of which each could come once");
  const members = values.map((value) => ({ item: any(value), isRequired: false }));
  const { item, canBeNone } = counted(members, undefined, min, max, writing);
  return [...(canBeNone ? [none(writing)] : []), ...listed(item, writing)];
}

interface Counted {
  /** At least one item; undefined if there can be none. */
  readonly item: Item | undefined;
  readonly canBeNone: boolean;
}

/** Items after the prefix, of which some must be there; undefined if they cannot. */
function containing(set: ArraySet, contains: readonly Contains[], writing: Writing): Counted | undefined {
  const { sets } = writing;
  const { prefix, rest } = set;
  const members: WrittenMember[] = [];
  let others = rest;
  for (const { value, min, max, at } of contains) {
    const matching = sets.intersection(rest, value);
    if (max < Infinity) others = sets.difference(rest, value, at);
    const count = max === Infinity ? min : max;
    if (count > MOST_CONTAINED)
      throw unenforced(at, `a count of more than ${MOST_CONTAINED} has no grammar of a useful size`);
    if (count === 0) continue;
    if (!sets.isEmpty(matching))
      for (let i = 0; i < count; i++) members.push({ item: writing.item(matching), isRequired: i < min });
    else if (min > 0) return undefined;
  }
  return counted(members, others, Math.max(set.min - prefix.length, 0), set.max - prefix.length, writing);
}

function counted(
  members: readonly WrittenMember[],
  others: Lazy | undefined,
  min: number,
  max: number,
  writing: Writing,
): Counted {
  const hasOthers = others !== undefined && !writing.sets.isEmpty(others);
  const canBeNone = min === 0 && !members.some(({ isRequired }) => isRequired);
  const most = hasOthers ? max : Math.min(max, members.length);
  const least = Math.max(min, 1, members.filter(({ isRequired }) => isRequired).length);
  if (most < least) return { item: undefined, canBeNone };
  const item: Item = {
    kind: "members",
    members,
    separator: writing.blanks.comma,
    order: "any",
    ...(hasOthers && { others: writing.item(others) }),
    min: Math.max(min, 1),
    max,
  };
  return { item, canBeNone };
}
