/** Prompt lookup: the text's own continuation of its last tokens is the draft. */
import type { Drafter } from "./drafter.js";
import type { GivenLookup } from "./options.js";
import { TextIndex } from "./textIndex.js";

export function openLookup({ min, max }: GivenLookup): Drafter {
  const index = new TextIndex(min, max);
  return {
    isFree: true,
    draft({ tokens: text }, wanted) {
      const { end, length } = index.longestMatch(text);
      return length === 0 ? undefined : { tokens: continued(text, end, Math.max(1, wanted(length))), kind: length };
    },
    rewind: () => index.clear(),
    dispose: () => undefined,
  };
}

/** The tokens from `end` on; where the text ends, the draft itself goes on, so that a text that repeats itself is drafted whole. */
function continued(text: Int32Array, end: number, count: number): readonly number[] {
  const tokens: number[] = [];
  for (let i = end; tokens.length < count; i++) tokens.push(i < text.length ? text[i]! : tokens[i - text.length]!);
  return tokens;
}
