/** Texts that a context writes on by itself (native/addon/text_object.h). Only the addon has them. */
import type { AutomatonPosition } from "./automatonBinding.js";

/** A chain in the vocabulary of a model, for any number of texts; it has no members. */
export type NativeChain = object;

export interface TextOptions {
  /** A position for each feature that follows a grammar, in their order. */
  readonly grammars: readonly AutomatonPosition[];
  /** The feature whose grammar decides alone what comes next, where it allows one token; default: none. */
  readonly only?: number;
  /** Tokens of texts that the chain writes come without the model where no row decides its states; default: the model is asked for each. */
  readonly writesUnasked?: boolean;
  /** Texts that end it; default: none. */
  readonly stop?: readonly string[];
  /** What its text goes on after: bytes that are no whole character; default: none. */
  readonly rest?: Uint8Array;
  /** Its last tokens whose texts are not known yet: they may be part of a stop text; default: none. */
  readonly held?: Int32Array;
  /** Biases by token, in their order. */
  readonly bias?: { readonly ids: Int32Array; readonly values: Float32Array };
}

/** A text. While a `write` goes on with it, nothing else uses it. */
export interface NativeText {
  /** Its tokens, without the prompt's. */
  readonly step: number;
  /** Whether it knows what its grammars allow, which took about a millisecond at most. If not, it cannot be used. */
  isReady(): boolean;
  /** The next token, where it comes whatever the model's logits are, and the model need not be asked. */
  forced(): { readonly token: number; readonly isWritten: boolean; readonly scalars: Float32Array } | undefined;
  /** The token that comes next in place of the pick, of a text that the chain writes. */
  written(): number | undefined;
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
  /** How many of them with those that `allow` adds; default: none are added. */
  readonly room?: Int32Array;
  readonly texts: readonly NativeText[];
  /** The last token of each, where it is no part of the batch, and its position; -1: it is part of it. Default: all are. */
  readonly last?: Int32Array;
  readonly positions?: Int32Array;
  /** Milliseconds that a token may wait for others, so that they are told together; the first batch is told at once. Default: all are. */
  readonly delay?: number;
}

/**
 * The tokens that batches gave, batch by batch, and text by text. `text` has the texts of tokens that are known now and were not before, one after the other:
 * whole characters, without what belongs to a stop text.
 *
 * Numbers: how many batches the model has read, and the microseconds that each took. Then for each token: the text's place in the lists, the token, flags, the place of the stop text that ends the text or -1, how many
 * scalars, how many texts. Then the scalars, as the bits of floats: the next values of the states and windows, the measures, the stops. Then for each text
 * its length, and the bytes after it that are no whole character: their number in the lowest byte, and they themselves in the next.
 */
export type OnTokens = (words: Int32Array, text: string) => void;

/** The flags of a token. */
export const WRITTEN = {
  /** The chain was not asked. */
  forced: 1,
  /** A grammar refused it. */
  refused: 2,
  /** The text ends with it or after it, and the token before it was not read. */
  over: 4,
  /** It ends a text, and is no part of it. */
  end: 8,
  /** The text has accepted it, and says what is known with it. */
  said: 16,
  /** It came in place of the pick. */
  written: 32,
} as const;
