/** The host tail's stages: llama.cpp's own CPU samplers, with their parameters and the defaults of its command line. */
import type { Range } from "./graph.js";

export interface HostParam {
  readonly type: "f32" | "i32" | "seed" | "text" | "list";
  readonly range?: Range;
  /** A parameter without a default must be given. */
  readonly default?: number | string | readonly string[];
}

export interface HostSampler {
  readonly doc: string;
  /** Picks the token. */
  readonly picks?: true;
  readonly params: Readonly<Record<string, HostParam>>;
}

const f32 = (value: number, range: Range = {}): HostParam => ({ type: "f32", default: value, range });
const i32 = (value: number, range: Range = {}): HostParam => ({ type: "i32", default: value, range });
const seed: HostParam = { type: "seed", default: "random" };
const minKeep = i32(0, { min: 0 });
const UNIT: Range = { min: 0, max: 1 };

export const HOST_SAMPLERS: Readonly<Record<string, HostSampler>> = {
  greedy: { doc: "pick the token of the largest logit", picks: true, params: {} },
  dist: { doc: "pick a token at random", picks: true, params: { seed } },
  top_k: { doc: "keep the k best tokens", params: { k: i32(40) } },
  top_p: { doc: "nucleus sampling", params: { p: f32(0.95), min_keep: minKeep } },
  min_p: { doc: "keep tokens at least p times as likely as the best", params: { p: f32(0.05), min_keep: minKeep } },
  typical: { doc: "locally typical sampling", params: { p: f32(1), min_keep: minKeep } },
  temp: { doc: "divide the logits by t", params: { t: f32(0.8) } },
  temp_ext: { doc: "temperature from entropy", params: { t: f32(0.8), delta: f32(0), exponent: f32(1) } },
  xtc: { doc: "exclude top choices", params: { p: f32(0), t: f32(0.1), min_keep: minKeep, seed } },
  top_n_sigma: { doc: "keep logits within n standard deviations of the best", params: { n: f32(-1) } },
  mirostat: { doc: "Mirostat 1", picks: true, params: { tau: f32(5), eta: f32(0.1), m: i32(100, { min: 1 }), seed } },
  mirostat_v2: { doc: "Mirostat 2", picks: true, params: { tau: f32(5), eta: f32(0.1), seed } },
  penalties: {
    doc: "repetition, frequency and presence penalties",
    params: { last_n: i32(64), repeat: f32(1, { min: 0, minExcluded: true }), freq: f32(0), present: f32(0) },
  },
  dry: {
    doc: "penalise repeated sequences",
    params: {
      multiplier: f32(0),
      base: f32(1.75),
      allowed_length: i32(2, { min: 0 }),
      last_n: i32(64, { min: 0 }),
      breakers: { type: "list", default: ["\n", ":", '"', "*"] },
    },
  },
  adaptive_p: {
    doc: "keep picked tokens near a target probability",
    picks: true,
    params: { target: f32(-1, { max: 1 }), decay: f32(0.9, UNIT), seed },
  },
  grammar: {
    doc: "only tokens that a GBNF grammar accepts",
    params: { text: { type: "text" }, root: { type: "text", default: "root" } },
  },
  infill: { doc: "choose between text and end of text, for infilling", params: {} },
};
