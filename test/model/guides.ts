/**
 * Guided texts by other means: each prompt is decoded alone, and the logits that come back are combined here, in f64. What a chain
 * with a guide picks in the model's graph must be the same.
 */
import { expect } from "@jest/globals";
import type { Model } from "../../runtime/models/model.js";

/** The logits of a token from those of the text and of its guide. */
export type Combine = (logits: readonly number[], guide: readonly number[]) => number[];

const logSoftmax = (logits: readonly number[]): number[] => {
  const most = logits.reduce((a, b) => Math.max(a, b));
  const total = logits.reduce((sum, x) => sum + Math.exp(x - most), 0);
  return logits.map((x) => x - most - Math.log(total));
};

/** Hugging Face's UnbatchedClassifierFreeGuidanceLogitsProcessor: `scale * (scores - unconditional) + unconditional`. */
export const guidance =
  (scale: number): Combine =>
  (logits, guide) => {
    const [scores, unconditional] = [logSoftmax(logits), logSoftmax(guide)];
    return scores.map((x, i) => scale * (x - unconditional[i]!) + unconditional[i]!);
  };

/** O'Brien and Lewis: `(1 + beta) * expert - beta * amateur` above the cutoff `log(alpha) + max(expert)`. */
export const contrast =
  (alpha: number, beta: number): Combine =>
  (logits, guide) => {
    const cutoff = Math.log(alpha) + logits.reduce((a, b) => Math.max(a, b));
    return logits.map((x, i) => (x < cutoff ? -Infinity : (1 + beta) * x - beta * guide[i]!));
  };

interface Text {
  readonly tokens: readonly number[];
  /** For each token by how much it is ahead of the second best. */
  readonly margins: readonly number[];
}

/** The most likely tokens, up to the end of the text. */
export async function guidedText(
  model: Model,
  [prompt, guide]: readonly [prompt: Int32Array, guide: Int32Array],
  combine: Combine,
  count: number,
  contextSize = 256,
): Promise<Text> {
  const [tokens, margins]: number[][] = [[], []];
  while (tokens!.length < count && tokens!.at(-1) !== model.info.eos) {
    const logitsOf = async (before: Int32Array): Promise<number[]> => [
      ...(await model.logits(Int32Array.of(...before, ...tokens!), { contextSize })),
    ];
    const combined = combine(await logitsOf(prompt), await logitsOf(guide));
    const [best, second] = [...combined.keys()].sort((a, b) => combined[b]! - combined[a]!) as [number, number];
    tokens!.push(best);
    margins!.push(combined[best]! - combined[second]!);
  }
  return { tokens: tokens!, margins: margins! };
}

/** Expects the same tokens up to where rounding decides, and gives how many they are. */
export function expectGuided(found: readonly number[], { tokens, margins }: Text, rounding = 1e-3): number {
  const tie = margins.findIndex((margin) => margin < rounding);
  const certain = tie < 0 ? tokens.length : tie;
  expect(found.slice(0, certain)).toEqual(tokens.slice(0, certain));
  if (tie < 0) expect(found).toEqual(tokens);
  return certain;
}
