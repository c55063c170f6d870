/** Stages of host tails, and rows for them. */
import type { NativeTailStage, TailRows } from "../../runtime/backends/native/binding.js";

/** A small generator of random numbers in [0, 1). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

export function randomLogits(size: number, random: () => number): Float32Array {
  return Float32Array.from({ length: size }, () => 12 * (random() + random() + random()) - 18);
}

export const allRows = (logits: Float32Array): TailRows => ({ tokens: Int32Array.from(logits.keys()), logits });

/** Every sampler that needs no model. */
export const EVERY: NativeTailStage[] = [
  { name: "greedy" },
  { name: "dist", seed: 42 },
  { name: "top_k", k: 17 },
  { name: "top_p", p: 0.7, min_keep: 2 },
  { name: "min_p", p: 0.1, min_keep: 1 },
  { name: "typical", p: 0.6, min_keep: 3 },
  { name: "temp", t: 0.6 },
  { name: "temp_ext", t: 0.9, delta: 0.5, exponent: 1.2 },
  { name: "xtc", p: 0.7, t: 0.05, min_keep: 1, seed: 5 },
  { name: "top_n_sigma", n: 1.5 },
  { name: "mirostat", tau: 3, eta: 0.2, m: 50, n_vocab: 300, seed: 6 },
  { name: "mirostat_v2", tau: 3, eta: 0.2, seed: 7 },
  { name: "penalties", last_n: 20, repeat: 1.3, freq: 0.2, present: 0.1 },
  { name: "dry", multiplier: 0.8, base: 1.6, allowed_length: 1, last_n: 50, breakers: [[3], Int32Array.of(4, 5), 6] },
  { name: "adaptive_p", target: 0.3, decay: 0.8, seed: 8 },
  {
    name: "logit_bias",
    biases: [
      [2, 30],
      [5, -Infinity],
    ],
  },
];
