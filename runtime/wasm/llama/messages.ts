/**
 * What a page and the worker with a model say to each other. Each request has a number of its own, which the answers repeat.
 *
 * `load`, `generate` and `logits` are done one after the other, in the order in which they came, at most 16 of them at a time; a
 * cancelled generation ends with `done`. `texts`, `setUniforms` and `cancel` are done at once, which is between two tokens.
 */
import type { GenerationStats } from "../../generate.js";
import type { ModelInfo } from "../../native/binding.js";
import type { UniformValues } from "../../sequence.js";

export type Request =
  | {
      readonly type: "load";
      readonly id: number;
      /** A GGUF file; the model that was loaded before is gone then. */
      readonly bytes: Uint8Array;
      /** The module with llama.cpp in it, or its whole address. */
      readonly module: Uint8Array | string;
    }
  | ({ readonly type: "generate"; readonly id: number } & GenerateRequest)
  | ({ readonly type: "logits"; readonly id: number } & LogitsRequest)
  | { readonly type: "texts"; readonly id: number; readonly tokens: Int32Array }
  | { readonly type: "setUniforms"; readonly id: number; readonly generation: number; readonly values: UniformValues }
  | { readonly type: "cancel"; readonly id: number; readonly generation: number };

export interface GenerateRequest {
  readonly prompt: string | Int32Array;
  /** The chain as `writeSpec` writes it; it is verified. */
  readonly spec: string;
  readonly uniforms?: UniformValues;
  readonly maxTokens?: number;
  readonly contextSize?: number;
  /** How many of the likeliest tokens to tell with each token, at most 100; default 0. */
  readonly alternatives?: number;
  /** Tell with each token what the chain remembers. */
  readonly states?: boolean;
}

export interface LogitsRequest {
  readonly prompt: string | Int32Array;
  readonly contextSize?: number;
}

export type Reply =
  | { readonly type: "loaded"; readonly id: number; readonly info: ModelInfo }
  | ({ readonly type: "token"; readonly id: number } & Token)
  /** Of `generate`. */
  | ({ readonly type: "done"; readonly id: number } & GenerationEnd)
  /** A logit for each token of the vocabulary; transferred. */
  | { readonly type: "logits"; readonly id: number; readonly logits: Float32Array }
  /** In the order of the tokens asked for. */
  | { readonly type: "texts"; readonly id: number; readonly texts: readonly string[] }
  /** Of `setUniforms` and `cancel`. */
  | { readonly type: "accepted"; readonly id: number }
  | { readonly type: "error"; readonly id: number; readonly name: string; readonly message: string };

/** A token of a generation in a worker. */
export interface Token {
  readonly token: number;
  /** Whole characters only: a token that ends inside one gives its text together with a later one. */
  readonly text: string;
  /** In [0, 1], as the chain left it; absent without `alternatives`, as they are. */
  readonly probability?: number;
  /** The likeliest first; `text` is the token's alone. */
  readonly alternatives?: readonly { readonly token: number; readonly text: string; readonly probability: number }[];
  /** What the chain remembers after this token, by the names of its states; absent without `states`. */
  readonly states?: Readonly<Record<string, number>>;
}

/** How a generation in a worker ended. */
export interface GenerationEnd {
  readonly finish: NonNullable<GenerationStats["finish"]> | "cancelled";
  /** Absent when it was cancelled before its first token. */
  readonly stats?: GenerationStats;
}

/** A worker as its page has it, the page as its worker has it, and a port of a channel. Node.js's types have no other. */
export interface Port {
  postMessage(message: unknown, transfer?: readonly ArrayBufferLike[]): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
}
