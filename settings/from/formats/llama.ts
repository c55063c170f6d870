/** From llama.cpp's settings to a chain, as common_sampler_init builds one (common/sampling.cpp). */
import type { Range } from "@ggsl/compiler/core/range.js";
import { FIELD_NAMES, LLAMA_FIELDS, RANDOM_SEED, type FieldName } from "@ggsl/compiler/llama/fields.js";
import { DEFAULT_ORDER, LISTED_NAMES, type ListedName } from "@ggsl/compiler/llama/order.js";
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import { DEFAULT_BREAKERS, fieldsOf } from "@ggsl/compiler/llama/samplers.js";
import { show } from "../notes.js";
import { areStated, biases, grammar, MAX_LISTED, textDry, textPenalties } from "../pieces.js";
import type { Bias, ImportedGrammar, ImportOptions, Stage, TokenSet } from "../plan.js";
import type { Reader } from "../reader.js";
import * as stages from "../stages.js";
import type { Seed } from "../stages.js";

export const LLAMA_TOOL = `llama.cpp ${RELEASE.tag}`;

type Values = Readonly<Record<FieldName, number>>;

const DEFAULT_VALUES = Object.fromEntries(FIELD_NAMES.map((f) => [f, LLAMA_FIELDS[f].default])) as Values;

export interface LlamaSettings {
  readonly values: Values;
  readonly order: readonly ListedName[];
  readonly breakers: readonly string[];
  readonly biases: readonly Bias[];
  readonly grammar?: ImportedGrammar | undefined;
  readonly seed: Seed;
  readonly ignoreEos: boolean;
  readonly thinking: readonly Stage[];
  /** Stages of other tools that follow a sampler of the order. */
  readonly after?: Readonly<Partial<Record<ListedName, readonly Stage[]>>>;
}

export const DEFAULT_SETTINGS: LlamaSettings = {
  values: DEFAULT_VALUES,
  order: DEFAULT_ORDER,
  breakers: DEFAULT_BREAKERS,
  biases: [],
  seed: "random",
  ignoreEos: false,
  thinking: [],
};

const PENALTIES = { repeat: "repeat_penalty", freq: "frequency_penalty", present: "presence_penalty" } as const;

/** Why results with a grammar differ from llama.cpp's. */
export const GRAMMAR_DIFFERS =
  "llama.cpp picks a token first and asks the grammar afterwards; here the grammar comes first. The same texts are possible, " +
  "a seed may give another one of them";

/** The chain; settings that no sampler of it reads are noted. */
export function llamaStages(s: LlamaSettings, reader: Reader, { eos = [] }: ImportOptions): Stage[] {
  noteIdle(s, reader);
  if (s.grammar !== undefined) reader.note("differs", s.grammar.key, GRAMMAR_DIFFERS);
  const front = [
    ...s.thinking,
    ...(s.grammar === undefined ? [] : grammar(s.grammar)),
    ...biasStages(s.biases, reader, "logit_bias", s.ignoreEos ? endOf(eos) : undefined),
  ];
  const { mirostat, mirostat_tau: tau, mirostat_eta: eta, temperature } = s.values;
  if (mirostat !== 0)
    return [...front, ...stages.temp("temperature", temperature), ...stages.mirostat(mirostat, tau, eta, s.seed)];
  return [...front, ...ordered(s)];
}

/** Tags that a source does not state. */
export const DEFAULT_TAGS =
  "the thought is between <think> and </think>, which must be one token; other models have other tags, which the program can state";

/** The given tokens that end a text, or the model's. */
export const endOf = (eos: readonly number[]): TokenSet => ({ tokens: eos.length === 0 ? "end" : eos });

export const TEXT_BIASES =
  "a text must be one token of the model's vocabulary; the other tool gives the bias to each token of a text";

/** Biases, and the ban of tokens that end a text. If they are more than a program states, the calling program must feed them. */
export function biasStages(list: readonly Bias[], reader: Reader, key = "logit_bias", end?: TokenSet): Stage[] {
  if (list.some(({ token }) => typeof token === "string")) reader.note("differs", key, TEXT_BIASES);
  const ids = end && end.tokens !== "end" ? end.tokens.map((token) => ({ token, bias: -Infinity })) : [];
  const all = [...list, ...ids];
  const further = end?.tokens === "end" ? ["keep token not in tokens.end"] : [];
  if (areStated(all)) return biases(all, further);
  const text =
    `${list.length} biases are more than a program states: ${MAX_LISTED} tokens, and a few hundred different biases; ` +
    "feed them with the request";
  reader.note("lost", key, text);
  return [{ name: "logit_bias", args: {} }, ...biases(ids, further)];
}

/** The samplers in the order of the list, then adaptive_p or dist. From `infill` on, they run in the host tail. */
function ordered(s: LlamaSettings): Stage[] {
  const { order, values, seed } = s;
  const isAdaptive = order.includes("adaptive_p");
  const list = order.filter((name) => name !== "adaptive_p");
  const cut = list.includes("infill") ? list.indexOf("infill") : list.length;
  const last = isAdaptive
    ? stages.adaptiveP(Math.min(values.adaptive_target, 1), clamp(values.adaptive_decay, 0, 0.99), seed)
    : stages.dist(seed);
  const of = (name: ListedName): Stage[] => [...stagesOf(name, s), ...(s.after?.[name] ?? [])];
  const here = list.slice(0, cut).flatMap(of);
  const there = [...list.slice(cut).flatMap(of), ...last];
  return [...here, ...(cut < list.length ? stages.inTail(there) : there)];
}

const clamp = (x: number, min: number, max: number): number => Math.min(Math.max(x, min), max);

function stagesOf(name: ListedName, { values: v, breakers, seed }: LlamaSettings): Stage[] {
  switch (name) {
    case "penalties": {
      const { repeat_penalty: repeat, frequency_penalty: freq, presence_penalty: present } = v;
      return v.repeat_last_n < 0
        ? textPenalties(PENALTIES, { repeat, freq, present })
        : stages.penalties(PENALTIES, { lastN: v.repeat_last_n, repeat, freq, present });
    }
    case "dry": {
      const dry = {
        multiplier: v.dry_multiplier,
        base: v.dry_base,
        allowedLength: Math.max(1, v.dry_allowed_length),
        lastN: v.dry_penalty_last_n,
        breakers,
      };
      return dry.lastN < 0 ? textDry(dry) : stages.dry(dry);
    }
    case "top_n_sigma":
      return stages.topNSigma("top_n_sigma", v.top_n_sigma);
    case "top_k":
      return stages.topK("top_k", v.top_k);
    case "typ_p":
      return stages.typical("typical_p", v.typical_p, v.min_keep);
    case "top_p":
      return stages.topP("top_p", v.top_p, v.min_keep);
    case "min_p":
      return stages.minP("min_p", v.min_p, v.min_keep);
    case "xtc":
      return stages.xtc(v.xtc_probability, v.xtc_threshold, seed, v.min_keep);
    case "temperature":
      return stages.dynamicTemp("temperature", v.temperature, v.dynatemp_range, v.dynatemp_exponent);
    case "infill":
      return [{ name: "infill", args: {} }];
    case "adaptive_p":
      return [];
  }
}

// ---------------------------------------------------------------- notes

function noteIdle({ values, order }: LlamaSettings, reader: Reader): void {
  const idle = (fields: readonly string[], text: string): void =>
    fields.forEach((field) => reader.note("idle", field, text));
  const isDry = values.dry_multiplier !== 0;
  if (values.mirostat !== 0) {
    const unused = LISTED_NAMES.flatMap(fieldsOf);
    idle(
      [...unused.filter((f) => f !== "temperature"), "dry_sequence_breakers", "samplers", "min_keep"],
      "with mirostat only the temperature counts",
    );
    return;
  }
  idle(["mirostat_tau", "mirostat_eta"], "mirostat is 0");
  for (const name of LISTED_NAMES) {
    if (order.includes(name)) continue;
    const fields: readonly string[] = fieldsOf(name);
    idle(name === "dry" ? [...fields, "dry_sequence_breakers"] : fields, `\`${name}\` is not in the order of samplers`);
  }
  if (order.includes("xtc") && values.xtc_probability <= 0) idle(["xtc_threshold"], "xtc_probability is 0");
  if (order.includes("temperature") && values.dynatemp_range <= 0) idle(["dynatemp_exponent"], "dynatemp_range is 0");
  if (order.includes("dry") && !isDry)
    idle(["dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers"], "dry_multiplier is 0");
  if (order.includes("dry") && isDry && values.dry_penalty_last_n === 0)
    idle(["dry_multiplier", "dry_base", "dry_allowed_length", "dry_sequence_breakers"], "dry_penalty_last_n is 0");
  if (order.includes("penalties") && !stages.hasPenalties(strengthsOf(values)))
    idle(["repeat_last_n"], "all penalties are off");
  else if (order.includes("penalties") && values.repeat_last_n === 0)
    idle(Object.values(PENALTIES), "repeat_last_n is 0");
  if (order.includes("dry") && isDry && values.dry_allowed_length < 1)
    reader.note(
      "lost",
      "dry_allowed_length",
      `1 is the least here, and is taken instead of ${values.dry_allowed_length}`,
    );
}

const strengthsOf = (v: Values): { repeat: number; freq: number; present: number } => ({
  repeat: v.repeat_penalty,
  freq: v.frequency_penalty,
  present: v.presence_penalty,
});

// ---------------------------------------------------------------- what its sources share

const WHOLE_TEXT = `${LLAMA_TOOL} refuses -1; here it is the whole text, as in earlier releases`;

/** How a source of settings treats numbers. */
interface Source {
  /** Values outside this range are refused. */
  readonly range: (name: FieldName) => Range;
  /** llama.cpp's conversion of a value. */
  readonly convert: (name: FieldName, value: number) => number;
}

export function readValues(reader: Reader, { range, convert }: Source): Values {
  const entries = FIELD_NAMES.map((name): [FieldName, number] => {
    const { type } = LLAMA_FIELDS[name];
    const hasWindow = (name === "repeat_last_n" || name === "dry_penalty_last_n") && range(name).min === 0;
    const allowed = hasWindow ? { ...range(name), min: -1 } : range(name);
    const value = type === "i32" ? reader.whole(name, allowed) : reader.number(name, allowed);
    if (value === undefined) return [name, DEFAULT_VALUES[name]];
    if (hasWindow && value < 0) reader.note("differs", name, WHOLE_TEXT);
    const converted = convert(name, value);
    if (converted !== value) reader.note("idle", name, `llama.cpp takes ${value} as ${converted}`);
    return [name, converted];
  });
  return Object.fromEntries(entries) as Record<FieldName, number>;
}

/** -1 is the same seed in 32 bits. */
export const isRandomSeed = (seed: bigint): boolean => BigInt.asUintN(32, seed) === BigInt(RANDOM_SEED);

/** Replaces a value outside the sampler's range by the nearest valid one, which has the same effect in llama.cpp. */
export function effective(name: FieldName, value: number): number {
  if (name === "temperature") return Math.max(value, 0);
  return name === "min_p" ? Math.min(value, 1) : value;
}

/** The samplers that llama.cpp knows; it ignores others with a warning. */
export function known(
  names: readonly string[],
  find: (name: string) => ListedName | undefined,
  reader: Reader,
  key: string,
): ListedName[] {
  const unknown = names.filter((name) => find(name) === undefined);
  if (unknown.length > 0)
    reader.note("idle", key, `llama.cpp ignores samplers that it does not know: ${unknown.map(show).join(", ")}`);
  return names.flatMap((name) => find(name) ?? []);
}
