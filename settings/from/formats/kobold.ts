/**
 * KoboldCpp's samplers (gpttype_adapter.cpp and koboldcpp.py, as of 2025): logit biases, DRY, the 3000 best tokens, the grammar,
 * then the samplers in the order of `sampler_order`, and last XTC. With mirostat: the repetition penalty, the temperature,
 * mirostat. min_p follows top_p, smoothing and top_n_sigma follow the temperature, wherever these are in the order.
 */
import * as pieces from "../pieces.js";
import type { Bias, ImportedGrammar, Stage } from "../plan.js";
import type { Reader } from "../reader.js";
import * as stages from "../stages.js";
import { uniform } from "../stages.js";
import { biasStages, endOf } from "./llama.js";

/** The values of the settings. */
export interface KoboldSettings {
  readonly temperature: number;
  readonly topK: number;
  readonly topA: number;
  readonly topP: number;
  readonly minP: number;
  readonly typical: number;
  readonly tfs: number;
  readonly nsigma: number;
  readonly repPen: number;
  readonly repPenRange: number;
  readonly repPenSlope: number;
  readonly presencePenalty: number;
  readonly mirostat: number;
  readonly mirostatTau: number;
  readonly mirostatEta: number;
  readonly dry: stages.Dry;
  readonly xtcProbability: number;
  readonly xtcThreshold: number;
  readonly dynatempRange: number;
  readonly dynatempExponent: number;
  readonly smoothingFactor: number;
  readonly smoothingCurve: number;
  readonly adaptiveTarget: number;
  readonly adaptiveDecay: number;
  readonly order: readonly number[];
  readonly seed: stages.Seed;
  readonly biases: readonly Bias[];
  readonly grammar: ImportedGrammar | undefined;
  readonly bansEnd: boolean;
  readonly bannedPhrases: readonly string[];
  /** The strength of a negative prompt's guidance; 1 is none. */
  readonly guidance: number;
}

/** A source's names of the settings, for notes and parameters. */
export type KoboldNames = Readonly<
  Record<"temperature" | "topK" | "typical" | "repPen" | "presence" | "order" | "mirostat" | "nsigma", string>
>;

export const DEFAULT_KOBOLD_ORDER: readonly number[] = [6, 0, 1, 3, 4, 2, 5];
/** KoboldCpp always keeps at most this many tokens. */
const PREFILTER = 3000;

export function koboldStages(s: KoboldSettings, names: KoboldNames, reader: Reader, eos: readonly number[]): Stage[] {
  noteIdle(s, names, reader);
  if (s.grammar !== undefined) reader.note("differs", s.grammar.key, GRAMMAR_FIRST);
  const front = [
    ...stages.guidance("guidance_scale", s.guidance),
    ...(s.grammar === undefined ? [] : pieces.grammar(s.grammar)),
    ...biasStages(s.biases, reader, "logit_bias", s.bansEnd ? endOf(eos) : undefined),
    ...pieces.banPhrases(s.bannedPhrases),
    // in KoboldCpp a range of 0 is the whole text
    ...(s.dry.lastN > 0 ? stages.dry(s.dry) : pieces.textDry(s.dry)),
  ];
  const rest = s.mirostat > 0 ? withMirostat(s, names) : ordered(s, names, reader);
  return [...front, ...prefilter(rest), ...rest];
}

const GRAMMAR_FIRST =
  "KoboldCpp asks the grammar about the 3000 best tokens, and about all only if it takes none of them; here it comes first";

/** The 3000 best tokens, unless the next sampler is a narrower top_k. */
function prefilter([next]: readonly Stage[]): Stage[] {
  const k = next?.name === "top_k" ? next.args["k"] : undefined;
  const isNarrower = typeof k === "object" && "value" in k && Number(k.value) <= PREFILTER;
  return isNarrower ? [] : [{ name: "top_k", args: { k: PREFILTER } }];
}

function withMirostat(s: KoboldSettings, names: KoboldNames): Stage[] {
  return [
    ...repetition(s, names),
    ...stages.temp(names.temperature, s.temperature),
    ...(s.temperature > 0 ? stages.quadratic(s.smoothingFactor, s.smoothingCurve) : []),
    ...stages.mirostat(s.mirostat, s.mirostatTau, s.mirostatEta, s.seed),
  ];
}

function ordered(s: KoboldSettings, names: KoboldNames, reader: Reader): Stage[] {
  const isAdaptive = s.adaptiveTarget > 0;
  if (isAdaptive)
    reader.note(
      "differs",
      "adaptive_target",
      "before the first token KoboldCpp's average is empty, here it is the target",
    );
  // adaptive p needs a truncated tail
  const minP = isAdaptive && s.minP <= 0 && s.topP >= 1 ? 0.002 : s.minP;
  return [
    ...s.order.flatMap((id) => SAMPLERS[id]!({ ...s, minP }, names)),
    ...stages.xtc(s.xtcProbability, s.xtcThreshold, s.seed),
    ...(isAdaptive ? stages.adaptiveP(s.adaptiveTarget, s.adaptiveDecay, s.seed) : stages.dist(s.seed)),
  ];
}

type Maker = (s: KoboldSettings, names: KoboldNames) => Stage[];

/** The samplers by the numbers of `sampler_order`. */
const SAMPLERS: readonly Maker[] = [
  (s, names) => stages.topK(names.topK, s.topK),
  (s) => stages.topA("top_a", s.topA),
  (s) => [...stages.topP("top_p", s.topP), ...stages.minP("min_p", s.minP)],
  (s) => tailFree(s.tfs),
  (s, names) => stages.typical(names.typical, s.typical),
  (s, names) => [...temperature(s, names), ...stages.topNSigma(names.nsigma, s.nsigma)],
  repetition,
];

export const MAX_SAMPLER = SAMPLERS.length - 1;

function temperature(s: KoboldSettings, names: KoboldNames): Stage[] {
  const { temperature: t, dynatempRange, dynatempExponent } = s;
  const smoothing = stages.quadratic(s.smoothingFactor, s.smoothingCurve);
  if (dynatempRange > 0)
    return [...stages.dynamicTemp(names.temperature, t, dynatempRange, Math.max(0, dynatempExponent)), ...smoothing];
  return [...stages.temp(names.temperature, t), ...(t > 0 ? smoothing : [])];
}

export const tailFree = (z: number): Stage[] =>
  z >= 1
    ? []
    : [
        {
          name: "kobold_tail_free",
          args: { z: uniform("tfs", z, "in [0, 1]") },
          declaration: `/// Tail-free sampling as KoboldCpp has it: rows until the absolute second differences, normalised, sum to more than \`z\`;
/// the first row, and all of three.
sampler kobold_tail_free(z: f32 in [0, 1] = 1) {
  sort
  let first = prob - next(prob, 0)
  let is_inner = rank < n - 2
  let second = is_inner ? abs(first - next(first, 0)) : 0
  let total = sum(second)
  let share = total > 1e-6 ? second / max(total, 1e-6) : is_inner ? 1 / max(n - 2, 1) : 0
  keep z >= 1 or n <= 3 or rank == 0 or cumsum(share) <= z
}`,
        },
      ];

function repetition(s: KoboldSettings, names: KoboldNames): Stage[] {
  const { repPen: repeat, repPenRange: range, repPenSlope: slope, presencePenalty: present } = s;
  // in KoboldCpp a range of 0 counts as 1
  const lastN = Math.max(1, range);
  const own = { repeat: names.repPen, freq: "", present: names.presence };
  if (slope === 1 || repeat <= 1) return stages.penalties(own, { lastN, repeat, freq: 0, present });
  return [
    {
      name: "sloped_penalties",
      args: {
        range: lastN,
        near: lastN - Math.floor(lastN / 2),
        repeat: uniform(names.repPen, repeat, "> 0"),
        slope: uniform("rep_pen_slope", slope),
        present,
      },
      declaration: `/// Repetition penalty as KoboldCpp has it: tokens that are only in the older half of the last \`range\` are penalised less,
/// by the share \`slope\`.
sampler sloped_penalties(static range: i32, static near: i32, repeat: f32 > 0, slope: f32, present: f32 = 0) {
  let reduced = repeat > 1 ? max(1 + (repeat - 1) * slope, 1e-6) : repeat
  let strength = occurrences(near) > 0 ? repeat : reduced
  let repeated = logit <= 0 ? logit * strength : logit / strength
  logit = occurrences(range) > 0 ? repeated - present : logit
}`,
    },
  ];
}

// ---------------------------------------------------------------- notes

function noteIdle(s: KoboldSettings, names: KoboldNames, reader: Reader): void {
  const idle = (keys: readonly string[], why: string): void => keys.forEach((key) => reader.note("idle", key, why));
  if (s.mirostat > 0) {
    const why = "mirostat runs without it";
    idle([names.topK, "top_a", "top_p", "min_p", "tfs", names.typical, names.nsigma, names.order], why);
    idle(["xtc_probability", "xtc_threshold", "dynatemp_range", "dynatemp_exponent", "adaptive_target"], why);
  } else {
    idle(["mirostat_tau", "mirostat_eta"], `${names.mirostat} is 0`);
    const keys = [
      [names.topK],
      ["top_a"],
      ["top_p", "min_p"],
      ["tfs"],
      [names.typical],
      [names.temperature],
      [names.repPen],
    ];
    keys.forEach((list, id) => {
      if (!s.order.includes(id)) idle(list, `${id} is not in ${names.order}`);
    });
    if (s.xtcProbability <= 0) idle(["xtc_threshold"], "xtc_probability is 0");
    if (s.dynatempRange <= 0) idle(["dynatemp_exponent"], "the dynamic temperature is off");
    if (s.adaptiveTarget <= 0) idle(["adaptive_decay"], "adaptive_target is not above 0");
  }
  if (s.smoothingFactor <= 0) idle(["smoothing_curve"], "smoothing_factor is 0");
  if (s.repPen === 1) idle(["rep_pen_slope"], `${names.repPen} is 1`);
  if (s.dry.multiplier !== 0 && s.dry.base < 1)
    reader.note("lost", "dry_base", "DRY needs a base of 1 or more here, and is left out");
  if (s.dry.multiplier === 0)
    idle(["dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers"], "dry_multiplier is 0");
}
