/** llama.cpp's own sampler for grammars, beside which the engine's masks and verdicts are judged. */
import { InputError } from "../../runtime/core/errors.js";
import { hasBit } from "../../runtime/grammars/bits.js";
import type { GrammarState } from "../../runtime/grammars/types.js";
import { loadOracle, type LlamaGrammar } from "../native/oracle.js";
import type { Words } from "./walk.js";

/** The beginning of a text. */
export const llamaState = ({ path }: Words, gbnf: string): GrammarState =>
  stateOf(new (loadOracle().LlamaGrammar)(path, gbnf));

function stateOf(grammar: LlamaGrammar): GrammarState {
  let known: Uint32Array | undefined;
  const state: GrammarState = {
    ready: () => undefined,
    bits: () => (known ??= grammar.bits()),
    accept: (token) => {
      const next = grammar.after(token);
      if (!next) throw new InputError(`llama.cpp does not accept token ${token} here`, { code: "INVALID_ARGUMENT" });
      return stateOf(next);
    },
    follow: (tokens) => Promise.resolve(followed(state, tokens)),
    release: () => undefined,
  };
  return state;
}

/** The positions after each of the tokens in turn, up to the first that may not come next. */
function followed(start: GrammarState, tokens: ArrayLike<number>): readonly GrammarState[] {
  const states: GrammarState[] = [];
  for (const token of Array.from(tokens)) {
    const at = states.at(-1) ?? start;
    if (!hasBit(at.bits(), token)) break;
    states.push(at.accept(token));
  }
  return states;
}

/**
 * Tokens that the engine judges otherwise, by what docs/grammars.md says: control tokens, bytes that are in no text, and what ends inside of
 * a character.
 */
export const isOther = (words: Words, token: number): boolean =>
  isNever(words, token) || isPartial(words.texts[token]!);

/** Control tokens, and bytes that are in no text: the engine never allows them. */
const isNever = ({ vocabulary, texts }: Words, token: number): boolean =>
  vocabulary.classes!.control.includes(token) || /^\0|[\xc0\xc1\xf5-\xff]/.test(texts[token]!);

/** A token that ends inside of a character, which llama.cpp judges by the range of what may follow. */
const isPartial = (text: string): boolean => new TextDecoder().decode(Buffer.from(text, "latin1")).includes("\ufffd");
