/** Sets of characters as ranges that are sorted, do not touch, and have no surrogates, which are in no text. */
import { spend } from "../budget.js";
import { gaps, type Ranges } from "../text/rules.js";

/** All characters. */
export const CHARACTERS: Ranges = [
  [0, 0xd7ff],
  [0xe000, 0x10ffff],
];

export function contains(ranges: Ranges, character: number): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]![1] < character) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length && ranges[low]![0] <= character;
}

/** The characters that are in none of the ranges, which may come in any order. */
export const without = (ranges: Ranges): Ranges => gaps([...ranges, [0xd800, 0xdfff]], 0);

/** The same characters in the normal form. */
export const inTexts = (ranges: Ranges): Ranges => without(without(ranges));

/** The characters that are in both. */
export function common(some: Ranges, others: Ranges): Ranges {
  const result: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < some.length && j < others.length;) {
    spend();
    const from = Math.max(some[i]![0], others[j]![0]);
    const to = Math.min(some[i]![1], others[j]![1]);
    if (from <= to) result.push([from, to]);
    if (some[i]![1] < others[j]![1]) i++;
    else j++;
  }
  return result;
}

export const areDisjoint = (some: Ranges, others: Ranges): boolean => common(some, others).length === 0;
export const isSubset = (some: Ranges, of: Ranges): boolean => areDisjoint(some, without(of));
