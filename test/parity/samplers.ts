/**
 * The standard samplers as the parity tests know them. The next sampler is one entry: what its parameters may be, which
 * sampler of llama.cpp it is, what it does to the order, and how close its decision was.
 */
import * as fc from "fast-check";
import type { LlamaSampler } from "../native/oracle.js";
import type { Context } from "./context.js";
import * as margins from "./margins.js";
import type { Moment } from "./margins.js";
import type { Rows } from "./rows.js";
import { f32, i32, minKeep, numberOf, seed, statics, tokenLists, type Args, type ParamSpec } from "./values.js";

/** How the arguments reach the graph: as constants that fold, or as uniforms of the chain. */
export type Mode = "constant" | "uniform";

/** Best first, or in an order that does not follow the logits. */
export type Order = "sorted" | "other";

export interface SamplerSpec {
  readonly params: Readonly<Record<string, ParamSpec>>;
  readonly llama: (args: Args, context: Context) => LlamaSampler;
  /** What order the rows are in afterwards. Absent: it stays. */
  readonly order?: (args: Args, mode: Mode, before: Order | undefined) => Order | undefined;
  /** Whether llama.cpp sorts what stays in order here: for some rows only, or for some draws. */
  readonly llamaSorts?: (before: Rows, args: Args) => boolean;
  /** How far the rows before are from another decision, by llama.cpp's own numbers. */
  readonly margin?: (before: Rows, args: Args, moment: Moment) => number;
  /** Whether llama.cpp divides 0 by 0 here, or makes an integer of what is none. */
  readonly isUndefined?: (before: Rows, args: Args, moment: Moment) => boolean;
  /** What llama.cpp subtracts may be beyond the largest f32, which leaves a row of minus infinity. */
  readonly mayOverflow?: true;
  /** llama.cpp counts rows of minus infinity here, which are no rows in GGSL. */
  readonly countsMasked?: true;
  /** How many times larger than that of a probability the error of a logit may be. */
  readonly logitStretch?: number;
  readonly picks?: "best" | "sample";
  /** llama.cpp remembers its own picks, so that two texts can not be led together again. */
  readonly remembersPicks?: true;
  /** It looks at the text so far. */
  readonly looksBack?: true;
}

const LARGEST_I32 = 2 ** 31;

/** Rows that were sorted are so no longer when single ones change. */
const reorders = (_: Args, __: Mode, before: Order | undefined): Order | undefined => before && "other";

const temperatures = [0, 1, -1, -0.5, 1e-3, 1e-6, 1e-20, 1e-30, 1e-34, 100, 1e10, 1e30];

const count = (args: Args): number => numberOf(args, "k");

export const SAMPLERS: Readonly<Record<string, SamplerSpec>> = {
  greedy: {
    params: {},
    llama: () => ({ name: "greedy" }),
    margin: (before) => margins.gapAfter(1, before),
    picks: "best",
  },
  dist: {
    params: { seed },
    llama: (args) => ({ name: "dist", seed: numberOf(args, "seed") }),
    picks: "sample",
  },
  temp: {
    params: { t: f32(0.01, 5, ...temperatures) },
    llama: (args) => ({ name: "temp", t: numberOf(args, "t") }),
    margin: (before, args) => (numberOf(args, "t") > 0 ? Infinity : margins.gapAfter(1, before)),
  },
  temp_ext: {
    params: { t: f32(0.01, 5, 0, 1, -1, 100), delta: f32(0.01, 3, 0, -1, 1), exponent: f32(0.1, 3, 1, 0, -0.5) },
    llama: (args) => ({
      name: "temp_ext",
      t: numberOf(args, "t"),
      delta: numberOf(args, "delta"),
      exponent: numberOf(args, "exponent"),
    }),
    order: (args, mode, before) => (mode === "uniform" || numberOf(args, "delta") > 0 ? "sorted" : before),
    margin: margins.entropyMargin,
    countsMasked: true,
  },
  top_k: {
    params: { k: statics(0, -1, 1, 2, 3, 7, 40, 250, 5000) },
    llama: (args) => ({ name: "top_k", k: count(args) }),
    order: (args, _, before) => (count(args) > 0 ? "sorted" : before),
    margin: (before, args) => (count(args) > 0 ? margins.gapAfter(count(args), before) : Infinity),
  },
  top_p: {
    params: { p: f32(0, 1, 0, 1, -1, 2, 1e-9, 0.5, 0.95, 0.999), min_keep: minKeep },
    llama: (args) => ({ name: "top_p", p: numberOf(args, "p"), min_keep: numberOf(args, "min_keep") }),
    // the order of rows is static, so a uniform that is 1 for now leaves them sorted
    order: (args, mode, before) => (mode === "uniform" || numberOf(args, "p") < 1 ? "sorted" : before),
    margin: margins.nucleusMargin,
  },
  min_p: {
    params: { p: f32(0, 1, 0, 1, -1, 1e-9, 0.05, 0.5, 1e-38), min_keep: minKeep },
    llama: (args) => ({ name: "min_p", p: numberOf(args, "p"), min_keep: numberOf(args, "min_keep") }),
    llamaSorts: ({ logits }, args) => {
      const threshold = Math.max(...logits) + Math.log(numberOf(args, "p"));
      return numberOf(args, "p") > 0 && logits.filter((x) => x >= threshold).length < numberOf(args, "min_keep");
    },
    margin: margins.thresholdMargin,
  },
  typical: {
    params: { p: f32(0, 1, 0, 1, -1, 2, 0.2, 0.5, 0.95, 0.999), min_keep: minKeep },
    llama: (args) => ({ name: "typical", p: numberOf(args, "p"), min_keep: numberOf(args, "min_keep") }),
    order: (args, mode, before) => (mode === "uniform" || numberOf(args, "p") < 1 ? "other" : before),
    margin: margins.typicalMargin,
    // 0 * log(0)
    isUndefined: ({ logits }, args) => numberOf(args, "p") < 1 && isUnderflowing(logits),
    countsMasked: true,
  },
  xtc: {
    params: { p: f32(0, 1, 0, 1, 0.5, -1, 2), t: f32(0, 0.5, 0, 0.1, 0.5, 0.51, 1, 0.05), min_keep: minKeep, seed },
    llama: (args) => ({
      name: "xtc",
      p: numberOf(args, "p"),
      t: numberOf(args, "t"),
      min_keep: numberOf(args, "min_keep"),
      seed: numberOf(args, "seed"),
    }),
    llamaSorts: (_, args) => numberOf(args, "p") > 0 && numberOf(args, "t") <= 0.5,
    margin: margins.strikeMargin,
    countsMasked: true,
  },
  top_n_sigma: {
    params: { n: f32(0, 4, 0, -1, 1, 2, 1e-6, 1e6) },
    llama: (args) => ({ name: "top_n_sigma", n: numberOf(args, "n") }),
    margin: margins.deviationMargin,
  },
  mirostat: {
    params: {
      tau: f32(0, 4, 5, 0, 1, 8),
      eta: f32(0, 1, 0.1, 0),
      m: i32(fc.constantFrom(100, 1, 2, 3, 10, 1000)),
      seed,
    },
    llama: (args, { vocabSize }) => ({
      name: "mirostat",
      tau: numberOf(args, "tau"),
      eta: numberOf(args, "eta"),
      m: numberOf(args, "m"),
      seed: numberOf(args, "seed"),
      n_vocab: vocabSize,
    }),
    order: () => "sorted",
    margin: margins.mirostatMargin,
    isUndefined: (before, args, moment) => !(Math.abs(margins.mirostatK(before, args, moment)) < LARGEST_I32),
    countsMasked: true,
    picks: "sample",
    remembersPicks: true,
  },
  mirostat_v2: {
    params: { tau: f32(0, 4, 5, 0, 1, 8), eta: f32(0, 1, 0.1, 0), seed },
    llama: (args) => ({
      name: "mirostat_v2",
      tau: numberOf(args, "tau"),
      eta: numberOf(args, "eta"),
      seed: numberOf(args, "seed"),
    }),
    order: () => "sorted",
    margin: margins.surpriseMargin,
    picks: "sample",
    remembersPicks: true,
  },
  adaptive_p: {
    params: { target: f32(0, 1, -1, 0, 1, 0.3, 0.5), decay: f32(0, 0.98, 0.9, 0, 0.99), seed },
    llama: (args) => ({
      name: "adaptive_p",
      target: numberOf(args, "target"),
      decay: numberOf(args, "decay"),
      seed: numberOf(args, "seed"),
    }),
    order: reorders,
    countsMasked: true,
    // a logit is 10 times a distance of probabilities over 0.3
    logitStretch: 40,
    picks: "sample",
    remembersPicks: true,
  },
  penalties: {
    params: {
      last_n: statics(64, 0, 1, 5, 1000),
      repeat: f32(0.5, 3, 1, 1.1, 2),
      freq: f32(-2, 2, 0, 0.5),
      present: f32(-2, 2, 0, 0.5),
    },
    llama: (args) => ({
      name: "penalties",
      last_n: numberOf(args, "last_n"),
      repeat: numberOf(args, "repeat"),
      freq: numberOf(args, "freq"),
      present: numberOf(args, "present"),
    }),
    order: reorders,
    looksBack: true,
  },
  dry: {
    params: {
      multiplier: f32(0, 3, 0, 0.8, 1, -0.5),
      base: f32(1, 4, 1, 1.75, 0.5, 1.0000001, 10),
      allowed_length: i32(fc.integer({ min: 1, max: 5 })),
      last_n: statics(64, 0, 4, 1000),
      breakers: tokenLists,
    },
    llama: (args) => ({
      name: "dry",
      multiplier: numberOf(args, "multiplier"),
      base: numberOf(args, "base"),
      allowed_length: numberOf(args, "allowed_length"),
      last_n: numberOf(args, "last_n"),
      // llama.cpp takes no empty list of tokens; one that no text holds is as good
      breakers: [...(args["breakers"] as readonly number[]), 1 << 20],
    }),
    order: reorders,
    mayOverflow: true,
    looksBack: true,
  },
  logit_bias: {
    params: {},
    llama: (_, { bias }) => ({ name: "logit_bias", biases: [...bias] }),
    order: reorders,
  },
};

/** Whether the exponential of some logit, less the largest, is no f32 above 0. */
function isUnderflowing(logits: readonly number[]): boolean {
  return Math.min(...logits) - Math.max(...logits) < -86;
}
