/** llama.cpp's own CPU samplers and grammars, as the addon exports them. Part of binding.ts. */

/**
 * One sampler of llama.cpp by its name here, with its parameters; those left out have the values of llama.cpp's command line,
 * which are written behind them. Numbers are f32 or whole numbers, as llama.cpp takes them; all are finite.
 *
 * A `seed` is a whole number below 2^32 or "random" (as 4294967295 is), drawn when the chain is made.
 */
export type HostChainStage =
  | { readonly name: "greedy" }
  | { readonly name: "dist"; readonly seed?: Seed }
  /** `k` 40; 0 or less: off. */
  | { readonly name: "top_k"; readonly k?: number }
  /** `p` 0.95 (top_p), 0.05 (min_p), 1 (typical); `min_keep` 0. */
  | { readonly name: "top_p" | "min_p" | "typical"; readonly p?: number; readonly min_keep?: number }
  /** `t` 0.8; 0 or less: only the best row stays. */
  | { readonly name: "temp"; readonly t?: number }
  /** `t` 0.8, `delta` 0 (off), `exponent` 1. */
  | { readonly name: "temp_ext"; readonly t?: number; readonly delta?: number; readonly exponent?: number }
  /** `p` 0 (off), `t` 0.1, `min_keep` 0. */
  | { readonly name: "xtc"; readonly p?: number; readonly t?: number; readonly min_keep?: number; readonly seed?: Seed }
  /** `n` -1 (off). */
  | { readonly name: "top_n_sigma"; readonly n?: number }
  /** `tau` 5, `eta` 0.1, `m` 100 (at least 1), `n_vocab` the model's: without a model it must be given. */
  | {
      readonly name: "mirostat";
      readonly tau?: number;
      readonly eta?: number;
      readonly m?: number;
      readonly n_vocab?: number;
      readonly seed?: Seed;
    }
  /** `tau` 5, `eta` 0.1. */
  | { readonly name: "mirostat_v2"; readonly tau?: number; readonly eta?: number; readonly seed?: Seed }
  /** `target` -1 (below 0: off, a row is drawn all the same), `decay` 0.9. */
  | { readonly name: "adaptive_p"; readonly target?: number; readonly decay?: number; readonly seed?: Seed }
  /** `last_n` 64 tokens (0 or less: off), `repeat` 1 (above 0), `freq` 0, `present` 0. The CPU does not look at `n_vocab`. */
  | {
      readonly name: "penalties";
      readonly last_n?: number;
      readonly repeat?: number;
      readonly freq?: number;
      readonly present?: number;
      readonly n_vocab?: number;
    }
  /**
   * `multiplier` 0 (off), `base` 1.75, `allowed_length` 2, `last_n` 64 tokens (0 or less: off). `breakers` are texts, whose
   * tokens are looked for in the whole vocabulary of the model while the chain is made, or tokens or sequences of them; default:
   * the texts `\n`, `:`, `"` and `*`.
   */
  | {
      readonly name: "dry";
      readonly multiplier?: number;
      readonly base?: number;
      readonly allowed_length?: number;
      readonly last_n?: number;
      readonly breakers?: readonly string[] | readonly (number | Int32Array | readonly number[])[];
    }
  /** Pairs of a token and what is added to its logit, finite or -inf; default none. */
  | {
      readonly name: "logit_bias";
      readonly biases?: readonly (readonly [token: number, value: number])[];
      readonly n_vocab?: number;
    }
  /** Needs a model. A GBNF grammar; `root` "root". */
  | { readonly name: "grammar"; readonly text: string; readonly root?: string }
  /** Needs a model, one with a token that ends a text. */
  | { readonly name: "infill" };

export type Seed = number | "random";

/** Rows of the candidate table: `tokens` and `logits` have one length. */
export interface HostRows {
  readonly tokens: Int32Array;
  readonly logits: Float32Array;
}

export interface HostResult extends HostRows {
  /** The softmax of `logits`, a number for each row. */
  readonly probs: Float32Array;
  /** The picked token; -1 when no stage picks. */
  readonly selected: number;
}

/**
 * The host tail of one sequence: CPU samplers of llama.cpp, run one after another, with their memory of the text. Making one
 * throws INVALID_ARGUMENT for an unknown stage, an unknown, missing, wrong or out-of-range parameter, a stage that needs a
 * model without one, a stage behind one that picks, or a grammar that does not parse (with llama.cpp's words and the line).
 */
export interface NativeHostChain {
  /**
   * The rows that are left, in the order in which llama.cpp leaves them. Rows whose logit is -inf are dropped, on the way in
   * as well. Stages that draw random numbers draw the next ones.
   *
   * Throws NO_CANDIDATE when no row is there, or a stage leaves none, such as a grammar that accepts none of them;
   * INVALID_LOGITS for a NaN or +inf on the way in, or made by a stage; INVALID_ARGUMENT for tokens outside the vocabulary.
   */
  apply(rows: HostRows): HostResult;
  /**
   * Tells all stages the next token of the text, usually the one that was selected.
   * Throws INVALID_ARGUMENT when a grammar does not accept it; the chain is then as it was.
   */
  accept(token: number): void;
  /** Tells of a text that is there already, for stages that look back, such as penalties. A grammar begins after it. */
  acceptPrompt(tokens: Int32Array): void;
  /** As new, random numbers included. */
  reset(): void;
  /** An independent copy in the same state, drawing the same random numbers. */
  clone(): NativeHostChain;
  /** Frees the native memory; harmless when called twice. */
  dispose(): void;
}

/**
 * A GBNF grammar, and where a text stands in it, by llama.cpp's grammar sampler. Making one throws INVALID_ARGUMENT when the
 * text does not parse, has no such root, or is of a kind that would never end or fill the memory.
 */
export interface NativeGrammar {
  /**
   * vocabSize numbers: 1 for a token that can come next, 0 for others. Where the grammar may end, the tokens that end a text
   * can come next. It looks at every token: 0.2 to 0.5 ms in a JSON grammar with a vocabulary of 2048, and in proportion to the
   * vocabulary; more in a grammar with many ways to go on.
   */
  allowed(): Float32Array;
  /** Throws INVALID_ARGUMENT for a token that can not come next; the grammar is then as it was. */
  accept(token: number): void;
  /** Back to the beginning of the text. */
  reset(): void;
  /** An independent copy in the same state. */
  clone(): NativeGrammar;
  /** Frees the native memory; harmless when called twice. */
  dispose(): void;
}

/** Token i of the vocabulary has the bytes from `offsets[i]` to `offsets[i + 1]`; not always whole UTF-8 characters. */
export interface Pieces {
  readonly bytes: Uint8Array;
  /** vocabSize + 1 numbers. */
  readonly offsets: Int32Array;
}
