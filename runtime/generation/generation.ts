/** Generations as their readers see them. */
import type { Split } from "../devices/place.js";
import type { Alternative } from "../likeliest.js";
import type { ContextStats } from "../native/binding.js";
import type { SavedSequence } from "../savedSequence.js";
import type { UniformValues } from "../sequence.js";

/** A generated token and its text. */
export interface Piece {
  readonly token: number;
  /** Whole characters only: the text of a token that ends inside a character comes with a later token. */
  readonly text: string;
  /** The probability that the chain gave it; with `alternatives`. */
  readonly probability?: number;
  /** The likeliest tokens that the chain keeps, likeliest first, which may include the picked one; with `alternatives`. */
  readonly alternatives?: readonly Alternative[];
  /** The values of the states after this token, by name; with `states`. */
  readonly states?: Readonly<Record<string, number>>;
  /** The values of the chain's measures for this token, by name; absent if it has none. They are read back with the token. */
  readonly measures?: Readonly<Record<string, number>>;
}

/** A generation to continue later. */
export interface Saved<Sequence = SavedSequence> {
  /** The text so far, including the prompt. */
  readonly tokens: Int32Array;
  readonly sequence: Sequence;
  /** The same of each guide, by name; absent without guides. */
  readonly guides?: Readonly<Record<string, Int32Array>>;
}

/** Statistics of a generation; those of the context cover all its sequences. */
export interface GenerationStats extends ContextStats {
  readonly promptTokens: number;
  /** Those that were computed: what the prompt begins with may be there from an earlier text, or from one beside it. */
  readonly computedPromptTokens: number;
  readonly generatedTokens: number;
  /** With `speculate`: tokens that were decoded before they were picked. */
  readonly drafted?: number;
  /** With `speculate`: those of them that were picked then. */
  readonly accepted?: number;
  /** With `speculate`: batches of the sequence. */
  readonly decodes?: number;
  /** Tokens per second, without the prompt. */
  readonly tokensPerSecond: number;
  /** Why the chain does not run on the model's device as a whole; absent if it does. */
  readonly split?: Split;
  /** Why the text ended; absent until then. */
  readonly finish?: "end" | "maxTokens" | "context";
}

/**
 * An iterator over pieces of text whose uniforms can change while it runs. It can be iterated once. It starts with the first
 * requested piece, and ends early when the loop is left or the signal is aborted.
 */
export interface Generation extends AsyncIterable<Piece> {
  /** Sets uniforms from the next token on, without a new graph. Throws `InputError`. */
  setUniforms(values: UniformValues): void;
  /**
   * The text so far, including the prompt, and the state of the sequence, to continue later with `resume`; the texts of the guides
   * are the prompts of the guides then.
   */
  save(): Saved;
  /** Statistics so far. Throws `InputError` before the first piece. */
  stats(): GenerationStats;
}
