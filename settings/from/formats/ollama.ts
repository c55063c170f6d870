/**
 * Ollama's Modelfile, and the options of its requests. Defaults are those of Ollama itself (api/types.go), not llama.cpp's.
 *
 * Since 2026 Ollama passes its options to llama-server (llm/llama_server.go), whose order is
 * penalties, top_k, typical_p, top_p, min_p, temperature. It has no mirostat, and its repetition penalty is off by default.
 * In 2025 it had two engines. Its llama.cpp runner had the same order, mirostat, and a repetition penalty of 1.1 by default. Its own
 * engine (sample/samplers.go) had top_k, temperature, top_p, min_p, in this order, and neither penalties nor typical_p nor mirostat.
 */
import { MAX_HISTORY } from "@ggsl/compiler/llama/contexts.js";
import { readModelfile, readParameter } from "../modelfile.js";
import { settingsOf, type Node, type ObjectNode, type Setting, type Settings } from "../nodes.js";
import { ImportError, type Note } from "../notes.js";
import { grammar, textPenalties } from "../pieces.js";
import type { Plan, Stage } from "../plan.js";
import { openReader, type Reader } from "../reader.js";
import { runNote } from "../runOptions.js";
import * as stages from "../stages.js";
import { ollamaFormat } from "./jsonFormat.js";
import { FIELDS, isKnown } from "./fields.js";
import { GRAMMAR_DIFFERS } from "./llama.js";

/** `server`: as of August 2026; `runner` and `own`: the two engines of 2025. */
type Engine = "server" | "runner" | "own";

/** The engines by the names for `--from`. */
export const ENGINES: Readonly<Record<string, Engine>> = {
  ollama: "server",
  "ollama-2025": "runner",
  "ollama-engine": "own",
};

const DESCRIPTIONS: Readonly<Record<Engine, string>> = {
  server: "August 2026",
  runner: "2025, for models on its llama.cpp runner",
  own: "2025, for models on its own engine",
};

const MIROSTAT = ["mirostat", "mirostat_tau", "mirostat_eta"];

const PENALTIES = { repeat: "repeat_penalty", freq: "frequency_penalty", present: "presence_penalty" } as const;

export function fromModelfile(text: string, name: string, engine: Engine): Plan {
  const notes: Note[] = [];
  const settings = new Map<string, Setting>();
  for (const instruction of readModelfile(text, name)) {
    const { place } = instruction;
    if (instruction.name !== "PARAMETER") {
      const note: Note = { kind: "other", key: instruction.name, place, text: "" };
      const node = { kind: "word", value: instruction.text, place } as const;
      notes.push(instruction.name === "SYSTEM" ? runNote("system", { key: instruction.name, node }) : note);
      continue;
    }
    const { key, value } = readParameter(instruction);
    const node: Node = { kind: "word", value, place };
    const before = settings.get(key);
    if (key === "stop") settings.set(key, { key, node: { kind: "array", place, items: [...stops(before), node] } });
    else if (!before) settings.set(key, { key, node });
    // Ollama takes the first of several values
    else notes.push({ kind: "idle", key, place, text: `it is given before, at ${before.node.place}` });
  }
  return plan(settings, notes, engine, "a Modelfile");
}

const stops = (before: Setting | undefined): readonly Node[] =>
  before?.node.kind === "array" ? before.node.items : [];

/** The fields of a request beside its `options`. */
const AROUND = new Set(
  `
  model prompt suffix images system template context stream raw keep_alive messages tools think format logprobs top_logprobs truncate
  shift
`
    .trim()
    .split(/\s+/),
);

/** A request with `options`, or the options alone. */
export function fromOllamaOptions(root: ObjectNode, engine: Engine): Plan {
  const options = root.members.get("options");
  if (options !== undefined && options.kind !== "object" && options.kind !== "null")
    throw new ImportError(`${options.place}: "options" must be an object`);
  if (options?.kind !== "object") return plan(settingsOf(root), [], engine, "options of a request");
  // Ollama ignores sampling settings outside of `options`
  const around = [...settingsOf(root)].filter(([key]) => key !== "options");
  const settings = new Map([
    // of names that only `options` have, those of `options` count
    ...around.map(([key, setting]): [string, Setting] => [AROUND.has(key) ? key : `/${key}`, setting]),
    ...settingsOf(options, "options."),
  ]);
  const outside = around.filter(([key]) => !AROUND.has(key) && isKnown(FIELDS.ollama, key));
  return plan(settings, [], engine, "options of a request", new Set(outside.map(([key]) => `/${key}`)));
}

function plan(
  settings: Settings,
  found: readonly Note[],
  engine: Engine,
  what: string,
  outside: ReadonlySet<string> = new Set(),
): Plan {
  const reader = openReader(settings);
  const format = ollamaFormat(reader);
  if (format !== undefined) reader.note("differs", "format", GRAMMAR_DIFFERS);
  const sampling = engine === "own" ? ownEngine(reader) : llamaSamplers(reader, engine);
  const made = [...(format === undefined ? [] : grammar(format)), ...sampling];
  for (const key of ["tfs_z", "penalize_newline"])
    reader.note("idle", key, "Ollama took it out in 2025, with the samplers behind it");
  for (const key of outside) reader.note("idle", key, "Ollama reads it inside of `options` only");
  reader.finish(FIELDS.ollama);
  return { tool: `Ollama of ${DESCRIPTIONS[engine]}, ${what}`, stages: made, notes: [...reader.notes, ...found] };
}

const UNIT = { min: 0, max: 1 };

interface Common {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
  readonly seed: stages.Seed;
}

const common = (reader: Reader): Common => ({
  temperature: reader.number("temperature", { min: 0 }) ?? 0.8,
  topK: reader.whole("top_k") ?? 40,
  topP: reader.number("top_p", UNIT) ?? 0.9,
  minP: reader.number("min_p", UNIT) ?? 0,
  seed: reader.seed("seed", (seed) => seed === -1n) ?? "random",
});

function llamaSamplers(reader: Reader, engine: "server" | "runner"): Stage[] {
  const { temperature, topK, topP, minP, seed } = common(reader);
  const typical = reader.number("typical_p", UNIT) ?? 1;
  const strengths = {
    repeat: reader.number("repeat_penalty", { min: 0, minExcluded: true }) ?? (engine === "runner" ? 1.1 : 1),
    freq: reader.number("frequency_penalty") ?? 0,
    present: reader.number("presence_penalty") ?? 0,
  };
  const window = reader.whole("repeat_last_n", { min: -1, max: MAX_HISTORY }) ?? 64;
  const given = reader.whole("mirostat", { min: 0, max: 2 }) ?? 0;
  const version = engine === "runner" ? given : 0;
  const [tau, eta] = [reader.number("mirostat_tau") ?? 5, reader.number("mirostat_eta") ?? 0.1];
  if (version > 0) {
    for (const key of ["top_k", "top_p", "min_p", "typical_p", "repeat_last_n", ...Object.values(PENALTIES)])
      reader.note("idle", key, "with mirostat only the temperature counts");
    return [...stages.temp("temperature", temperature), ...stages.mirostat(version, tau, eta, seed)];
  }
  if (engine === "server")
    for (const key of MIROSTAT) reader.note("idle", key, "Ollama took mirostat out; --from ollama-2025 has it");
  else for (const key of MIROSTAT.slice(1)) reader.note("idle", key, "mirostat is 0");
  return [
    // -1 means the whole context
    ...(window < 0
      ? textPenalties(PENALTIES, strengths)
      : stages.penalties(PENALTIES, { lastN: window, ...strengths })),
    ...stages.topK("top_k", topK),
    ...stages.typical("typical_p", typical),
    ...stages.topP("top_p", topP),
    ...stages.minP("min_p", minP),
    ...stages.temp("temperature", temperature),
    ...stages.dist(seed),
  ];
}

function ownEngine(reader: Reader): Stage[] {
  const { temperature, topK, topP, minP, seed } = common(reader);
  for (const key of ["typical_p", ...MIROSTAT]) reader.note("idle", key, "Ollama's own engine has no such sampler");
  for (const key of ["repeat_last_n", ...Object.values(PENALTIES)])
    reader.note("lost", key, "Ollama's own engine had no penalties; --from ollama has them");
  if (temperature === 0) {
    for (const key of ["top_k", "top_p", "min_p", "seed"]) reader.note("idle", key, "temperature is 0");
    return stages.greedy();
  }
  if (seed !== "random") reader.note("differs", "seed", OTHER_DRAWS);
  return [
    ...stages.topK("top_k", topK),
    ...stages.temp("temperature", temperature),
    ...stages.topP("top_p", topP),
    ...stages.minP("min_p", minP),
    ...stages.dist(seed),
  ];
}

/** Why a seed gives other tokens. */
export const OTHER_DRAWS =
  "its results are reproducible, but differ from the other tool's, which generates random numbers differently";
