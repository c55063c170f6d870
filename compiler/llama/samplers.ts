/**
 * llama.cpp's own CPU samplers, which the host tail runs: their parameters, with the defaults of its command line. A parameter
 * that corresponds to a setting of llama.cpp has that setting's default.
 */
import type { Range } from "../core/range.js";
import { MAX_HISTORY } from "./contexts.js";
import { LLAMA_FIELDS, type FieldName } from "./fields.js";
import type { ListedName } from "./order.js";

export interface TailParam {
  readonly type: "f32" | "i32" | "seed" | "text" | "list";
  /** Values that neither abort llama.cpp nor exhaust memory. */
  readonly range?: Range;
  /** A parameter without a default must be given. */
  readonly default?: number | string | readonly string[];
  /** The corresponding setting. */
  readonly field?: FieldName;
}

export interface TailSampler {
  readonly doc: string;
  /** Its name in llama.cpp's order of samplers. */
  readonly listed?: ListedName;
  /** Picks the token. */
  readonly picks?: true;
  /** What it remembers depends on the rows that it had, not only on the tokens and on how many there were. */
  readonly remembersRows?: true;
  /** It needs the vocabulary size: the model's, or the parameter `n_vocab`, which programs do not have. */
  readonly isSized?: true;
  readonly params: Readonly<Record<string, TailParam>>;
}

const of = (field: FieldName, range: Range = {}) =>
  ({ type: LLAMA_FIELDS[field].type, default: LLAMA_FIELDS[field].default, range, field }) as const;
const seed = { type: "seed", default: "random" } as const;
const minKeep = of("min_keep", { min: 0 });

export const DEFAULT_BREAKERS: readonly string[] = ["\n", ":", '"', "*"];

const SAMPLERS = {
  greedy: { doc: "pick the token with the largest logit", picks: true, params: {} },
  dist: { doc: "pick a token at random", picks: true, params: { seed } },
  // 0 or less: off
  top_k: { doc: "keep the k best tokens", listed: "top_k", params: { k: of("top_k") } },
  top_p: { doc: "nucleus sampling", listed: "top_p", params: { p: of("top_p"), min_keep: minKeep } },
  min_p: {
    doc: "keep tokens at least p times as likely as the best",
    listed: "min_p",
    params: { p: of("min_p"), min_keep: minKeep },
  },
  typical: { doc: "locally typical sampling", listed: "typ_p", params: { p: of("typical_p"), min_keep: minKeep } },
  // 0 or less: only the best row stays
  temp: { doc: "divide the logits by t", listed: "temperature", params: { t: of("temperature") } },
  // a `delta` of 0 or less: off
  temp_ext: {
    doc: "temperature from entropy",
    listed: "temperature",
    params: { t: of("temperature"), delta: of("dynatemp_range"), exponent: of("dynatemp_exponent") },
  },
  xtc: {
    doc: "exclude top choices",
    listed: "xtc",
    remembersRows: true,
    params: { p: of("xtc_probability"), t: of("xtc_threshold"), min_keep: minKeep, seed },
  },
  top_n_sigma: {
    doc: "keep logits within n standard deviations of the best",
    listed: "top_n_sigma",
    params: { n: of("top_n_sigma") },
  },
  mirostat: {
    doc: "Mirostat 1",
    picks: true,
    remembersRows: true,
    isSized: true,
    params: {
      tau: of("mirostat_tau"),
      eta: of("mirostat_eta"),
      // llama.cpp's programs use no other value
      m: { type: "i32", default: 100, range: { min: 1 } },
      seed,
    },
  },
  mirostat_v2: {
    doc: "Mirostat 2",
    picks: true,
    remembersRows: true,
    params: { tau: of("mirostat_tau"), eta: of("mirostat_eta"), seed },
  },
  penalties: {
    doc: "repetition, frequency and presence penalties",
    listed: "penalties",
    isSized: true,
    params: {
      // llama.cpp's programs refuse a negative window, which other tools take for the whole context; 0: off
      last_n: of("repeat_last_n", { min: 0, max: MAX_HISTORY }),
      repeat: of("repeat_penalty", { min: 0, minExcluded: true }),
      freq: of("frequency_penalty"),
      present: of("presence_penalty"),
    },
  },
  dry: {
    doc: "penalise repeated sequences",
    listed: "dry",
    params: {
      multiplier: of("dry_multiplier"),
      base: of("dry_base"),
      allowed_length: of("dry_allowed_length", { min: 0, max: MAX_HISTORY }),
      last_n: of("dry_penalty_last_n", { min: 0, max: MAX_HISTORY }),
      breakers: { type: "list", default: DEFAULT_BREAKERS },
    },
  },
  // a `target` below 0: off, but a row is still drawn
  adaptive_p: {
    doc: "keep the picked tokens' probability near a target",
    listed: "adaptive_p",
    picks: true,
    remembersRows: true,
    params: { target: of("adaptive_target", { max: 1 }), decay: of("adaptive_decay", { min: 0, max: 1 }), seed },
  },
  grammar: {
    doc: "only tokens that a GBNF grammar accepts",
    params: { text: { type: "text" }, root: { type: "text", default: "root" } },
  },
  infill: { doc: "choose between text and end of text, for infilling", listed: "infill", params: {} },
} as const satisfies Record<string, TailSampler>;

export type TailSamplers = typeof SAMPLERS;
export const TAIL_SAMPLERS: Readonly<Record<string, TailSampler>> = SAMPLERS;

/** The settings that only the samplers with a given name in llama.cpp's order read. */
export const fieldsOf = (listed: ListedName): readonly FieldName[] => [
  ...new Set(
    Object.values(TAIL_SAMPLERS)
      .filter((sampler) => sampler.listed === listed)
      .flatMap(({ params }) => Object.values(params))
      .flatMap(({ field }) => (field === undefined || field === "min_keep" ? [] : [field])),
  ),
];
