/** A regular expression as it is read: what each part means is in `item.ts`. */
import type { Ranges } from "../text/rules.js";
import { CHARACTERS } from "../regular/ranges.js";

export type Part =
  /** One character of the ranges, which are sorted and have no surrogates. */
  | { readonly kind: "class"; readonly ranges: Ranges }
  | { readonly kind: "all"; readonly parts: readonly Part[] }
  | { readonly kind: "any"; readonly parts: readonly Part[] }
  | { readonly kind: "repeat"; readonly part: Part; readonly min: number; readonly max: number }
  | Look;

/** Looks from its place ahead, or behind, and takes nothing. */
export interface Look {
  readonly kind: "look";
  readonly part: Part;
  readonly isBehind: boolean;
  readonly isNegated: boolean;
}

export const ANY_CHARACTER: Part = { kind: "class", ranges: CHARACTERS };
/** Any number of characters. */
export const ANYTHING: Part = { kind: "repeat", part: ANY_CHARACTER, min: 0, max: Infinity };
/** Where no character is before, or after. */
export const START: Look = { kind: "look", part: ANY_CHARACTER, isBehind: true, isNegated: true };
export const END: Look = { kind: "look", part: ANY_CHARACTER, isBehind: false, isNegated: true };

/** Where a character of a word is on one side, or not on one side. */
export function wordBoundary(word: Ranges, isNegated: boolean): Part {
  const look = (isBehind: boolean, isWord: boolean): Look => ({
    kind: "look",
    part: { kind: "class", ranges: word },
    isBehind,
    isNegated: !isWord,
  });
  return {
    kind: "any",
    parts: [true, false].map((isWord) => ({
      kind: "all",
      parts: [look(true, isWord), look(false, isNegated ? isWord : !isWord)],
    })),
  };
}
