/** Many texts as a tree by their characters, so that what they have in common is written once. */
import { spend } from "../budget.js";
import { all, any, text, type Item } from "../text/rules.js";

/** @param texts all different */
export function trieOf(texts: readonly string[]): Item {
  const lists = texts.map((one) => Array.from(one, (character) => character.codePointAt(0)!));
  lists.sort(compare);
  return branch(lists, 0, lists.length, 0);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** What follows the first `depth` characters, which the sorted lists from `from` to `to` have in common. */
function branch(lists: readonly (readonly number[])[], from: number, to: number, depth: number): Item {
  spend();
  const first = lists[from]!;
  if (to - from === 1) return text(first.slice(depth));
  const items: Item[] = [];
  let begin = from;
  if (first.length === depth) {
    items.push(text([]));
    begin++;
  }
  while (begin < to) {
    const one = lists[begin]!;
    let end = begin + 1;
    while (end < to && lists[end]![depth] === one[depth]) end++;
    // as far as the first and the last agree, all do
    const last = lists[end - 1]!;
    let length = depth + 1;
    while (length < one.length && one[length] === last[length]) length++;
    const rest = end - begin === 1 ? undefined : branch(lists, begin, end, length);
    items.push(rest ? all([text(one.slice(depth, length)), rest]) : text(one.slice(depth)));
    begin = end;
  }
  return any(items);
}
