/** llama.cpp's own CPU samplers, from the test-only addon build/Release/ggsl_oracle.node. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { NativeTailStage } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";

/** One of llama.cpp's samplers. No model is there, so what needs a vocabulary is for `generateReference` only. */
export type LlamaSampler = NativeTailStage;

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

/** A position in a grammar, which never changes. */
export interface LlamaGrammar {
  /** One bit for each token that may come next, ceil(V/32) words. */
  bits(): Uint32Array;
  /** The position after a token; undefined for one that may not come next. */
  after(token: number): LlamaGrammar | undefined;
}

/** A text that llama.cpp generates. */
export interface OracleText {
  /** The path of a GGUF file. */
  readonly model: string;
  readonly prompt: Int32Array;
  readonly samplers: readonly LlamaSampler[];
  /** All is computed in f32, as long as the model's weights are: test/model/demo.ts. */
  readonly isExact?: boolean;
}

interface Oracle {
  readonly LlamaChain: new (samplers: readonly LlamaSampler[]) => LlamaChain;
  /** The beginning of a grammar's text, over the vocabulary of a model file. */
  readonly LlamaGrammar: new (model: string, gbnf: string) => LlamaGrammar;
  generateReference(text: OracleText, count: number): Int32Array;
  /** What the chain may pick after the first tokens when the logits are off by up to `off`: test/model/ties.ts. */
  picksNear(text: OracleText, follow: Int32Array, off: number): Int32Array;
  /** The tokens of each text by llama.cpp alone, on a stack that holds any text of a test. */
  tokenizeReference(
    model: string,
    texts: readonly string[],
    addSpecial: boolean,
    parseSpecial: boolean,
  ): readonly Int32Array[];
  /** Rewrites the model with more metadata (whole numbers are i32, others f32); `isF32`: with all weights as f32. */
  rewriteModel(from: string, to: string, metadata: Readonly<Record<string, string | number>>, isF32: boolean): void;
}

/** Loads the oracle; the binding first, so that there are devices. */
export function loadOracle(): Oracle {
  loadBinding();
  const path = fileURLToPath(new URL("../../build/Release/ggsl_oracle.node", import.meta.url));
  return createRequire(import.meta.url)(path) as Oracle;
}
