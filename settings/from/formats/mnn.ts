/**
 * MNN's llm_config.json or config.json (transformers/llm/engine/src, sampler.cpp and llmconfig.hpp, as of 2025).
 *
 * Each of its filters uses the softmax of the logits divided by the temperature, and does not change the logits, so here the
 * temperature comes before all of them. `mixed` runs the filters in the order of its list.
 */
import { settingsOf, type ObjectNode } from "../nodes.js";
import type { Plan, Stage } from "../plan.js";
import { openReader, type Reader } from "../reader.js";
import * as stages from "../stages.js";
import { uniform } from "../stages.js";
import { FIELDS } from "./fields.js";

const FILTERS = ["penalty", "topK", "topP", "minP", "tfs", "typical"] as const;
type Filter = (typeof FILTERS)[number];
const SELECTORS = ["greedy", "temperature"];
/** MNN's default. It contains `min_p`, which MNN does not know as a sampler and ignores. */
const DEFAULT_MIXED = ["topK", "tfs", "typical", "topP", "min_p", "temperature"];

/** Filters that read the temperature from the file; without any of them it is 0.8. */
const READS_TEMPERATURE: readonly string[] = ["temperature", "topP", "minP", "tfs", "typical"];
const OTHER_TEMPERATURE = 0.8;
const MAX_PENALTY = 10;

export function fromMnn(root: ObjectNode): Plan {
  const reader = openReader(settingsOf(root));
  const type = reader.text("sampler_type") ?? "mixed";
  if (type !== "mixed" && !SELECTORS.includes(type) && !isFilter(type))
    reader.refuse("sampler_type", ["mixed", ...SELECTORS, ...FILTERS].join(", "));
  const mixed = reader.texts("mixed_samplers");
  if (mixed?.length === 0) reader.refuse("mixed_samplers", "a list of at least one sampler");
  if (type !== "mixed") reader.note("idle", "mixed_samplers", `sampler_type is ${type}`);
  const list = type === "mixed" ? (mixed ?? DEFAULT_MIXED) : [type];
  const made = chain(reader, list, selectorOf(reader, type, list));
  reader.finish(FIELDS.mnn);
  return { tool: "MNN", stages: made, notes: reader.notes };
}

const isFilter = (name: string): name is Filter => (FILTERS as readonly string[]).includes(name);

/** The sampler that picks the token. */
function selectorOf(reader: Reader, type: string, list: readonly string[]): string {
  const given = reader.text("penalty_sampler");
  if (given !== undefined && !SELECTORS.includes(given)) reader.refuse("penalty_sampler", SELECTORS.join(" or "));
  if (type === "penalty") return given ?? "greedy";
  reader.note("idle", "penalty_sampler", "it counts where sampler_type is penalty");
  return list.at(-1) === "greedy" ? "greedy" : "temperature";
}

function chain(reader: Reader, list: readonly string[], selector: string): Stage[] {
  const unknown = list.filter((name) => !isFilter(name) && !SELECTORS.includes(name));
  if (unknown.length > 0) reader.note("idle", "mixed_samplers", `MNN ignores unknown samplers: ${unknown.join(", ")}`);
  const filters = list.filter(isFilter);
  const hasTemperature = READS_TEMPERATURE.some((name) => list.includes(name));
  const given = reader.number("temperature", { min: 0, minExcluded: true }) ?? 1;
  if (selector === "greedy" && !hasTemperature) reader.note("idle", "temperature", "the best token is picked");
  else if (!hasTemperature)
    reader.note("idle", "temperature", `MNN does not read it for ${list.join(", ")}, and takes 0.8`);
  for (const filter of FILTERS) {
    const values = SETTINGS[filter](reader);
    if (filters.includes(filter)) continue;
    values.forEach((key) => reader.note("idle", key, `\`${filter}\` is not among the samplers`));
  }
  if (filters.indexOf("penalty") > 0)
    reader.note(
      "differs",
      "mixed_samplers",
      "behind a sampler that shortens the list MNN's penalty falls on other tokens; here on those that it is meant for",
    );
  const needsProbs = selector !== "greedy" || filters.some((filter) => READS_TEMPERATURE.includes(filter));
  return [
    ...(needsProbs ? stages.temp("temperature", hasTemperature ? given : OTHER_TEMPERATURE) : []),
    ...filters.flatMap((filter) => STAGES[filter](reader)),
    ...(selector === "greedy" ? stages.greedy() : stages.dist("random")),
  ];
}

// ---------------------------------------------------------------- filters

const UNIT = { min: 0, max: 1 };

const topK = (reader: Reader): number => reader.whole("topK", { min: 1 }) ?? 40;
const topP = (reader: Reader): number => reader.number("topP", UNIT) ?? 0.9;
const minP = (reader: Reader): number => reader.number("minP", UNIT) ?? 0.1;
const tfsZ = (reader: Reader): number => reader.number("tfsZ", UNIT) ?? 1;
const typical = (reader: Reader): number => reader.number("typical", UNIT) ?? 1;

interface Penalty {
  readonly penalty: number;
  readonly ngram: number;
  readonly factor: number;
}

function penalty(reader: Reader): Penalty {
  const length = reader.whole("ngram", { min: 1, max: 2 ** 16 });
  return {
    penalty: Math.min(reader.number("penalty", { min: 0 }) ?? 0, MAX_PENALTY),
    ngram: reader.whole("n_gram", { min: 1, max: 2 ** 16 }) ?? length ?? 8,
    factor: reader.number("ngram_factor", { min: 0 }) ?? 1,
  };
}

/** Reads the settings of a filter, so that a wrong value is an error even if it has no effect; returns their names. */
const SETTINGS: Readonly<Record<Filter, (reader: Reader) => readonly string[]>> = {
  penalty: (reader) => (penalty(reader), ["penalty", "ngram", "n_gram", "ngram_factor"]),
  topK: (reader) => (topK(reader), ["topK"]),
  topP: (reader) => (topP(reader), ["topP"]),
  minP: (reader) => (minP(reader), ["minP"]),
  tfs: (reader) => (tfsZ(reader), ["tfsZ"]),
  typical: (reader) => (typical(reader), ["typical"]),
};

const STAGES: Readonly<Record<Filter, (reader: Reader) => Stage[]>> = {
  penalty: (reader) => penaltyStages(reader),
  topK: (reader) => stages.topK("topK", topK(reader)),
  topP: (reader) => stages.topP("topP", topP(reader)),
  // an absolute threshold, not relative to the best token's probability
  minP: (reader) =>
    minP(reader) <= 0 ? [] : [{ name: "epsilon", args: { cutoff: uniform("minP", minP(reader), "in [0, 1]") } }],
  tfs: (reader) => [
    {
      name: "mnn_tail_free",
      args: { z: uniform("tfsZ", tfsZ(reader), "in [0, 1]") },
      declaration: `/// Tail-free sampling as MNN has it: rows while the absolute second differences, normalised, sum to less than \`z\`, and
/// never the last two.
sampler mnn_tail_free(z: f32 in [0, 1] = 1) {
  sort
  let first = prob - next(prob, 0)
  let second = rank < n - 2 ? abs(first - next(first, 0)) : 0
  keep n <= 2 or rank < n - 2 and cumsum(second / sum(second)) < z
}`,
    },
  ],
  typical: (reader) => [
    {
      name: "mnn_typical",
      args: { p: uniform("typical", typical(reader), "in [0, 1]") },
      declaration: `/// Locally typical sampling as MNN has it: without the token at which the sum reaches \`p\`.
sampler mnn_typical(p: f32 in [0, 1] = 1) {
  sort by abs(-log(prob) - entropy()) asc
  keep cumsum(prob) < p
}`,
    },
  ],
};

function penaltyStages(reader: Reader): Stage[] {
  const { penalty: repeat, ngram, factor } = penalty(reader);
  if (repeat <= 1) return [];
  if (factor <= 1 || ngram < 2) {
    for (const key of ["ngram", "n_gram"]) reader.note("idle", key, "ngram_factor is not above 1");
    return [
      {
        name: "mnn_penalty",
        args: { penalty: uniform("penalty", repeat, "> 0") },
        declaration: `/// Penalise tokens of the whole text, prompt included.
sampler mnn_penalty(penalty: f32 > 0) {
  let repeated = logit >= 0 ? logit / penalty : logit * penalty
  logit = occurrences(-1) > 0 ? repeated : logit
}`,
      },
    ];
  }
  return [
    {
      name: "mnn_penalty",
      args: { penalty: uniform("penalty", repeat, "> 0"), ngram, factor: uniform("ngram_factor", factor, "> 1") },
      declaration: `/// Penalise tokens of the whole text, prompt included, by \`penalty * factor ^ length\`, where \`length\` is that of the
/// repetition that a token would extend; one that would complete \`ngram\` tokens by ${MAX_PENALTY}.
sampler mnn_penalty(penalty: f32 > 0, ngram: i32 >= 2, factor: f32 > 1) {
  let length = repeat_len(-1, [])
  let grown = length >= ngram - 1 ? ${MAX_PENALTY} : penalty * factor ^ length
  let strength = max(grown, penalty)
  let repeated = logit >= 0 ? logit / strength : logit * strength
  logit = occurrences(-1) > 0 ? repeated : logit
}`,
    },
  ];
}
