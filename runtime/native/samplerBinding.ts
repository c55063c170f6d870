/** llama.cpp's own CPU samplers and grammars, as the addon exports them. Part of binding.ts. */
import type { TailSampler, TailSamplers } from "@ggsl/compiler/llama/samplers.js";

/**
 * One sampler of llama.cpp by its name here, with its parameters (compiler/llama/samplers.ts); those left out have the values of
 * llama.cpp's command line. Numbers are f32 or whole numbers, as llama.cpp takes them; all are finite.
 */
export type NativeTailStage =
  { readonly [N in keyof TailSamplers]: StageOf<N, TailSamplers[N]> }[keyof TailSamplers] | LogitBias;

/** Pairs of a token and what is added to its logit, finite or -inf; default none. A program has its biases in an input. */
interface LogitBias {
  readonly name: "logit_bias";
  readonly biases?: readonly (readonly [token: number, value: number])[];
  readonly n_vocab?: number;
}

type StageOf<N, S extends TailSampler> = { readonly name: N } & ArgumentsOf<S["params"]> &
  (S extends { readonly isSized: true } ? { readonly n_vocab?: number } : unknown);

/** Parameters with a default may be left out. */
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
   * Breakers: texts, whose tokens are looked for in the whole vocabulary of the model while the chain is made, or tokens and
   * sequences of them.
   */
  readonly list: readonly (string | number | Int32Array | readonly number[])[];
}

/** A whole number below 2^32, or "random" (as 4294967295 is): drawn when the chain is made. */
export type Seed = number | "random";

/** Rows of the candidate table: `tokens` and `logits` have one length. */
export interface TailRows {
  readonly tokens: Int32Array;
  readonly logits: Float32Array;
}

export interface TailResult extends TailRows {
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
export interface NativeTail {
  /**
   * The rows that are left, in the order in which llama.cpp leaves them. Rows whose logit is -inf are dropped, on the way in
   * as well. Stages that draw random numbers draw the next ones.
   *
   * Throws NO_CANDIDATE when no row is there, or a stage leaves none, such as a grammar that accepts none of them;
   * INVALID_LOGITS for a NaN or +inf on the way in, or made by a stage; INVALID_ARGUMENT for tokens outside the vocabulary.
   */
  apply(rows: TailRows): TailResult;
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
  clone(): NativeTail;
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
