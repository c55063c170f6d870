/** Smaller cases, from a case itself: the random choices behind it are fewer than its parts. */
import * as fc from "fast-check";
import { tokensOf } from "../../syntax/corpus.js";

/** Shorter lists: half of the list, a quarter, ..., all but one element. */
export function* shorter<T>(list: readonly T[]): Iterable<readonly T[]> {
  if (list.length === 0) return;
  yield [];
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < list.length; at += size) {
      if (size < list.length) yield [...list.slice(0, at), ...list.slice(at + size)];
    }
  }
}

/** Smaller whole numbers. */
export function* lower(n: number, least = 0): Iterable<number> {
  for (const { value } of fc.integer({ min: least, max: Math.max(least, n) }).shrink(n, undefined)) yield value;
}

/** Texts without some of the declarations, of the lines, of the tokens, of the characters. */
export function* shorterTexts(text: string): Iterable<string> {
  for (const parts of [
    text.split(/^(?=\S)/m),
    text.split(/(?<=\n)/),
    tokensOf(text).map((t) => `${t} `),
    Array.from(text),
  ]) {
    // a long list takes too many trials; its larger parts come first
    if (parts.length <= MOST_PARTS) for (const some of shorter(parts)) yield some.join("");
  }
}

const MOST_PARTS = 2000;

/** Repeats the first smaller case that `fails` until there is none, or the time is over. */
export async function smallest<Case>(
  c: Case,
  smaller: (c: Case) => Iterable<Case>,
  fails: (c: Case) => Promise<boolean>,
  milliseconds: number,
): Promise<Case> {
  const end = performance.now() + milliseconds;
  let best = c;
  search: for (;;) {
    for (const next of smaller(best)) {
      if (performance.now() > end) return best;
      if (await fails(next)) {
        best = next;
        continue search;
      }
    }
    return best;
  }
}
