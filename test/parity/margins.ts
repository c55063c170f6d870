/** Margins: how far the rows before a stage are from another decision, in llama.cpp's own numbers. Below 1e-6, rounding decides. */
import { descending, runningSums, softmax, type Rows } from "./rows.js";
import { numberOf, type Args } from "./values.js";

/** What else a stage decides by: llama.cpp's values, replayed. */
export interface Moment {
  /** Mirostat's limit. */
  readonly mu: number;
  readonly vocabSize: number;
}

const nearest = (values: readonly number[], to: number): number =>
  values.reduce((least, x) => Math.min(least, Math.abs(x - to)), Infinity);

const entropyOf = (probs: readonly number[]): number =>
  -probs.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);

/** The gap between the logits on both sides of a cut after `count` rows, relative if they are above 1. */
export function gapAfter(count: number, { logits }: Rows): number {
  const [last, first] = descending(logits).slice(count - 1, count + 1);
  if (last === undefined || first === undefined) return Infinity;
  return (last - first) / Math.max(1, Math.abs(last), Math.abs(first));
}

const keptAtLeast = (rows: Rows, args: Args): number => gapAfter(Math.max(1, numberOf(args, "min_keep")), rows);

/** The distance of `p` from the prefix sums, where `top_p` could cut. */
export function nucleusMargin(rows: Rows, args: Args): number {
  const sums = runningSums(softmax(descending(rows.logits)));
  return Math.min(nearest(sums, numberOf(args, "p")), keptAtLeast(rows, args));
}

/** The distance of the threshold from the nearest logit, relative if they are above 1. */
export function thresholdMargin(rows: Rows, args: Args): number {
  const p = numberOf(args, "p");
  if (p <= 0) return Infinity;
  const best = Math.max(...rows.logits);
  const threshold = best + Math.log(Math.fround(p));
  const distance = nearest(rows.logits, threshold) / Math.max(1, Math.abs(best), Math.abs(threshold));
  return Math.min(distance, keptAtLeast(rows, args));
}

/** The same for the threshold `n` standard deviations below the best logit. */
export function deviationMargin({ logits }: Rows, args: Args): number {
  const n = numberOf(args, "n");
  if (n <= 0) return Infinity;
  const mean = logits.reduce((a, b) => a + b, 0) / logits.length;
  const deviation = Math.sqrt(logits.reduce((a, b) => a + (b - mean) ** 2, 0) / logits.length);
  const best = Math.max(...logits);
  const threshold = best - n * deviation;
  return nearest(logits, threshold) / Math.max(1, Math.abs(best), Math.abs(threshold));
}

/** The distance of `p` from the prefix sums in order of typicality, and of two rows from swapping. */
export function typicalMargin({ logits, probs }: Rows, args: Args): number {
  const entropy = entropyOf(probs);
  const rows = probs.map((p, i) => ({ p, logit: logits[i]!, distance: Math.abs(-Math.log(p) - entropy) }));
  rows.sort((a, b) => a.distance - b.distance);
  const sums = runningSums(rows.map((r) => r.p));
  const swaps = rows.slice(1).map((r, i) => (r.logit === rows[i]!.logit ? Infinity : r.distance - rows[i]!.distance));
  return Math.min(nearest(sums, numberOf(args, "p")), ...swaps);
}

/** The distance of `t` from the probabilities, and of the two least likely rows above it. */
export function strikeMargin({ probs }: Rows, args: Args): number {
  const [least, next] = probs.filter((p) => p >= numberOf(args, "t")).sort((a, b) => a - b);
  return Math.min(
    nearest(probs, numberOf(args, "t")),
    least === undefined || next === undefined ? Infinity : next - least,
  );
}

/** The number of rows that mirostat keeps, before rounding. */
export function mirostatK({ probs }: Rows, args: Args, { mu, vocabSize }: Moment): number {
  const best = descending(probs);
  let [products, squares] = [0, 0];
  for (let i = 0; i < numberOf(args, "m") - 1 && i < best.length - 1; i++) {
    const t = Math.log((i + 2) / (i + 1));
    products += t * Math.log(best[i]! / best[i + 1]!);
    squares += t * t;
  }
  const s = products / squares;
  return (((s - 1) * 2 ** mu) / (1 - vocabSize ** -(s - 1))) ** (1 / s);
}

/** The relative distance of k from an integer. Both powers amplify the rounding error of the exponent. */
export function mirostatMargin(rows: Rows, args: Args, moment: Moment): number {
  const k = mirostatK(rows, args, moment);
  return Number.isFinite(k) ? Math.min(Math.abs(k - Math.round(k)) / Math.max(1, k), gapAfter(Math.floor(k), rows)) : 0;
}

/** The distance of the limit from the nearest surprise, relative if the limit is above 1. */
export const surpriseMargin = ({ probs }: Rows, _: Args, { mu }: Moment): number =>
  nearest(
    probs.map((p) => -Math.log2(p)),
    mu,
  ) / Math.max(1, Math.abs(mu));

/**
 * An entropy is an f32 sum of many terms: its last digits are rounding error, and all digits of a small one. The error shows in
 * the temperature, and in the probabilities the more the lower that is.
 */
export function entropyMargin({ probs, logits }: Rows, args: Args): number {
  const [t, delta, exponent] = [numberOf(args, "t"), numberOf(args, "delta"), numberOf(args, "exponent")];
  if (delta <= 0 || probs.length < 2) return Infinity;
  const [entropy, lowest] = [entropyOf(probs), Math.max(0, t - delta)];
  const dynamic = (t + delta - lowest) * (entropy / Math.log(probs.length)) ** exponent;
  const [best, next] = descending(logits);
  const shown = Math.max(1, (best! - next!) / (lowest + dynamic));
  const rounding = 2 ** -21 / entropy + probs.length * 2 ** -24;
  const error = Math.abs(exponent) * (dynamic / (lowest + dynamic)) * rounding * shown;
  return error < 5e-6 ? Infinity : 0;
}
