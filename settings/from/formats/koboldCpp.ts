/** A request to KoboldCpp, with its own defaults. */
import { MAX_HISTORY } from "@ggsl/compiler/llama/contexts.js";
import { parseJson } from "../json.js";
import { settingsOf, type ObjectNode } from "../nodes.js";
import type { Bias, ImportedGrammar, ImportOptions, Plan } from "../plan.js";
import { openReader, type Reader } from "../reader.js";
import { DEFAULT_KOBOLD_ORDER, koboldStages, MAX_SAMPLER, type KoboldNames, type KoboldSettings } from "./kobold.js";
import { MAX_LISTED } from "../pieces.js";
import { namedPhrases, PHRASE_FIELDS } from "../phrases.js";
import { responseFormat } from "./jsonFormat.js";
import { biasesOf } from "./llamaRequest.js";
import { FIELDS } from "./fields.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

const NAMES: KoboldNames = {
  temperature: "temperature",
  topK: "top_k",
  typical: "typical",
  repPen: "rep_pen",
  presence: "presence_penalty",
  order: "sampler_order",
  mirostat: "mirostat",
  nsigma: "nsigma",
};

export function fromKoboldCpp(root: ObjectNode, options: ImportOptions): Plan {
  const reader = openReader(settingsOf(root));
  const common = readCommon(reader);
  // an old name, which counts without the new one
  const bansEnd = reader.flag("use_default_badwordsids") ?? false;
  const settings: KoboldSettings = {
    ...common,
    bansEnd: reader.has("ban_eos_token") ? common.bansEnd : bansEnd,
    temperature: reader.number("temperature", { min: 0 }) ?? 0.75,
    topK: reader.whole("top_k", { min: -1 }) ?? 100,
    topP: reader.number("top_p", UNIT) ?? 0.92,
    minP: reader.number("min_p", UNIT) ?? 0,
    typical: reader.number("typical", UNIT) ?? 1,
    nsigma: reader.number("nsigma") ?? 0,
    repPenRange: reader.whole("rep_pen_range", WINDOW) ?? 320,
    presencePenalty: reader.number("presence_penalty") ?? 0,
    mirostat: reader.whole("mirostat", { min: 0, max: 2 }) ?? 0,
    dynatempRange: reader.number("dynatemp_range", { min: 0 }) ?? 0,
    grammar: grammarOf(reader),
    seed: reader.seed("sampler_seed", (seed) => seed <= 0n || seed === 0xffffffffn) ?? "random",
    biases: [...biasesOf(reader, "logit_bias").map(clamped), ...tokenBans(reader)],
    bannedPhrases: bannedPhrases(reader),
    guidance: guidanceOf(reader, reader.text("negative_prompt") ?? ""),
  };
  const stages = koboldStages(settings, NAMES, reader, options.eos ?? []);
  reader.finish(FIELDS.koboldcpp);
  return { tool: "KoboldCpp", stages, notes: reader.notes };
}

function grammarOf(reader: Reader): ImportedGrammar | undefined {
  const text = reader.text("grammar");
  if (!text) return responseFormat(reader);
  reader.note("idle", "response_format", "a grammar is also given");
  return { key: "grammar", text };
}

const UNIT = { min: 0, max: 1 };
const WINDOW = { min: 0, max: MAX_HISTORY };
/** In KoboldCpp 0 and below are the whole text. */
const DRY_WINDOW = { min: -1, max: MAX_HISTORY };

/** KoboldCpp's bound of a bias. */
const MOST = 100;
const clamped = ({ token, bias }: Bias): Bias => ({ token, bias: Math.min(Math.max(bias, -MOST), MOST) });

/** `custom_token_bans`: "1,2,3" */
function tokenBans(reader: Reader): Bias[] {
  const text = reader.text("custom_token_bans") ?? "";
  const words = text.split(",").map((word) => word.trim());
  return words.filter((word) => /^\d{1,9}$/.test(word)).map((word) => ({ token: Number(word), bias: -MOST }));
}

function bannedPhrases(reader: Reader): string[] {
  const given = Object.fromEntries(PHRASE_FIELDS.map((field) => [field, reader.texts(field)]));
  const { field, phrases } = namedPhrases((name) => given[name]) ?? { field: PHRASE_FIELDS[0], phrases: [] };
  if (phrases.length > MAX_LISTED) return reader.refuse(field, `a list of at most ${MAX_LISTED} texts`);
  return phrases.map(({ text }) => text);
}

/** Guidance needs a negative prompt. */
export function guidanceOf(reader: Reader, negative: string): number {
  const scale = reader.number("guidance_scale", { min: 0, max: 100 }) ?? 1;
  if (scale === 1) return 1;
  if (negative === "") {
    reader.note("idle", "guidance_scale", "there is no negative prompt");
    return 1;
  }
  reader.note("caller", "negative_prompt", "bind the guide `negative` to it: `guides: { negative: { prompt } }`");
  return scale;
}

type Own =
  "temperature" | "topK" | "topP" | "minP" | "typical" | "nsigma" | "repPenRange" | "presencePenalty" | "mirostat";

/** The settings with the same names in requests and presets. */
export function readCommon(
  reader: Reader,
): Omit<KoboldSettings, Own | "dynatempRange" | "grammar" | "seed" | "biases" | "bannedPhrases" | "guidance"> {
  return {
    topA: reader.number("top_a", UNIT) ?? 0,
    tfs: reader.number("tfs", UNIT) ?? 1,
    repPen: repetitionPenalty(reader),
    repPenSlope: reader.number("rep_pen_slope") ?? 1,
    mirostatTau: reader.number("mirostat_tau") ?? 5,
    mirostatEta: reader.number("mirostat_eta") ?? 0.1,
    dry: {
      multiplier: reader.number("dry_multiplier") ?? 0,
      base: reader.number("dry_base") ?? 1.75,
      allowedLength: reader.whole("dry_allowed_length", { min: 1 }) ?? 2,
      lastN: reader.whole("dry_penalty_last_n", DRY_WINDOW) ?? 320,
      breakers: breakersOf(reader),
    },
    xtcProbability: reader.number("xtc_probability", UNIT) ?? 0,
    xtcThreshold: reader.number("xtc_threshold", UNIT) ?? 0.2,
    dynatempExponent: reader.number("dynatemp_exponent") ?? 1,
    smoothingFactor: reader.number("smoothing_factor") ?? 0,
    smoothingCurve: reader.number("smoothing_curve") ?? 1,
    adaptiveTarget: reader.number("adaptive_target", { max: 1 }) ?? -1,
    adaptiveDecay: Math.min(Math.max(reader.number("adaptive_decay") ?? 0.9, 0.01), 0.99),
    order: orderOf(reader),
    bansEnd: reader.flag("ban_eos_token") ?? false,
  };
}

/** KoboldCpp has three names for it, and takes the largest of their values and 1. */
function repetitionPenalty(reader: Reader): number {
  const names = ["rep_pen", "repeat_penalty", "repetition_penalty"];
  const values = names.map((name) => reader.number(name, { min: 0, minExcluded: true }) ?? 1);
  const most = greatest(values, 1);
  names.forEach((name, i) => {
    if (values[i]! < most) reader.note("idle", name, "KoboldCpp takes the largest of its names for it, and 1");
  });
  return most;
}

function orderOf(reader: Reader): readonly number[] {
  const order = reader.tokens("sampler_order");
  if (order === undefined || order.length === 0) return DEFAULT_KOBOLD_ORDER;
  if (order.some((id) => id > MAX_SAMPLER) || order.length > MAX_SAMPLER + 1)
    reader.refuse("sampler_order", `a list of at most ${MAX_SAMPLER + 1} numbers from 0 to ${MAX_SAMPLER}`);
  return order;
}

/** A list of texts, or a JSON string of such a list. */
function breakersOf(reader: Reader): readonly string[] {
  const node = reader.node("dry_sequence_breakers");
  if (node?.kind !== "string") return reader.texts("dry_sequence_breakers") ?? [];
  if (node.value.trim() === "") return [];
  const list = parseJson(node.value, `${node.place}: "dry_sequence_breakers"`);
  const texts =
    list.kind === "array" ? list.items.map((item) => (item.kind === "string" ? item.value : undefined)) : [];
  if (list.kind !== "array" || texts.some((text) => text === undefined))
    return reader.refuse("dry_sequence_breakers", "a list of texts");
  return texts as string[];
}
