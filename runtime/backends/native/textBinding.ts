/** Texts that a context writes on by itself (native/addon/text_object.h). Only the addon has them. */
import type { AutomatonPosition } from "./automatonBinding.js";

/** A chain in the vocabulary of a model, for any number of texts; it has no members. */
export type NativeChain = object;

export interface TextOptions {
  /** A position for each feature that follows a grammar, in their order. */
  readonly grammars: readonly AutomatonPosition[];
  /** The feature whose grammar decides alone what comes next, where it allows one token; default: none. */
  readonly only?: number;
  /** Biases by token, in their order. */
  readonly bias?: { readonly ids: Int32Array; readonly values: Float32Array };
}

/** A text. While a `write` goes on with it, nothing else uses it. */
export interface NativeText {
  /** Its tokens, without the prompt's. */
  readonly step: number;
  /** Whether it knows what its grammars allow, which took about a millisecond at most. If not, it cannot be used. */
  isReady(): boolean;
  /** The next token, where its grammar allows no other and nothing else is asked of the chain. */
  onlyToken(): number | undefined;
  /**
   * Goes on with a token; `scalars` are the next values of the states, the measures, the stops. `refused`: a grammar that was asked does not allow it.
   * `stops`: what its grammars allow then takes longer; nothing has changed. Throws LIMIT_EXCEEDED.
   */
  accept(token: number, scalars: Float32Array): "goes on" | "refused" | "stops";
}

/** Texts that `write` goes on with; an entry of each array per text. */
export interface Ahead {
  readonly sequences: Int32Array;
  /** How many tokens after the first. */
  readonly most: Int32Array;
  readonly texts: readonly NativeText[];
}

/** The tokens that a batch gave, text by text. */
export interface WrittenTokens {
  /**
   * Four numbers for each: the text's place in the lists, the token, flags, its scalars. Flags: 1, the chain was not asked; 2, a grammar refused it; 4, the
   * text ends with it or after it, and the token before it was not read.
   */
  readonly words: Int32Array;
  /** The next values of the states, the measures, the stops, one token after the other. */
  readonly scalars: Float32Array;
}
