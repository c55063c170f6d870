/** Classes of characters that regular expressions have names for. */
import { spend } from "../budget.js";
import { inTexts, without } from "../regular/ranges.js";
import type { Ranges } from "../text/rules.js";

const DIGITS: Ranges = [[0x30, 0x39]];
export const WORD: Ranges = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const BLANKS: Ranges = [
  [9, 13],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** The classes that a letter after `\` names. */
export const CLASSES: Readonly<Record<string, Ranges>> = {
  d: DIGITS,
  D: without(DIGITS),
  w: WORD,
  W: without(WORD),
  s: BLANKS,
  S: without(BLANKS),
};

/** What `.` is without the flag `s`. */
export const NO_LINE_END: Ranges = without([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]);

/** Characters that are looked at together: as many as there are surrogates. */
const STEP = 0x800;
const properties = new Map<string, Ranges>();
/** All characters, `STEP` in each. */
let blocks: readonly string[] | undefined;

const blockFrom = (begin: number): string =>
  // oxlint-disable-next-line ggsl/no-long-spread -- 2048 characters
  String.fromCodePoint(...Array.from({ length: STEP }, (_, i) => begin + i));

/**
 * The characters of a property such as `Script=Greek`, as this JavaScript engine's version of Unicode has them; undefined if it has no
 * such property.
 */
export function propertyRanges(property: string): Ranges | undefined {
  const ranges = properties.get(property) ?? computed(property);
  // those that there are: a client can think of any number of others
  if (ranges) properties.set(property, ranges);
  return ranges;
}

function computed(property: string): Ranges | undefined {
  if (!/^[A-Za-z_]+(?:=[A-Za-z0-9_]+)?$/.test(property)) return undefined;
  let pattern: RegExp;
  try {
    pattern = new RegExp(`\\p{${property}}+`, "gu");
  } catch {
    return undefined;
  }
  const ranges: [number, number][] = [];
  blocks ??= Array.from({ length: 0x110000 / STEP }, (_, i) => blockFrom(i * STEP));
  for (let begin = 0; begin <= 0x10ffff; begin += STEP) {
    // surrogates are a block of their own, and have no property that a text could have
    if (begin === 0xd800) continue;
    spend();
    const width = begin < 0x10000 ? 1 : 2;
    for (const { 0: found, index } of blocks[begin / STEP]!.matchAll(pattern))
      ranges.push([begin + index / width, begin + (index + found.length) / width - 1]);
  }
  return inTexts(ranges);
}
