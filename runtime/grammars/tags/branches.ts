/** Alternatives that begin with texts, where what some of them begin with is there once: fewer ways are open at a time. */
import { spend } from "../budget.js";
import { NOTHING, sequence } from "../regular/items.js";
import { any, textOf, type Item } from "../text/rules.js";

export type Branch = readonly [begin: string, after: Item];

/** More levels are not looked for, so that items are not nested deeply. */
const MOST_LEVELS = 16;

export function branches(given: readonly Branch[], level = 0): Item {
  const groups = new Map<string, Branch[]>();
  for (const [i, branch] of given.entries()) {
    spend();
    const [begin] = branch;
    const first = level === MOST_LEVELS || begin === "" ? `${i}` : `-${String.fromCodePoint(begin.codePointAt(0)!)}`;
    const group = groups.get(first);
    if (group) group.push(branch);
    else groups.set(first, [branch]);
  }
  return choice([...groups.values()].map((group) => branchesOf(group, level)));
}

function branchesOf(group: readonly Branch[], level: number): Item {
  const [[begin, after], ...others] = group as [Branch, ...Branch[]];
  if (others.length === 0) return sequence(textOf(begin), after);
  const length = others.reduce((least, [other]) => Math.min(least, commonLength(begin, other)), begin.length);
  const rest = group.map(([text, item]): Branch => [text.slice(length), item]);
  return sequence(textOf(begin.slice(0, length)), branches(rest, level + 1));
}

/** How much of two texts is the same, without half a character. */
function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++;
  spend(length / 8);
  return /[\ud800-\udbff]$/.test(a.slice(0, length)) ? length - 1 : length;
}

/** Alternatives, without those that match nothing and those that are the same. */
export function choice(items: readonly Item[]): Item {
  const kept = [...new Set(items)].filter((item) => item.kind !== "any" || item.items.length > 0);
  return kept.length === 0 ? NOTHING : any(kept);
}
