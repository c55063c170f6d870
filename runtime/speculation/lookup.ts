/** Prompt lookup: the text's own continuation of its last tokens is the draft. */
import type { Draft, Drafter } from "./drafter.js";
import type { LookupOptions } from "./options.js";

export function openLookup({ min, max }: Required<LookupOptions>): Drafter {
  return {
    isFree: true,
    draft(text, most) {
      const { end, length } = longestMatch(text, min, max);
      return { tokens: length === 0 ? [] : continued(text, end, most), kind: length };
    },
    dispose: () => undefined,
  };
}

/** Where the longest earlier occurrence of the text's last tokens ends: at least `min` tokens, and at most `max` are compared. */
export function longestMatch(text: Int32Array, min: number, max: number): { end: number; length: number } {
  const { length } = text;
  let best = { end: 0, length: 0 };
  for (let end = length - 1; end >= min; end--) {
    let same = 0;
    while (same < max && same < end && text[end - 1 - same] === text[length - 1 - same]) same++;
    if (same >= min && same > best.length) best = { end, length: same };
    if (same === max) break;
  }
  return best;
}

/** The tokens from `end` on; where the text ends, the draft itself goes on, so that a text that repeats itself is drafted whole. */
function continued(text: Int32Array, end: number, most: number): Draft["tokens"] {
  const tokens: number[] = [];
  for (let i = end; tokens.length < most; i++) tokens.push(i < text.length ? text[i]! : tokens[i - text.length]!);
  return tokens;
}
