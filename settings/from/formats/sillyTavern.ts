/**
 * A preset of SillyTavern, for text completion or for KoboldAI, as SillyTavern sends it to KoboldCpp: of its orders KoboldCpp
 * reads `sampler_order` only. Notes name the settings for other backends.
 */
import { MAX_HISTORY } from "@ggsl/compiler/llama/contexts.js";
import { settingsOf, type ObjectNode } from "../nodes.js";
import type { Bias, ImportedGrammar, ImportOptions, Plan } from "../plan.js";
import { openReader, type Reader } from "../reader.js";
import { schemaOf } from "./jsonFormat.js";
import { koboldStages, type KoboldNames } from "./kobold.js";
import { guidanceOf, readCommon } from "./koboldCpp.js";
import { TEXT_BIASES } from "./llama.js";
import { numberOf, textOf } from "../values.js";
import { FIELDS } from "./fields.js";

/** Settings that KoboldCpp does not read, and the values that turn them off. */
const ELSEWHERE: Readonly<Record<string, number>> = {
  epsilon_cutoff: 0,
  eta_cutoff: 0,
  no_repeat_ngram_size: 0,
  penalty_alpha: 0,
  num_beams: 1,
  length_penalty: 1,
  min_length: 0,
  encoder_rep_pen: 1,
  freq_pen: 0,
  skew: 0,
  rep_pen_decay: 0,
  min_keep: 0,
};
const OTHER_ORDERS = ["sampler_priority", "samplers", "samplers_priorities"];

const NAMES: KoboldNames = {
  temperature: "temp",
  topK: "top_k",
  typical: "typical_p",
  repPen: "rep_pen",
  presence: "presence_pen",
  order: "sampler_order",
  mirostat: "mirostat_mode",
  nsigma: "nsigma",
};

export function fromSillyTavern(root: ObjectNode, options: ImportOptions): Plan {
  const reader = openReader(settingsOf(root));
  const unit = { min: 0, max: 1 };
  const dynamic = dynamicTemperature(reader);
  const typical = reader.number("typical", unit);
  const mirostat = reader.whole("mirostat", { min: 0, max: 2 });
  const sigma = reader.number("top_n_sigma");
  const settings = {
    ...readCommon(reader),
    ...dynamic,
    topK: reader.whole("top_k", { min: -1 }) ?? 0,
    topP: reader.number("top_p", unit) ?? 1,
    minP: reader.number("min_p", unit) ?? 0,
    typical: reader.number("typical_p", unit) ?? typical ?? 1,
    nsigma: reader.number("nsigma") ?? sigma ?? 0,
    repPenRange: reader.whole("rep_pen_range", { min: 0, max: MAX_HISTORY }) ?? 0,
    presencePenalty: reader.number("presence_pen") ?? 0,
    mirostat: reader.whole("mirostat_mode", { min: 0, max: 2 }) ?? mirostat ?? 0,
    grammar: grammarOf(reader),
    seed: reader.seed("seed", (seed) => seed <= 0n) ?? "random",
    ...textBans(reader),
    guidance: guidanceOf(reader, reader.text("negative_prompt") ?? ""),
  } as const;
  const stages = koboldStages(settings, NAMES, reader, options.eos ?? []);
  noteElsewhere(reader);
  reader.finish(FIELDS.sillytavern);
  return { tool: "SillyTavern, as KoboldCpp gets them", stages, notes: reader.notes };
}

/** SillyTavern sends the midpoint and half the width of a dynamic temperature. */
function dynamicTemperature(reader: Reader): { temperature: number; dynatempRange: number } {
  const temperature = reader.number("temp", { min: 0 }) ?? 1;
  const [low, high] = [reader.number("min_temp", { min: 0 }) ?? 0, reader.number("max_temp", { min: 0 }) ?? 2];
  if (reader.flag("dynatemp") !== true) {
    for (const key of ["min_temp", "max_temp"]) reader.note("idle", key, "dynatemp is false");
    return { temperature, dynatempRange: 0 };
  }
  if (high < low) reader.refuse("max_temp", `at least min_temp, which is ${low}`);
  reader.note("idle", "temp", "dynatemp is true, so min_temp and max_temp decide");
  return { temperature: (low + high) / 2, dynatempRange: (high - low) / 2 };
}

function noteElsewhere(reader: Reader): void {
  for (const [key, off] of Object.entries(ELSEWHERE)) {
    const value = reader.number(key);
    if (value !== undefined && value !== off) reader.note("lost", key, "KoboldCpp does not read it");
  }
  for (const key of OTHER_ORDERS) reader.note("idle", key, "KoboldCpp's order is sampler_order");
  if (reader.flag("temperature_last") === true)
    reader.note("idle", "temperature_last", "KoboldCpp's order is sampler_order");
  if (reader.flag("early_stopping") === true) reader.note("lost", "early_stopping", "it belongs to beam search");
  for (const key of ["do_sample", "ignore_eos_token", "ignore_eos_token_aphrodite", "speculative_ngram"])
    if (reader.flag(key) !== undefined) reader.note("idle", key, "KoboldCpp does not read it");
}

/** `grammar` is another name of `grammar_string`. A preset without a schema has an empty object. */
function grammarOf(reader: Reader): ImportedGrammar | undefined {
  const [string, other] = [reader.text("grammar_string"), reader.text("grammar")];
  const schema = reader.node("json_schema");
  const isEmpty = schema?.kind === "object" && schema.members.size === 0;
  const key = string ? "grammar_string" : "grammar";
  const text = string || other;
  if (!text) return schema && !isEmpty ? schemaOf(reader, "json_schema") : undefined;
  if (!isEmpty) reader.note("idle", "json_schema", "a grammar is also given");
  return { key, text };
}

// ---------------------------------------------------------------- biases and bans

/** `banned_tokens`: on each line a phrase in quotation marks, ids in brackets, or a text, with its blanks. `logit_bias`: objects of text and value. */
function textBans(reader: Reader): { biases: Bias[]; bannedPhrases: string[] } {
  const lines = ["banned_tokens", "global_banned_tokens"].flatMap((key) => {
    const found = (reader.text(key) ?? "").split("\n").map((line) => ({ key, line }));
    return found.filter(({ line }) => line !== "");
  });
  const phrases = lines.filter(({ line }) => isQuoted(line));
  const bannedPhrases = [...new Set(phrases.map(({ line }) => line.slice(1, -1)))].filter((word) => word !== "");
  const banned = lines.filter(({ line }) => !isQuoted(line));
  for (const key of new Set(banned.filter(({ line }) => !idsOf(line)).map((b) => b.key)))
    reader.note("differs", key, TEXT_BIASES);
  const bans = banned.flatMap(({ line }) => (idsOf(line) ?? [line]).map((token) => ({ token, bias: -Infinity })));
  return { biases: [...bans, ...biasEntries(reader)], bannedPhrases };
}

const isQuoted = (line: string): boolean => line.length > 1 && line.startsWith('"') && line.endsWith('"');

/** `[1, 2]` */
function idsOf(text: string): number[] | undefined {
  const [, list] = /^\[\s*(\d{1,9}(?:\s*,\s*\d{1,9})*)\s*\]$/.exec(text) ?? [];
  return list?.split(",").map(Number);
}

/** A text in braces is exact; others are trimmed, and begin with one blank (logit-bias.js). */
function biasEntries(reader: Reader): Bias[] {
  const key = "logit_bias";
  const node = reader.node(key);
  if (node === undefined) return [];
  const expected = "a list of objects of a text and a value";
  if (node.kind !== "array") return reader.refuse(key, expected);
  return node.items.flatMap((item) => {
    const inner = item.kind === "object" ? item.members : new Map<string, never>();
    const [text, value] = [inner.get("text"), inner.get("value")];
    const [of, bias] = [text && textOf(text), value && numberOf(value)];
    if (of === undefined || bias === undefined) return reader.refuse(key, expected);
    const trimmed = of.trim();
    if (trimmed === "") return [];
    const exact = /^\{([^]*)\}$/.exec(trimmed)?.[1];
    if (exact === "") return [];
    return (idsOf(trimmed) ?? [exact ?? ` ${trimmed}`]).map((token) => ({ token, bias }));
  });
}
