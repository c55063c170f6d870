/** Logits of the shapes that matter to samplers. */
import * as fc from "fast-check";
import { F32_MAX } from "../../compiler/graph/interval.js";
import { random, type Random } from "./random.js";

type Shape = (r: Random, vocabSize: number) => (row: number) => number;

/** What models give. */
const ORDINARY = {
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

/** Small whole multiples of a power of ten, with ties; one sign in half of the cases. */
const multiples =
  (from: number, to: number): Shape =>
  (r) => {
    const unit = 10 ** (from + r.below(to - from + 1));
    const sign = [1, -1, 0, 0][r.below(4)]!;
    return () => (sign || (r.uniform() < 0.5 ? 1 : -1)) * unit * r.below(4);
  };

/** What no model gives, but a caller can. Finite as f32. */
const HOSTILE = {
  huge: multiples(9, 38),
  /** Distinct, and huge, but within the bounds of logits. */
  far: (r) => () => 10 ** (20 + 9 * r.uniform()),
  /** Normal and subnormal. */
  tiny: multiples(-45, -10),
  /** Of every magnitude in one row. */
  magnitudes: (r) => () => (r.uniform() < 0.5 ? 1 : -1) * 10 ** (80 * r.uniform() - 43),
  /** Around the bounds at which logits are clamped or count as -inf. */
  bounds: (r) => {
    const bounds = [0.9e30, 1e30, 1e31, 3.4028234663852886e38].slice(r.below(4));
    return () => (r.uniform() < 0.5 ? 1 : -1) * bounds[r.below(bounds.length)]! * [1, 0.999, 1, 0][r.below(4)]!;
  },
  /** One level far below 0, for all rows. */
  depths: (r) => {
    const logit = -(10 ** (5 + 25 * r.uniform()));
    return () => logit;
  },
} satisfies Record<string, Shape>;

const SHAPES: Readonly<Record<ShapeName, Shape>> = { ...ORDINARY, ...HOSTILE };
type ShapeName = keyof typeof ORDINARY | keyof typeof HOSTILE;

export const ORDINARY_SHAPES = Object.keys(ORDINARY) as ShapeName[];
export const HOSTILE_SHAPES = Object.keys(HOSTILE) as ShapeName[];

export interface LogitsSpec {
  readonly shape: ShapeName;
  readonly vocabSize: number;
  readonly seed: number;
  /** The share of rows that are -inf; never all. */
  readonly dropped: number;
}

/** Above the bound at which a logit counts as -inf. */
const LOWEST_KEPT = -0.8e30;

export function makeLogits({ shape, vocabSize, seed, dropped }: LogitsSpec): Float32Array {
  const r = random(seed);
  const logit = SHAPES[shape](r, vocabSize);
  const logits = Float32Array.from({ length: vocabSize }, (_, row) =>
    Math.max(-F32_MAX, Math.min(logit(row), F32_MAX)),
  );
  const kept = r.below(vocabSize);
  return logits.map((x, row) => {
    if (row === kept) return Math.max(x, LOWEST_KEPT);
    return r.uniform() < dropped ? -Infinity : x;
  });
}

/** Few sizes, so that open graphs are reused; mostly small ones, where every row counts. */
const vocabSizes = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(2, 3, 4, 5, 8, 13, 20, 33, 64) },
  { weight: 4, arbitrary: fc.constantFrom(100, 257, 700) },
  { weight: 1, arbitrary: fc.constantFrom(2000, 4096) },
);

export const logitsSpecs = (
  sizes: fc.Arbitrary<number> = vocabSizes,
  shapes: fc.Arbitrary<ShapeName> = fc.constantFrom(...ORDINARY_SHAPES),
  dropped: fc.Arbitrary<number> = fc.constantFrom(0, 0, 0, 0.3, 0.9),
): fc.Arbitrary<LogitsSpec> =>
  fc.record({
    shape: shapes,
    vocabSize: sizes,
    seed: fc.integer({ min: 0, max: 2 ** 31 }),
    dropped,
  });
