/** Drafted tokens where positions are had at once. */
import { hasBit } from "./bits.js";
import type { GrammarState } from "./types.js";

/** The positions after each of the tokens in turn, up to the first that may not come next, or that `stops`. */
export function followed(
  start: GrammarState,
  tokens: ArrayLike<number>,
  stops: (token: number) => boolean = () => false,
): readonly GrammarState[] {
  const states: GrammarState[] = [];
  for (const token of Array.from(tokens)) {
    const at = states.at(-1) ?? start;
    if (stops(token) || !hasBit(at.bits(), token)) break;
    states.push(at.accept(token));
  }
  return states;
}
