/**
 * Fields of other tools' requests that are about the sampler. Their ranges are those of the compiler's table of llama.cpp's settings,
 * and the readers of `ggsl import` make stages of them (`engine/wishes.ts`).
 */
import { LLAMA_FIELDS, fieldOf as llamaField, type FieldName as LlamaName } from "@ggsl/compiler/llama/fields.js";
import { DEFAULT_ORDER, samplerNamed, samplerOfLetter } from "@ggsl/compiler/llama/order.js";
import * as schema from "./schemas.js";
import type { FieldSchema } from "./schemas.js";

interface SamplerField {
  readonly schema: FieldSchema;
  readonly about: string;
  readonly neutral?: readonly unknown[];
  readonly asksNothing?: (value: unknown) => boolean;
  readonly beside?: string;
}

/** Tokens of the window of penalties. */
export const LONGEST_WINDOW = 2 ** 20;

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A number with the range that llama-server takes, or a narrower one. */
function numeric(name: LlamaName, narrower: Bounds = {}): FieldSchema {
  const { type, range, requestRange, clamp = [] } = llamaField(name);
  const bounds = [clamp, [range?.min, range?.max], [requestRange?.min, requestRange?.max]];
  const [minimum, maximum] = [0, 1].map((at) =>
    bounds.map((pair) => pair[at]).find((one) => one !== undefined && Number.isFinite(one)),
  );
  return {
    type: type === "i32" ? "integer" : "number",
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(type === "i32" && maximum === undefined && { maximum: schema.MOST_INTEGER }),
    ...narrower,
  };
}

const standard = (name: LlamaName): number => LLAMA_FIELDS[name].default;
const isAtMost =
  (most: number) =>
  (value: unknown): boolean =>
    typeof value === "number" && value <= most;

/** A setting of a stage that another field turns on. */
const setting = (name: LlamaName, beside: string, about: string, narrower: Bounds = {}): SamplerField => ({
  schema: numeric(name, narrower),
  about: `${about}; default ${standard(name)}`,
  neutral: [standard(name)],
  beside,
});

const WINDOW = { minimum: -1, maximum: LONGEST_WINDOW };

/** The order of stages, by llama.cpp's names or letters. */
function isDefaultOrder(value: unknown): boolean {
  const names =
    typeof value === "string"
      ? Array.from(value, samplerOfLetter)
      : Array.isArray(value) && value.map((name) => (typeof name === "string" ? samplerNamed(name) : undefined));
  return Array.isArray(names) && (names.length === 0 || JSON.stringify(names) === JSON.stringify(DEFAULT_ORDER));
}

/** Each of these, if it asks for something, makes another chain. */
export const SAMPLER_FIELDS = {
  samplers: {
    schema: { anyOf: [schema.text, schema.listOf(schema.text, { maxItems: 64 })] },
    about:
      "the order of stages, by llama.cpp's names or letters; a stage that is not named does nothing, and its fields are in `x-ggsl-ignored`",
    neutral: [DEFAULT_ORDER, [], ""],
    asksNothing: isDefaultOrder,
  },
  typical_p: {
    schema: numeric("typical_p", { minimum: 0, maximum: 1 }),
    about: "locally typical sampling; 1: off",
    neutral: [1],
  },
  top_n_sigma: {
    schema: numeric("top_n_sigma"),
    about: "keeps logits within so many standard deviations of the best; 0 or less: off",
    neutral: [-1, 0],
    asksNothing: isAtMost(0),
  },
  min_keep: { schema: numeric("min_keep"), about: "the fewest candidates that a stage leaves", neutral: [0] },
  xtc_probability: {
    schema: numeric("xtc_probability"),
    about: "how often all top choices but the least are excluded; 0: off",
    neutral: [0],
  },
  xtc_threshold: setting("xtc_threshold", "xtc_probability", "the probability of a top choice"),
  dry_multiplier: {
    schema: numeric("dry_multiplier"),
    about: "strength of the penalty of repeated sequences; 0: off",
    neutral: [0],
  },
  dry_base: setting("dry_base", "dry_multiplier", "how fast it grows with the length of the sequence"),
  dry_allowed_length: setting("dry_allowed_length", "dry_multiplier", "sequences shorter than this are free", {
    minimum: 1,
  }),
  dry_penalty_last_n: setting("dry_penalty_last_n", "dry_multiplier", "its window; -1: the whole text", WINDOW),
  dry_sequence_breakers: {
    schema: schema.listOf(schema.text, { maxItems: 64 }),
    about: "texts at which a sequence ends; default: a line break, `:`, a quotation mark, `*`",
    beside: "dry_multiplier",
  },
  dynatemp_range: {
    schema: numeric("dynatemp_range", { minimum: 0 }),
    about: "the temperature differs by so much, by the entropy; 0: off",
    neutral: [0],
  },
  dynatemp_exponent: setting("dynatemp_exponent", "dynatemp_range", "its exponent", { minimum: 0 }),
  mirostat: {
    schema: numeric("mirostat"),
    about: "1 or 2: Mirostat of this version, beside the temperature alone; 0: off",
    neutral: [0],
  },
  mirostat_tau: setting("mirostat_tau", "mirostat", "its target, in bits"),
  mirostat_eta: setting("mirostat_eta", "mirostat", "its rate"),
  adaptive_target: {
    schema: numeric("adaptive_target", { maximum: 1 }),
    about:
      "the probability that picked tokens have on average; below 0: off. It is the last stage, where `samplers` names no other place",
    neutral: [-1],
    asksNothing: (value) => typeof value === "number" && value < 0,
  },
  adaptive_decay: setting("adaptive_decay", "adaptive_target", "how long it remembers"),
  top_a: {
    schema: schema.number(0, 1),
    about:
      "KoboldCpp's: the least probability, relative to the square of the likeliest token's; 0: off. It follows `top_k`",
    neutral: [0],
  },
  tfs: {
    schema: schema.number(0, 1),
    about: "KoboldCpp's tail-free sampling; 1: off. It follows `top_k`",
    neutral: [1],
  },
  smoothing_factor: {
    schema: { type: "number", minimum: 0 },
    about: "KoboldCpp's quadratic transformation of logits; 0: off. It follows the temperature",
    neutral: [0],
  },
  smoothing_curve: {
    schema: { type: "number" },
    about: "its curve; default 1",
    neutral: [1],
    beside: "smoothing_factor",
  },
  bad_words: {
    schema: schema.listOf(schema.text, { maxItems: 256 }),
    about: "vLLM's: texts whose last token is banned where the others stand before it, also after a blank",
    neutral: [[]],
  },
  allowed_token_ids: {
    schema: schema.listOf(schema.integer(0), { maxItems: 4096 }),
    about: "vLLM's: no other tokens; the end of the text is one of them, or it has none",
    neutral: [[]],
  },
} as const satisfies Readonly<Record<string, SamplerField>>;

type SamplerFieldName = keyof typeof SAMPLER_FIELDS;

export const SAMPLER_FIELD_NAMES = Object.keys(SAMPLER_FIELDS) as SamplerFieldName[];

/** Fields with a number, which a chain may have a uniform for. */
export type NumericFieldName = Exclude<
  SamplerFieldName,
  "samplers" | "dry_sequence_breakers" | "bad_words" | "allowed_token_ids"
>;

export const NUMERIC_FIELD_NAMES = SAMPLER_FIELD_NAMES.filter((name): name is NumericFieldName =>
  ["number", "integer"].includes((SAMPLER_FIELDS[name].schema as { readonly type?: string }).type ?? ""),
);
