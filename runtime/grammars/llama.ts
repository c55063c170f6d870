/** Positions of llama.cpp's own engine: bounded by steps, in this thread. */
import { translated } from "../core/errors.js";
import type { NativeGrammar } from "../backends/native/samplerBinding.js";
import { bitsOf, hasBit } from "./bits.js";
import type { GrammarState } from "./types.js";

/** Accepting works on a copy, so that the earlier position stays valid. */
export function llamaState(grammar: NativeGrammar): GrammarState {
  let known: Uint32Array | undefined;
  const bits = (): Uint32Array => (known ??= bitsOf(translated(() => grammar.allowed())));
  const accept = (token: number): GrammarState =>
    translated(() => {
      const next = grammar.clone();
      next.accept(token);
      return llamaState(next);
    });
  const state: GrammarState = {
    ready: () => undefined,
    bits,
    accept,
    follow(tokens) {
      const states: GrammarState[] = [];
      for (const token of Array.from(tokens)) {
        const at = states.at(-1) ?? state;
        if (!hasBit(at.bits(), token)) break;
        states.push(at.accept(token));
      }
      return Promise.resolve(states);
    },
    // copies are freed with their positions
    release: () => undefined,
  };
  return state;
}
