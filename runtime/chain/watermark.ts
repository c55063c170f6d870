/** Whether a text has the watermark of the standard samplers `watermark` and `aaronson`: docs/watermarks.md. */
import { hashOf, noiseOf } from "@ggsl/compiler/graph/hash.js";
import { MAX_SEED } from "@ggsl/compiler/graph/param.js";
import * as is from "../core/check.js";
import { invalid } from "../core/errors.js";
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
  return { tokens: n, z: n === 0 ? 0 : (sum - n) / Math.sqrt(n), p: gammaTail(n, sum) };
}

const AARONSON: is.Checks<Omit<DetectOptions, "gamma">> = { key: is.integer(0, MAX_SEED), from: is.integer(0) };
const GREEN: is.Checks<DetectOptions> = { ...AARONSON, gamma: finite };

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
function noiseOfText(
  tokens: ArrayLike<number>,
  key: number,
  from: number,
  width: number,
  at: (last: readonly number[]) => number,
): number[] {
  const noise: number[] = [];
  const seen = new Set<string>();
  for (let i = from; i < tokens.length; i++) {
    const last = Array.from({ length: width }, (_, k) => tokens[i - 1 - k] ?? -1);
    const place = [...last, tokens[i]!].join();
    if (seen.has(place)) continue;
    seen.add(place);
    noise.push(noiseOf(hashOf(key, Math.floor(key / 2 ** 24), at(last), tokens[i]!)));
  }
  return noise;
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

/** The probability that the sum of `n` exponential numbers of mean 1 is `sum` or more. */
function gammaTail(n: number, sum: number): number {
  if (n === 0) return 1;
  let term = -sum;
  let above = 0;
  for (let k = 0; k < n; k++) {
    above += Math.exp(term);
    term += Math.log(sum / (k + 1));
  }
  return Math.min(1, above);
}
