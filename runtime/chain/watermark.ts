/** Whether a text has the watermark of the standard samplers `watermark`, `aaronson` and `synthid`: docs/watermarks.md. */
import { hashOf, noiseOf } from "@ggsl/compiler/graph/hash.js";
import { MAX_SEED } from "@ggsl/compiler/graph/param.js";
import * as is from "../core/check.js";
import { invalid } from "../core/errors.js";
import { gammaTail } from "../core/gamma.js";
import { finite, tokenList } from "../core/sharedOptions.js";

/** Which watermark is looked for, and where. */
export interface DetectOptions {
  /** The seed that the sampler had as `key`. */
  readonly key: number;
  /**
   * The part of the vocabulary that is green, as in `watermark`. `aaronson` has none.
   * @default 0.25
   */
  readonly gamma?: number | undefined;
  /**
   * The first token that counts, e.g. the length of the prompt. Those before it are context.
   * @default 0
   */
  readonly from?: number | undefined;
}

/** How well a text fits a key. */
export interface WatermarkScore {
  /** The tokens that count. Equal tokens after equal contexts have equal noise, and count once. */
  readonly tokens: number;
  /** Standard deviations above the mean of texts without the mark. */
  readonly z: number;
  /** The probability that a text without the mark has this `z` or a larger one. */
  readonly p: number;
}

export interface GreenScore extends WatermarkScore {
  /** How many of the tokens are green. */
  readonly green: number;
}

/** The score of a text by the key of `watermark`: `z = (green - gamma n) / sqrt(n gamma (1 - gamma))`. Throws `InputError`. */
export function detectWatermark(tokens: readonly number[] | Int32Array, options: DetectOptions): GreenScore {
  const { key, gamma = 0.25, from = 0 } = checked(tokens, options, GREEN);
  // the sampler's parameter is an f32
  const share = Math.fround(gamma);
  if (!(share > 0 && share < 1)) throw invalid(`\`gamma\` must be a number between 0 and 1, found ${gamma}`);
  const noise = noiseOfText(tokens, key, from, 1, ([last]) => last!);
  const n = noise.length;
  const green = noise.filter((u) => u < share).length;
  const z = n === 0 ? 0 : (green - share * n) / Math.sqrt(n * share * (1 - share));
  return { tokens: n, green, z, p: binomialTail(n, green, share) };
}

/** The score of a text by the key of `aaronson`: the sum of `-log(1 - r)`, whose mean without the mark is n. Throws `InputError`. */
export function detectAaronson(
  tokens: readonly number[] | Int32Array,
  options: Omit<DetectOptions, "gamma">,
): WatermarkScore {
  const { key, from = 0 } = checked(tokens, options, AARONSON);
  const noise = noiseOfText(tokens, key, from, 4, (last) => hashOf(...last.toReversed()));
  const n = noise.length;
  // the noise u is 1 - r
  const sum = noise.reduce((total, u) => total - Math.log(u), 0);
  return { tokens: n, z: n === 0 ? 0 : (sum - n) / Math.sqrt(n), p: n === 0 ? 1 : gammaTail(n, sum) };
}

/** The options of `detectSynthId`. */
export interface SynthIdOptions extends Omit<DetectOptions, "gamma"> {
  /**
   * As in `synthid`.
   * @default 20
   */
  readonly rounds?: number | undefined;
}

export interface SynthIdScore extends WatermarkScore {
  /** The weighted part of the rounds that the tokens win: 1/2 without the mark. */
  readonly won: number;
}

/**
 * The score of a text by the key of `synthid`: the rounds that each token wins, the first ones with the most weight, as the weighted mean of
 * SynthID's detector has them. `p` is the upper tail of the normal distribution. Throws `InputError`.
 */
export function detectSynthId(tokens: readonly number[] | Int32Array, options: SynthIdOptions): SynthIdScore {
  const { key, rounds = MOST_ROUNDS, from = 0 } = checked(tokens, options, SYNTHID);
  const weights = Array.from({ length: rounds }, (_, i) => (rounds === 1 ? 1 : 10 - (9 * i) / (rounds - 1)));
  const total = weights.reduce((sum, w) => sum + w, 0);
  const places = placesOfText(tokens, from, 4);
  const won = places.map(({ last, token }) => {
    const bits = noiseAt(key, hashOf(...last.toReversed()), token);
    return weights.reduce((sum, w, i) => sum + w * (Math.floor(bits * 2 ** (i + 1)) % 2), 0) / total;
  });
  const n = won.length;
  if (n === 0) return { tokens: 0, won: 0.5, z: 0, p: 1 };
  const mean = won.reduce((sum, w) => sum + w, 0) / n;
  // a round is won with probability 1/2
  const deviation = Math.sqrt(weights.reduce((sum, w) => sum + (w / total) ** 2, 0) / 4 / n);
  const z = (mean - 0.5) / deviation;
  return { tokens: n, won: mean, z, p: normalTail(z) };
}

const MOST_ROUNDS = 20;

const AARONSON: is.Checks<Omit<DetectOptions, "gamma">> = { key: is.integer(0, MAX_SEED), from: is.integer(0) };
const GREEN: is.Checks<DetectOptions> = { ...AARONSON, gamma: finite };
const SYNTHID: is.Checks<SynthIdOptions> = { ...AARONSON, rounds: is.integer(1, MOST_ROUNDS) };

function checked<T extends Omit<DetectOptions, "gamma">>(
  tokens: readonly number[] | Int32Array,
  options: T,
  all: is.Checks<T>,
): T {
  tokenList()(tokens, "tokens");
  is.options(all)(options, "options");
  // it has no default
  AARONSON.key(options.key, "key");
  if (options.from !== undefined) is.integer(0, tokens.length)(options.from, "from");
  return options;
}

/** The noise of each token that counts; `at` is that of the last `width` tokens before it, the nearest first. */
const noiseOfText = (
  tokens: ArrayLike<number>,
  key: number,
  from: number,
  width: number,
  at: (last: readonly number[]) => number,
): number[] => placesOfText(tokens, from, width).map(({ last, token }) => noiseAt(key, at(last), token));

const noiseAt = (key: number, at: number, token: number): number =>
  noiseOf(hashOf(key, Math.floor(key / 2 ** 24), at, token));

/** The tokens that count, and the `width` tokens before each, the nearest first: equal ones after equal contexts count once. */
function placesOfText(
  tokens: ArrayLike<number>,
  from: number,
  width: number,
): { readonly last: readonly number[]; readonly token: number }[] {
  const places = new Map<string, { last: number[]; token: number }>();
  for (let i = from; i < tokens.length; i++) {
    const last = Array.from({ length: width }, (_, k) => tokens[i - 1 - k] ?? -1);
    const token = tokens[i]!;
    const place = [...last, token].join();
    if (!places.has(place)) places.set(place, { last, token });
  }
  return [...places.values()];
}

/** The probability that a standard normal number is `z` or more. */
function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < 3) {
    // the series of the distribution function
    let [term, sum] = [z, z];
    for (let k = 1; k < 100; k++) sum += term *= (z * z) / (2 * k + 1);
    return 0.5 - density * sum;
  }
  // the continued fraction, from its end
  let fraction = 0;
  for (let k = 100; k >= 1; k--) fraction = k / (z + fraction);
  return density / (z + fraction);
}

/** The probability of `least` or more successes in `n` trials of probability `p`. */
function binomialTail(n: number, least: number, p: number): number {
  // logarithms, as the terms may be too small for numbers
  let term = n * Math.log1p(-p);
  let [below, above] = [0, 0];
  for (let k = 0; k <= n; k++) {
    if (k < least) below += Math.exp(term);
    else above += Math.exp(term);
    term += Math.log(((n - k) * p) / ((k + 1) * (1 - p)));
  }
  // of the two sums, the smaller one is exact
  return Math.min(1, above < below ? above : 1 - below);
}
