/** What drafters give. */

export interface Draft {
  /** The tokens that may come next; empty if there is no guess. */
  readonly tokens: readonly number[];
  /** How good a guess it is, e.g. the length of a match: acceptance is counted for each kind. */
  readonly kind: number;
}

export interface Drafter {
  /** Whether a draft costs next to nothing, so that guesses can be compared with the text without decoding them. */
  readonly isFree: boolean;
  /**
   * A draft after a text, which may be shorter than the text of an earlier call.
   * @param most the most tokens that can be used
   */
  draft(text: Int32Array, most: number): Draft | Promise<Draft>;
  /** Frees what it holds; harmless when called twice. */
  dispose(): void;
}
