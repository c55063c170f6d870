/** Objects as items: their members in the order that is asked for. */
import { spend } from "../budget.js";
import { all, any, type Item } from "../text/rules.js";
import { unenforced } from "./faults.js";
import { objectSet } from "./objectSets.js";
import { intersectStrings, without } from "./stringSets.js";
import type { ObjectSet, StringSet } from "./values.js";
import { EMPTY, repeat, type Writing, type WrittenMember } from "./writing.js";

const MARKS = ["{", "}"] as const;

/** Items that together are the objects of a set. */
export const objectItems = (set: ObjectSet, writing: Writing): Item[] =>
  resolved(written(set, writing.others), [], writing);

/** With `none`, without members that nothing describes, where some are declared and there can be as few. */
export function written(set: ObjectSet, others: Writing["others"]): ObjectSet {
  if (others === "any") return set;
  const isNamed = [...set.named.values()].some(({ isDeclared }) => isDeclared);
  return (set.isOpen && isNamed && !set.some && objectSet({ ...set, classes: [] })) || set;
}

/**
 * A member whose name is in a set is one of those that are named, or another one, which is `extra`; two sets may ask for the same one.
 */
function resolved(set: ObjectSet, extra: readonly StringSet[], writing: Writing): Item[] {
  const { sets } = writing;
  spend(16);
  if (sets.isEmptyObject(set)) return [];
  const [first, ...others] = set.some ?? [];
  if (!first) return [...withMembers(set, extra, writing)];
  const rest = { ...set, some: others };
  const items: Item[] = [];
  for (const [name, member] of set.named) {
    if (!sets.has(first, name)) continue;
    const needed = objectSet({ ...rest, named: new Map(set.named).set(name, { ...member, isRequired: true }) });
    for (const item of needed ? resolved(needed, extra, writing) : []) items.push(item);
  }
  const both = extra.flatMap((one, i) => {
    const common = intersectStrings(one, first);
    return common ? [extra.map((other, k) => (k === i ? common : other))] : [];
  });
  for (const some of [[...extra, first], ...both]) for (const item of resolved(rest, some, writing)) items.push(item);
  return items;
}

function withMembers(set: ObjectSet, extra: readonly StringSet[], writing: Writing): Item[] {
  const { sets, blanks } = writing;
  const declared: WrittenMember[] = [];
  const free: WrittenMember[] = [];
  for (const [name, { value, isRequired, isDeclared }] of set.named)
    if (!sets.isEmpty(value))
      (isDeclared ? declared : free).push({
        item: all([writing.key(name), blanks.colon, writing.item(value)]),
        isRequired,
      });
  const required = [...declared, ...free].filter(({ isRequired }) => isRequired).length;
  const named = new Set(set.named.keys());
  const othersIn = (some: StringSet | undefined): Item[] =>
    set.classes.flatMap(({ names, value }) => {
      const both = some ? intersectStrings(names, some) : names;
      if (!both || sets.isEmpty(value)) return [];
      const rest = without(both, named);
      return sets.isEmptyString(rest) ? [] : [all([writing.key(rest), blanks.colon, writing.item(value)])];
    });
  for (const some of extra) {
    const items = othersIn(some);
    if (items.length === 0) return [];
    free.push({ item: any(items), isRequired: true });
  }
  const others = othersIn(undefined);
  // a name among the others can come twice, and counts once
  if (others.length > 0 && set.min > required + 1)
    throw unenforced(
      set.minAt ?? { path: "", keyword: "minProperties" },
      `names that are not in \`required\` can come twice, so that at most ${required + 1} can be asked for here`,
    );
  const max = others.length > 0 ? set.max : Math.min(set.max, declared.length + free.length);
  const isNeeded = required > 0 || extra.length > 0;
  const none = set.min === 0 && !isNeeded ? [writing.list(EMPTY, true, MARKS)] : [];
  if (max === 0) return none;
  const members = { declared, free, ...(others.length > 0 && { others: any(others) }) };
  const inside = membersItem(members, Math.max(set.min, 1), max, writing);
  return [...none, writing.list(inside, false, MARKS)];
}

interface Members {
  readonly declared: readonly WrittenMember[];
  /** Those whose order is not known. */
  readonly free: readonly WrittenMember[];
  readonly others?: Item;
}

/** At least one member: those that are declared in their order, and after them the others. */
function membersItem({ declared, free, ...others }: Members, min: number, max: number, writing: Writing): Item {
  const { order } = writing;
  const separator = writing.blanks.comma;
  const part = { kind: "members" as const, separator };
  if (free.length === 0) return { ...part, members: declared, order, ...others, min, max };
  const isCounted = min > 1 || max < declared.length + free.length || (others.others && max < Infinity);
  if (declared.length === 0 || order === "any" || isCounted)
    return { ...part, members: [...declared, ...free], order: "any", ...others, min, max };
  const first: Item = { ...part, members: declared, order, min: 1, max: Infinity };
  const last = writing.rule({ ...part, members: free, order: "any", ...others, min: 1, max: Infinity });
  const after = all([separator, last]);
  const isNeeded = free.some(({ isRequired }) => isRequired);
  const both = all([first, isNeeded ? after : repeat(after, 0, 1)]);
  return declared.some(({ isRequired }) => isRequired) ? both : any([both, last]);
}
