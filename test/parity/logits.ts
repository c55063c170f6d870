/** Logits of the shapes that matter to samplers. */
import * as fc from "fast-check";
import { random, type Random } from "./random.js";

type Shape = (r: Random, vocabSize: number) => (row: number) => number;

/** A logit for each row. */
const SHAPES = {
  normal: (r) => () => 3 * r.normal(),
  /** A few tokens far above the rest. */
  peaked: (r, vocabSize) => {
    const peaks = new Set([r.below(vocabSize), r.below(vocabSize), r.below(vocabSize)]);
    return (row) => r.normal() + (peaks.has(row) ? 12 + r.normal() : 0);
  },
  flat: (r) => () => 0.01 * r.normal(),
  /** All rows equal. */
  level: (r) => {
    const logit = r.normal();
    return () => logit;
  },
  /** Few distinct values. */
  ties: (r) => () => Math.round(2 * r.normal()),
  /** Falls with the logarithm of the rank, as in text. */
  longTail: (r, vocabSize) => () => 15 - 1.2 * Math.log(1 + r.below(vocabSize)) - 0.01 * r.uniform(),
  /** All below 0, like log probabilities. */
  negative: (r) => () => -Math.abs(8 * r.normal()) - 1,
  /** So far apart that most probabilities are 0. */
  wide: (r) => () => 300 * r.normal(),
} satisfies Record<string, Shape>;

export interface LogitsSpec {
  readonly shape: keyof typeof SHAPES;
  readonly vocabSize: number;
  readonly seed: number;
  /** The share of rows that are -inf; never all. */
  readonly dropped: number;
}

export function makeLogits({ shape, vocabSize, seed, dropped }: LogitsSpec): Float32Array {
  const r = random(seed);
  const logit: (row: number) => number = SHAPES[shape](r, vocabSize);
  const logits = Float32Array.from({ length: vocabSize }, (_, row) => logit(row));
  const kept = r.below(vocabSize);
  return logits.map((x, row) => (row !== kept && r.uniform() < dropped ? -Infinity : x));
}

/** Few sizes, so that open graphs are reused; mostly small ones, where every row counts. */
export const vocabSizes = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(2, 3, 4, 5, 8, 13, 20, 33, 64) },
  { weight: 4, arbitrary: fc.constantFrom(100, 257, 700) },
  { weight: 1, arbitrary: fc.constantFrom(2000, 4096) },
);

export const logitsSpecs = (sizes: fc.Arbitrary<number> = vocabSizes): fc.Arbitrary<LogitsSpec> =>
  fc.record({
    shape: fc.constantFrom(...(Object.keys(SHAPES) as (keyof typeof SHAPES)[])),
    vocabSize: sizes,
    seed: fc.integer({ min: 0, max: 2 ** 31 }),
    dropped: fc.constantFrom(0, 0, 0, 0.3, 0.9),
  });
