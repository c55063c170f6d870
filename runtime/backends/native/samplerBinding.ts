/** The types of llama.cpp's own CPU samplers in the addon. Part of binding.ts. */
import type { TailSampler, TailSamplers } from "@ggsl/compiler/llama/samplers.js";

/**
 * One sampler of llama.cpp by its GGSL name, with its parameters (compiler/llama/samplers.ts); omitted ones have the defaults of
 * llama.cpp's command line. Numbers are f32 or integers, as in llama.cpp; all are finite.
 */
export type NativeTailStage =
  { readonly [N in keyof TailSamplers]: StageOf<N, TailSamplers[N]> }[keyof TailSamplers] | LogitBias;

/** Pairs of a token and a bias of its logit, finite or -inf; default none. GGSL programs use an input for biases. */
interface LogitBias {
  readonly name: "logit_bias";
  readonly biases?: readonly (readonly [token: number, value: number])[];
  readonly n_vocab?: number;
}

type StageOf<N, S extends TailSampler> = { readonly name: N } & ArgumentsOf<S["params"]> &
  (S extends { readonly isSized: true } ? { readonly n_vocab?: number } : unknown);

/** Parameters with a default are optional. */
type ArgumentsOf<P extends TailSampler["params"]> = {
  readonly [K in keyof P as P[K] extends { readonly default: unknown } ? K : never]?: ArgumentTypes[P[K]["type"]];
} & {
  readonly [K in keyof P as P[K] extends { readonly default: unknown } ? never : K]: ArgumentTypes[P[K]["type"]];
};

interface ArgumentTypes {
  readonly f32: number;
  readonly i32: number;
  readonly seed: Seed;
  readonly text: string;
  /**
   * Breakers: texts, which are searched for in the model's whole vocabulary when the chain is created, or tokens and sequences
   * of tokens.
   */
  readonly list: readonly (string | number | Int32Array | readonly number[])[];
}

/** An integer below 2^32, or "random" (like 4294967295): drawn when the chain is created. */
export type Seed = number | "random";

/** Rows of the candidate table: `tokens` and `logits` have equal length. */
export interface TailRows {
  readonly tokens: Int32Array;
  readonly logits: Float32Array;
}

export interface TailResult extends TailRows {
  /** The softmax of `logits`, a number for each row. */
  readonly probs: Float32Array;
  /** The picked token; -1 if no stage picks. */
  readonly selected: number;
}

/**
 * The host tail of one sequence: CPU samplers of llama.cpp, run in sequence, with their state. The constructor throws
 * INVALID_ARGUMENT for an unknown stage, an unknown, missing, wrong or out-of-range parameter, a stage that needs a model
 * without one, a stage after one that picks, or a grammar that does not parse (with llama.cpp's message and the line).
 */
export interface NativeTail {
  /**
   * The remaining rows in llama.cpp's order. Rows with a logit of -inf are dropped, also before the first stage. Each call
   * advances the random number generators.
   *
   * Throws NO_CANDIDATE if there is no row, or a stage drops all of them, such as a grammar that accepts none;
   * INVALID_LOGITS for NaN or +inf in the input or computed by a stage; INVALID_ARGUMENT for tokens outside the vocabulary.
   */
  apply(rows: TailRows): TailResult;
  /**
   * Passes the next token of the text, usually the selected one, to all stages.
   * Throws INVALID_ARGUMENT if a grammar does not accept it; the chain is then unchanged.
   */
  accept(token: number): void;
  /** Passes existing text to stages that read the history, such as penalties. A grammar begins after it. */
  acceptPrompt(tokens: Int32Array): void;
  /** Resets all state, including random number generators. */
  reset(): void;
  /** An independent copy in the same state, drawing the same random numbers. */
  clone(): NativeTail;
  /** Frees the native memory; harmless when called twice. */
  dispose(): void;
}

/** The bytes of token i range from `offsets[i]` to `offsets[i + 1]`; not always whole UTF-8 characters. */
export interface Pieces {
  readonly bytes: Uint8Array;
  /** vocabSize + 1 numbers. */
  readonly offsets: Int32Array;
}
