/**
 * The standard samplers that llama.cpp also has; their files name the peer. The table adds what declarations do not contain:
 * edge values, the effect on the order of rows, the margin of a decision.
 */
import * as fc from "fast-check";
import { STD_SAMPLERS, type StdSampler } from "../../compiler/std/samplers.js";
import type { LlamaSampler } from "../native/oracle.js";
import type { Context } from "./context.js";
import * as margins from "./margins.js";
import type { Moment } from "./margins.js";
import type { Rows } from "./rows.js";
import { declaredParams } from "./declared.js";
import { f32, i32, numberOf, statics, type Args, type ParamSpec } from "./values.js";

/** How arguments reach the graph: as constants that fold, or as uniforms of the chain. */
export type Mode = "constant" | "uniform";

/** Best first, or in another order than that of the logits. */
export type Order = "sorted" | "other";

export interface SamplerSpec extends StdSampler {
  readonly params: Readonly<Record<string, ParamSpec>>;
  readonly llama: (args: Args, context: Context) => LlamaSampler;
  /** The order of the rows afterwards. Absent: unchanged. */
  readonly order?: (args: Args, mode: Mode, before: Order | undefined) => Order | undefined;
  /** Whether llama.cpp sorts rows that keep their order here: only for some rows or some draws. */
  readonly llamaSorts?: (before: Rows, args: Args) => boolean;
  /** How far the rows before the stage are from another decision, by llama.cpp's own numbers. */
  readonly margin?: (before: Rows, args: Args, moment: Moment) => number;
  /** Whether llama.cpp divides 0 by 0 here, or an integer conversion overflows. */
  readonly isUndefined?: (before: Rows, args: Args, moment: Moment) => boolean;
  /** llama.cpp's penalty may overflow f32, which leaves a row of minus infinity. */
  readonly mayOverflow?: true;
  /** llama.cpp counts rows of minus infinity here, which are no rows in GGSL. */
  readonly countsMasked?: true;
  /** Factor by which a logit's error may exceed that of a probability. */
  readonly logitStretch?: number;
  /** llama.cpp remembers its own picks, so two diverged texts cannot rejoin. */
  readonly remembersPicks?: true;
  /** Reads the text so far. */
  readonly looksBack?: true;
}

const LARGEST_I32 = 2 ** 31;

/** Changing single rows breaks a sorted order. */
const reorders = (_: Args, __: Mode, before: Order | undefined): Order | undefined => before && "other";

const temperatures = [0, 1, -1, -0.5, 1e-3, 1e-6, 1e-20, 1e-30, 1e-34, 100, 1e10, 1e30];

const count = (args: Args): number => numberOf(args, "k");

interface More extends Omit<Partial<SamplerSpec>, "llama" | keyof StdSampler> {
  /** Fields of llama.cpp's sampler besides the arguments, or in their place. */
  readonly fields?: (args: Args, context: Context) => object;
}

const MORE: Readonly<Record<string, More>> = {
  greedy: {
    margin: (before) => margins.gapAfter(1, before),
  },
  temp: {
    params: { t: f32(0.01, 5, ...temperatures) },
    margin: (before, args) => (numberOf(args, "t") > 0 ? Infinity : margins.gapAfter(1, before)),
  },
  temp_ext: {
    params: { t: f32(0.01, 5, 0, 1, -1, 100), delta: f32(0.01, 3, 0, -1, 1), exponent: f32(0.1, 3, 1, 0, -0.5) },
    order: (args, mode, before) => (mode === "uniform" || numberOf(args, "delta") > 0 ? "sorted" : before),
    margin: margins.entropyMargin,
    countsMasked: true,
  },
  top_k: {
    params: { k: statics(0, -1, 1, 2, 3, 7, 40, 250, 5000) },
    order: (args, _, before) => (count(args) > 0 ? "sorted" : before),
    margin: (before, args) => (count(args) > 0 ? margins.gapAfter(count(args), before) : Infinity),
  },
  top_p: {
    params: { p: f32(0, 1, 0, 1, -1, 2, 1e-9, 0.5, 0.95, 0.999) },
    // the order of rows is static, so they are sorted even while a uniform is 1
    order: (args, mode, before) => (mode === "uniform" || numberOf(args, "p") < 1 ? "sorted" : before),
    margin: margins.nucleusMargin,
  },
  min_p: {
    params: { p: f32(0, 1, 0, 1, -1, 1e-9, 0.05, 0.5, 1e-38) },
    llamaSorts: ({ logits }, args) => {
      const threshold = Math.max(...logits) + Math.log(numberOf(args, "p"));
      return numberOf(args, "p") > 0 && logits.filter((x) => x >= threshold).length < numberOf(args, "min_keep");
    },
    margin: margins.thresholdMargin,
  },
  typical: {
    params: { p: f32(0, 1, 0, 1, -1, 2, 0.2, 0.5, 0.95, 0.999) },
    order: (args, mode, before) => (mode === "uniform" || numberOf(args, "p") < 1 ? "other" : before),
    margin: margins.typicalMargin,
    // 0 * log(0)
    isUndefined: ({ logits }, args) => numberOf(args, "p") < 1 && isUnderflowing(logits),
    countsMasked: true,
  },
  xtc: {
    params: { p: f32(0, 1, 0, 1, 0.5, -1, 2), t: f32(0, 0.5, 0, 0.1, 0.5, 0.51, 1, 0.05) },
    llamaSorts: (_, args) => numberOf(args, "p") > 0 && numberOf(args, "t") <= 0.5,
    margin: margins.strikeMargin,
    countsMasked: true,
  },
  top_n_sigma: {
    params: { n: f32(0, 4, 0, -1, 1, 2, 1e-6, 1e6) },
    margin: margins.deviationMargin,
  },
  mirostat: {
    params: {
      tau: f32(0, 4, 5, 0, 1, 8),
      eta: f32(0, 1, 0.1, 0),
      m: i32(fc.constantFrom(100, 1, 2, 3, 10, 1000)),
    },
    fields: (_, { vocabSize }) => ({ n_vocab: vocabSize }),
    order: () => "sorted",
    margin: margins.mirostatMargin,
    isUndefined: (before, args, moment) => !(Math.abs(margins.mirostatK(before, args, moment)) < LARGEST_I32),
    countsMasked: true,
    remembersPicks: true,
  },
  mirostat_v2: {
    params: { tau: f32(0, 4, 5, 0, 1, 8), eta: f32(0, 1, 0.1, 0) },
    order: () => "sorted",
    margin: margins.surpriseMargin,
    remembersPicks: true,
  },
  adaptive_p: {
    params: { target: f32(0, 1, -1, 0, 1, 0.3, 0.5), decay: f32(0, 0.98, 0.9, 0, 0.99) },
    order: reorders,
    countsMasked: true,
    // a logit is 10 times a distance of probabilities, divided by 0.3
    logitStretch: 40,
    remembersPicks: true,
  },
  penalties: {
    params: {
      last_n: statics(64, 0, 1, 5, 1000),
      repeat: f32(0.5, 3, 1, 1.1, 2),
      freq: f32(-2, 2, 0, 0.5),
      present: f32(-2, 2, 0, 0.5),
    },
    order: reorders,
    looksBack: true,
  },
  dry: {
    params: {
      multiplier: f32(0, 3, 0, 0.8, 1, -0.5),
      base: f32(1, 4, 1, 1.75, 0.5, 1.0000001, 10),
      allowed_length: i32(fc.integer({ min: 1, max: 5 })),
      last_n: statics(64, 0, 4, 1000),
    },
    // llama.cpp rejects an empty list of breakers, so one that no text contains is added
    fields: (args) => ({ breakers: [...(args["breakers"] as readonly number[]), 1 << 20] }),
    order: reorders,
    mayOverflow: true,
    looksBack: true,
  },
  logit_bias: {
    fields: (_, { bias }) => ({ biases: [...bias] }),
    order: reorders,
  },
};

function specOf(sampler: StdSampler, peer: string): SamplerSpec {
  const { fields, params, ...more } = MORE[sampler.name] ?? {};
  return {
    ...sampler,
    ...more,
    params: { ...declaredParams(sampler), ...params },
    llama: (args, context) => ({ name: peer, ...args, ...fields?.(args, context) }) as LlamaSampler,
  };
}

export const SAMPLERS: Readonly<Record<string, SamplerSpec>> = Object.fromEntries(
  STD_SAMPLERS.flatMap((s) => (s.peer === undefined ? [] : [[s.name, specOf(s, s.peer)]])),
);

/** The samplers with an entry in the table. */
export const DESCRIBED = Object.keys(MORE);

/** Whether softmax in f32 underflows to 0 for some logit. */
function isUnderflowing(logits: readonly number[]): boolean {
  return Math.min(...logits) - Math.max(...logits) < -86;
}
