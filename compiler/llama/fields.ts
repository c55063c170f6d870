/**
 * The numeric sampling settings of llama.cpp: their names in its command line, its server and a model's file, their defaults and
 * their valid values. Facts from common/common.h, common/arg.cpp, common/common.cpp and
 * tools/server/server-schema.cpp.
 */
import type { Range } from "../core/range.js";
import { MAX_HISTORY } from "./contexts.js";

interface LlamaField {
  readonly type: "f32" | "i32";
  readonly default: number;
  /** An export writes the first one; a setting only of requests has none. */
  readonly flags: readonly string[];
  /** The key in a model's file, after `general.sampling.`. */
  readonly gguf?: string;
  /** Values that both llama.cpp and GGSL accept. */
  readonly range?: Range;
  /** Bounds to which llama-server clamps the values of a request. */
  readonly clamp?: readonly [min: number, max: number];
  /** Values that llama-server rejects but the command line accepts. */
  readonly requestRange?: Range;
}

const UNIT = [0, 1] as const;
const NOT_NEGATIVE = { min: 0 } as const;
const WINDOW = { min: 0, max: MAX_HISTORY } as const;

const f32 = (value: number, flags: readonly string[], more: Partial<LlamaField> = {}): LlamaField => ({
  type: "f32",
  default: value,
  flags,
  ...more,
});
const i32 = (value: number, flags: readonly string[], more: Partial<LlamaField> = {}): LlamaField => ({
  ...f32(value, flags, more),
  type: "i32",
});

/** The fields by llama-server's names. */
export const LLAMA_FIELDS = {
  top_k: i32(40, ["--top-k"], { gguf: "top_k", clamp: [0, Infinity] }),
  top_p: f32(0.95, ["--top-p"], { gguf: "top_p", clamp: UNIT }),
  min_p: f32(0.05, ["--min-p"], { gguf: "min_p", clamp: UNIT }),
  top_n_sigma: f32(-1, ["--top-n-sigma", "--top-nsigma"]),
  xtc_probability: f32(0, ["--xtc-probability"], { gguf: "xtc_probability", clamp: UNIT }),
  xtc_threshold: f32(0.1, ["--xtc-threshold"], { gguf: "xtc_threshold", clamp: UNIT }),
  typical_p: f32(1, ["--typical-p", "--typical"]),
  temperature: f32(0.8, ["--temp", "--temperature"], { gguf: "temp", clamp: [0, Infinity] }),
  dynatemp_range: f32(0, ["--dynatemp-range"]),
  dynatemp_exponent: f32(1, ["--dynatemp-exp"]),
  repeat_last_n: i32(64, ["--repeat-last-n"], { gguf: "penalty_last_n", range: WINDOW }),
  repeat_penalty: f32(1, ["--repeat-penalty"], { gguf: "penalty_repeat", range: { min: 0, minExcluded: true } }),
  frequency_penalty: f32(0, ["--frequency-penalty"]),
  presence_penalty: f32(0, ["--presence-penalty"]),
  dry_multiplier: f32(0, ["--dry-multiplier"]),
  dry_base: f32(1.75, ["--dry-base"]),
  dry_allowed_length: i32(2, ["--dry-allowed-length"], { requestRange: NOT_NEGATIVE }),
  dry_penalty_last_n: i32(64, ["--dry-penalty-last-n"], { range: WINDOW }),
  mirostat: i32(0, ["--mirostat"], { gguf: "mirostat", range: { min: 0, max: 2 } }),
  mirostat_tau: f32(5, ["--mirostat-ent"], { gguf: "mirostat_tau" }),
  mirostat_eta: f32(0.1, ["--mirostat-lr"], { gguf: "mirostat_eta" }),
  adaptive_target: f32(-1, ["--adaptive-target"]),
  adaptive_decay: f32(0.9, ["--adaptive-decay"], { requestRange: { min: 0, max: 0.99 } }),
  min_keep: i32(0, [], { range: NOT_NEGATIVE }),
} as const satisfies Record<string, LlamaField>;

export type FieldName = keyof typeof LLAMA_FIELDS;
export const FIELD_NAMES = Object.keys(LLAMA_FIELDS) as FieldName[];
export const fieldOf = (name: FieldName): LlamaField => LLAMA_FIELDS[name];

/** The seed value that means a random seed. */
export const RANDOM_SEED = 0xffffffff;
