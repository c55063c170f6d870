/** A distribution over the vocabulary. */
import type { Candidate } from "ggsl/chain/evaluate.js";

export interface Distribution {
  /** The remaining rows. */
  readonly tokens: Int32Array;
  /** The probability of each token; 0 for a dropped one. */
  readonly probs: Float32Array;
  /** For each token: 1 if its row remains. */
  readonly isKept: Uint8Array;
}

export function distributionOf(rows: readonly Candidate[], vocabSize: number): Distribution {
  const probs = new Float32Array(vocabSize);
  const isKept = new Uint8Array(vocabSize);
  for (const { token, prob } of rows) {
    probs[token] = prob;
    isKept[token] = 1;
  }
  return { tokens: Int32Array.from(rows, ({ token }) => token), probs, isKept };
}

/** In bits. */
export const entropyOf = (probs: Float32Array): number => probs.reduce((sum, p) => sum + surpriseOf(p) * p, 0);

/** In bits; 0 for a probability of 0, which has no weight. */
export const surpriseOf = (prob: number): number => (prob > 0 ? -Math.log2(prob) : 0);
