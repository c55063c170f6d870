/**
 * A model's own advice: the `general.sampling.*` keys of its GGUF as a chain. What the keys leave open has llama.cpp's defaults,
 * and the meaning of each key is llama.cpp's (common/common.cpp, common_init_sampler_from_model).
 */

export interface SamplingAdvice {
  /** A program with one chain, `advised`, whose parameters are named as the keys; absent when the model gives no advice. */
  readonly text?: string;
  /** Keys that llama.cpp does not know either. */
  readonly ignored: readonly string[];
  /** Values that can not be used, each with its key. The text is absent then. */
  readonly faults: readonly string[];
}

const PREFIX = "general.sampling.";

/** llama.cpp's command line's defaults, by key. */
const DEFAULTS = {
  ...{ top_k: 40, top_p: 0.95, min_p: 0.05, xtc_probability: 0, xtc_threshold: 0.1, temp: 0.8 },
  ...{ penalty_last_n: 64, penalty_repeat: 1, mirostat: 0, mirostat_tau: 5, mirostat_eta: 0.1 },
} as const;
type Key = keyof typeof DEFAULTS;
type Values = Readonly<Record<Key, number>>;

const WHOLE: ReadonlySet<string> = new Set<Key>(["top_k", "penalty_last_n", "mirostat"]);

/** How a parameter of the chain is declared, where that is not `NAME: f32`. */
const DECLARATIONS: Partial<Record<Key, string>> = {
  top_k: "static top_k: i32",
  min_p: "min_p: f32 <= 1",
  penalty_last_n: "static penalty_last_n: i32",
  penalty_repeat: "penalty_repeat: f32 > 0",
};

interface StageRule {
  readonly keys: readonly Key[];
  readonly call: string;
  /** Whether the values make it do anything; one that does not is left out. */
  readonly isOn: (values: Values) => boolean;
}

const stage = (call: string, keys: readonly Key[], isOn: StageRule["isOn"] = () => true): StageRule => ({
  ...{ call, keys, isOn },
});
/** No key switches it on. */
const off = stage("", [], () => false);

/** By the names that `sequence` uses. */
const STAGES: Readonly<Record<string, StageRule>> = {
  penalties: stage(
    "penalties(penalty_last_n, penalty_repeat)",
    ["penalty_last_n", "penalty_repeat"],
    (v) => v.penalty_repeat !== 1 && v.penalty_last_n !== 0,
  ),
  dry: off,
  top_n_sigma: off,
  top_k: stage("top_k(top_k)", ["top_k"], (v) => v.top_k > 0),
  typ_p: off,
  top_p: stage("top_p(top_p)", ["top_p"], (v) => v.top_p < 1),
  min_p: stage("min_p(min_p)", ["min_p"], (v) => v.min_p > 0),
  xtc: stage("xtc(xtc_probability, xtc_threshold)", ["xtc_probability", "xtc_threshold"], (v) => v.xtc_probability > 0),
  temperature: stage("temp(temp)", ["temp"], (v) => v.temp !== 1),
};
const ORDER = Object.keys(STAGES);
const ALIASES: Readonly<Record<string, string>> = {
  temp: "temperature",
  nucleus: "top_p",
  typ: "typ_p",
  typical: "typ_p",
};

/** Makes the chain that a model's metadata advises. */
export function readSamplingAdvice(metadata: Readonly<Record<string, string>>): SamplingAdvice {
  const given = Object.entries(metadata).filter(([key]) => key.startsWith(PREFIX));
  const advice = new Map(given.map(([key, value]) => [key.slice(PREFIX.length), value]));
  const isKnown = (key: string): boolean => key === "sequence" || Object.hasOwn(DEFAULTS, key);
  const ignored = [...advice.keys()].filter((key) => !isKnown(key)).map((key) => PREFIX + key);
  if (advice.size === ignored.length) return { ignored, faults: [] };
  const faults: string[] = [];
  const values = valuesOf(advice, faults);
  const stages = stagesOf(values, sequenceOf(advice.get("sequence"), faults));
  return faults.length > 0 ? { ignored, faults } : { text: programOf(stages, values), ignored, faults };
}

function valuesOf(advice: ReadonlyMap<string, string>, faults: string[]): Values {
  const values: Record<Key, number> = { ...DEFAULTS };
  for (const key of Object.keys(DEFAULTS) as Key[]) {
    const text = advice.get(key);
    if (text === undefined) continue;
    const value = text.trim() === "" ? NaN : Number(text);
    const isGood = Number.isFinite(value) && (!WHOLE.has(key) || Number.isInteger(value));
    if (!isGood) faults.push(`${PREFIX}${key}: expected a ${WHOLE.has(key) ? "whole " : ""}number, found "${text}"`);
    else if (key === "mirostat" && ![0, 1, 2].includes(value))
      faults.push(`${PREFIX}mirostat: expected 0, 1 or 2, found "${text}"`);
    else values[key] = value;
  }
  return values;
}

/** Names of stages in their order. */
function sequenceOf(text: string | undefined, faults: string[]): readonly string[] {
  if (text === undefined) return ORDER;
  return text.split(";").map((part) => {
    const plain = part.trim().replaceAll("-", "_");
    const name = ALIASES[plain] ?? plain;
    if (!Object.hasOwn(STAGES, name))
      faults.push(`${PREFIX}sequence: expected names out of ${ORDER.join(", ")}, found "${part}"`);
    return name;
  });
}

function stagesOf(values: Values, sequence: readonly string[]): readonly StageRule[] {
  const { mirostat } = values;
  if (mirostat === 0) {
    const on = sequence.flatMap((name) => STAGES[name] ?? []).filter((s) => s.isOn(values));
    return [...on, stage("dist()", [])];
  }
  // llama.cpp leaves all other stages out then
  const temp = STAGES["temperature"]!;
  const name = mirostat === 1 ? "mirostat" : "mirostat_v2";
  return [
    ...(temp.isOn(values) ? [temp] : []),
    stage(`${name}(mirostat_tau, mirostat_eta)`, ["mirostat_tau", "mirostat_eta"]),
  ];
}

function programOf(stages: readonly StageRule[], values: Values): string {
  const names = stages.map(({ call }) => call.slice(0, call.indexOf("(")));
  const params = [...new Set(stages.flatMap(({ keys }) => keys))].map(
    (key) => `${DECLARATIONS[key] ?? `${key}: f32`} = ${values[key]}`,
  );
  return `import { ${[...new Set(names)].join(", ")} } from "std"

/// What the model's file advises.
chain advised(${params.join(", ")}) =
  ${stages.map(({ call }) => call).join(" |> ")}
`;
}
