/**
 * The standard samplers as the parity tests know them. The next sampler is one entry: what its parameters may be, which
 * sampler of llama.cpp it is, what it does to the order, and how close its decision was.
 */
import * as fc from "fast-check";
import type { LlamaSampler } from "../native/oracle.js";
import { descending, runningSums, softmax, type Rows } from "./rows.js";

export type Args = Readonly<Record<string, number>>;

export interface ParamSpec {
  readonly type: "f32" | "i32" | "seed";
  /** A static parameter decides the graph, so it can not be a uniform. */
  readonly isStatic?: true;
  readonly values: fc.Arbitrary<number>;
}

/** How the arguments reach the graph: as constants that fold, or as uniforms of the chain. */
export type Mode = "constant" | "uniform";

export interface SamplerSpec {
  readonly params: Readonly<Record<string, ParamSpec>>;
  readonly llama: (args: Args) => LlamaSampler;
  /** Whether the rows are best first afterwards. Absent: the order stays. */
  readonly sorts?: (args: Args, mode: Mode) => boolean;
  /** Whether llama.cpp sorts what stays in order here: for some rows only, or for a value that a uniform may take. */
  readonly llamaSorts?: (before: Rows, args: Args) => boolean;
  /** How far the rows before are from another decision, by llama.cpp's own numbers. */
  readonly margin?: (before: Rows, args: Args) => number;
  readonly picks?: "best" | "sample";
}

// ---------------------------------------------------------------- values of parameters, edges more often than not

const oneOf = (edges: readonly number[], others: fc.Arbitrary<number>): fc.Arbitrary<number> =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...edges) }, { weight: 4, arbitrary: others });

/** llama.cpp's parameters are f32. */
const real = (min: number, max: number): fc.Arbitrary<number> =>
  fc.float({ min: Math.fround(min), max: Math.fround(max), noNaN: true });

const minKeep: ParamSpec = {
  type: "i32",
  values: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 5 }) },
    { weight: 1, arbitrary: fc.constantFrom(17, 200, 5000) },
  ),
};

const seed: ParamSpec = {
  type: "seed",
  values: oneOf([0, 1, 42, 2 ** 32 - 2], fc.integer({ min: 0, max: 2 ** 32 - 2 })),
};

// ---------------------------------------------------------------- margins

/** The distance of `p` from the running sums, which are where `top_p` could cut. */
function nucleusMargin({ logits }: Rows, { p }: Args): number {
  const sums = runningSums(softmax(descending(logits)));
  return Math.min(...sums.map((s) => Math.abs(s - p!)));
}

/** The distance of the threshold from the logits, in units of what an f32 logit of that size can tell apart. */
function thresholdMargin({ logits }: Rows, { p }: Args): number {
  const best = Math.max(...logits);
  const threshold = best + Math.log(Math.fround(p!));
  return Math.min(...logits.map((x) => Math.abs(x - threshold))) / Math.max(1, Math.abs(best), Math.abs(threshold));
}

/** The distance of `n` standard deviations below the best logit from the logits, likewise. */
function deviationMargin({ logits }: Rows, { n }: Args): number {
  const mean = logits.reduce((a, b) => a + b, 0) / logits.length;
  const deviation = Math.sqrt(logits.reduce((a, b) => a + (b - mean) ** 2, 0) / logits.length);
  const best = Math.max(...logits);
  const threshold = best - n! * deviation;
  return Math.min(...logits.map((x) => Math.abs(x - threshold))) / Math.max(1, Math.abs(best), Math.abs(threshold));
}

// ---------------------------------------------------------------- the table

export const SAMPLERS: Readonly<Record<string, SamplerSpec>> = {
  greedy: { params: {}, llama: () => ({ name: "greedy" }), picks: "best" },
  dist: {
    params: { seed },
    llama: ({ seed }) => ({ name: "dist", seed: seed! }),
    picks: "sample",
  },
  temp: {
    params: {
      t: {
        type: "f32",
        values: oneOf([0, 1, -1, -0.5, 1e-3, 1e-6, 1e-20, 1e-30, 1e-34, 100, 1e10, 1e30], real(0.01, 5)),
      },
    },
    llama: ({ t }) => ({ name: "temp", t: t! }),
  },
  top_k: {
    params: {
      k: { type: "i32", isStatic: true, values: oneOf([0, -1, 1, 2, 3, 40, 5000], fc.integer({ min: 1, max: 300 })) },
    },
    llama: ({ k }) => ({ name: "top_k", k: k! }),
    sorts: ({ k }) => k! > 0,
  },
  top_p: {
    params: {
      p: { type: "f32", values: oneOf([0, 1, -1, 2, 1e-9, 0.5, 0.95, 0.999], real(0, 1)) },
      min_keep: minKeep,
    },
    llama: ({ p, min_keep }) => ({ name: "top_p", p: p!, min_keep: min_keep! }),
    // the order of rows is static, so a uniform that is 1 for now leaves them sorted
    sorts: ({ p }, mode) => mode === "uniform" || Math.fround(p!) < 1,
    margin: nucleusMargin,
  },
  min_p: {
    params: {
      p: { type: "f32", values: oneOf([0, 1, -1, 1e-9, 0.05, 0.5, 1e-38], real(0, 1)) },
      min_keep: minKeep,
    },
    llama: ({ p, min_keep }) => ({ name: "min_p", p: p!, min_keep: min_keep! }),
    llamaSorts: ({ logits }, { p, min_keep }) => {
      const threshold = Math.max(...logits) + Math.log(p!);
      return p! > 0 && logits.filter((x) => x >= threshold).length < min_keep!;
    },
    margin: (before, args) => (args["p"]! > 0 ? thresholdMargin(before, args) : Infinity),
  },
  top_n_sigma: {
    params: { n: { type: "f32", values: oneOf([0, -1, 1, 2, 1e-6, 1e6], real(0, 4)) } },
    llama: ({ n }) => ({ name: "top_n_sigma", n: n! }),
    margin: (before, args) => (args["n"]! > 0 ? deviationMargin(before, args) : Infinity),
  },
};
