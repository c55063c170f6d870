/** llama.cpp's own CPU samplers, from the test-only addon build/Release/ggsl_oracle.node. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { loadBinding } from "../../runtime/native/loader.js";

/** One of llama.cpp's samplers; names and fields are those of its `llama_sampler_init_*` functions. */
export type LlamaSampler =
  | { readonly name: "greedy" }
  | { readonly name: "dist"; readonly seed: number }
  | { readonly name: "top_k"; readonly k: number }
  | { readonly name: "top_p" | "min_p" | "typical"; readonly p: number; readonly min_keep: number }
  | { readonly name: "temp"; readonly t: number }
  | { readonly name: "temp_ext"; readonly t: number; readonly delta: number; readonly exponent: number }
  | { readonly name: "xtc"; readonly p: number; readonly t: number; readonly min_keep: number; readonly seed: number }
  | { readonly name: "top_n_sigma"; readonly n: number }
  | {
      readonly name: "mirostat";
      readonly n_vocab: number;
      readonly seed: number;
      readonly tau: number;
      readonly eta: number;
      readonly m: number;
    }
  | { readonly name: "mirostat_v2"; readonly seed: number; readonly tau: number; readonly eta: number }
  | { readonly name: "adaptive_p"; readonly target: number; readonly decay: number; readonly seed: number }
  | {
      readonly name: "penalties";
      readonly n_vocab: number;
      readonly last_n: number;
      readonly repeat: number;
      readonly freq: number;
      readonly present: number;
    }
  | {
      readonly name: "logit_bias";
      readonly n_vocab: number;
      readonly biases: readonly { readonly token: number; readonly bias: number }[];
    }
  | {
      readonly name: "dry";
      readonly multiplier: number;
      readonly base: number;
      readonly allowed_length: number;
      readonly last_n: number;
      /** Sequence breakers as tokens, e.g. `Int32Array.of(13)`. */
      readonly breakers: readonly Int32Array[];
    };

/** The candidate array in the order in which llama.cpp leaves it. */
export interface LlamaResult {
  readonly tokens: Int32Array;
  readonly logits: Float32Array;
  /** 0 where no sampler of the chain computed probabilities. */
  readonly probs: Float32Array;
  /** The picked token, or -1. */
  readonly selected: number;
}

export interface LlamaChain {
  /** `logits` of the tokens 0, 1, 2, ... */
  apply(logits: Float32Array): LlamaResult;
  accept(token: number): void;
  reset(): void;
}

interface Oracle {
  readonly LlamaChain: new (samplers: readonly LlamaSampler[]) => LlamaChain;
  generateReference(
    modelPath: string,
    prompt: Int32Array,
    samplers: readonly LlamaSampler[],
    count: number,
  ): Int32Array;
}

/** Loads the oracle; the binding first, so that there are devices. */
export function loadOracle(): Oracle {
  loadBinding();
  const path = fileURLToPath(new URL("../../build/Release/ggsl_oracle.node", import.meta.url));
  return createRequire(import.meta.url)(path) as Oracle;
}
