/** The rows that a chain leaves, and softmax in f64 to compare probabilities with. */
import type { ChainResults } from "../../runtime/backends/native/binding.js";
import type { Outputs } from "../../runtime/backends/reference/interpret.js";
import type { LlamaResult } from "../native/oracle.js";

/** Rows left, in their order. */
export interface Rows {
  readonly tokens: readonly number[];
  readonly logits: readonly number[];
  readonly probs: readonly number[];
  /** Rows of minus infinity that llama.cpp still has in its table. */
  readonly masked: number;
}

export interface PickedRows {
  readonly rows: Rows;
  /** The picked token, or -1. */
  readonly selected: number;
}

/** llama.cpp does not normalise, so the probabilities are computed from its logits; -inf is a dropped row. */
export function rowsOfLlama({ tokens, logits }: LlamaResult): Rows {
  const left = [...tokens.keys()].filter((i) => logits[i] !== -Infinity);
  const kept = left.map((i) => logits[i]!);
  return {
    tokens: left.map((i) => tokens[i]!),
    logits: kept,
    probs: softmax(kept),
    masked: logits.length - kept.length,
  };
}

/** Without candidates, a row's index is its token. */
export function rowsOfGraph({ candidates, logits, probs }: Outputs | ChainResults): Rows {
  const left = [...logits!.keys()].filter((i) => logits![i] !== -Infinity);
  return {
    tokens: left.map((i) => candidates?.[i] ?? i),
    logits: left.map((i) => logits![i]!),
    probs: left.map((i) => probs![i]!),
    masked: 0,
  };
}

export function softmax(logits: readonly number[]): number[] {
  const max = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const powers = logits.map((x) => Math.exp(x - max));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((x) => x / total);
}

export function runningSums(terms: readonly number[]): number[] {
  let total = 0;
  return terms.map((x) => (total += x));
}

export const descending = (x: readonly number[]): number[] => [...x].sort((a, b) => b - a);
