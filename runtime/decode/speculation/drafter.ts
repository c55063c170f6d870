/** What drafters give. */
import type { SequenceState, UniformValues } from "../../sequence/sequence.js";

/** The text that a draft follows. */
export interface TextSoFar {
  readonly tokens: Int32Array;
  /** The sequence of the text's own chain. */
  readonly sequence: SequenceState;
}

export interface Draft {
  /** The tokens that may come next. */
  readonly tokens: readonly number[];
  /** How good a guess it is, e.g. the length of a match: acceptance is counted for each kind. */
  readonly kind: number;
}

export interface Drafter {
  /** Whether a draft costs next to nothing, so that guesses can be compared with the text without decoding them. */
  readonly isFree: boolean;
  /**
   * A draft after a text, which has grown since the last call; undefined without a guess.
   * @param wanted how many tokens are wanted of a kind. If none are, a free drafter gives one, to compare.
   */
  draft(text: TextSoFar, wanted: (kind: number) => number): Draft | undefined | Promise<Draft | undefined>;
  /** The text's chain is given other values from the next token on, after these tokens. Throws `InputError`. */
  setUniforms?(values: UniformValues, text: Int32Array): void;
  /** The text has only `length` tokens left. */
  rewind(length: number): void;
  /** Frees what it holds; harmless when called twice. */
  dispose(): void;
}
