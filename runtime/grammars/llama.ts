/** Positions of llama.cpp's own engine: bounded by steps, in this thread. */
import { translated } from "../core/errors.js";
import type { NativeGrammar } from "../backends/native/samplerBinding.js";
import { bitsOf } from "./bits.js";
import { followed } from "./followed.js";
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
    follow: (tokens) => Promise.resolve(followed(state, tokens)),
    // copies are freed with their positions
    release: () => undefined,
  };
  return state;
}
