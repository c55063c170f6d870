/** llama.cpp's command line, as common/arg.cpp reads it. */
import { FIELD_NAMES, fieldOf } from "@ggsl/compiler/llama/fields.js";
import { samplerNamed, samplerOfLetter, type ListedName } from "@ggsl/compiler/llama/order.js";
import { DEFAULT_BREAKERS } from "@ggsl/compiler/llama/samplers.js";
import type { Setting, TextNode } from "../nodes.js";
import { ImportError, show, type Note } from "../notes.js";
import { thinkingBudget } from "../pieces.js";
import type { Bias, ImportedGrammar, ImportOptions, Plan, Stage } from "../plan.js";
import { openReader, type Reader } from "../reader.js";
import { schemaOf } from "./jsonFormat.js";
import { runNote, type OptionName } from "../runOptions.js";
import {
  DEFAULT_SETTINGS,
  DEFAULT_TAGS,
  effective,
  isRandomSeed,
  known,
  LLAMA_TOOL,
  llamaStages,
  readValues,
  type LlamaSettings,
} from "./llama.js";
import { SWITCHES, WITH_TWO_VALUES, WITH_VALUE } from "./llamaOptions.js";

/** Sampling options that are not numbers, with their names in requests. */
const OTHERS: Readonly<Record<string, string>> = {
  "--seed": "seed",
  "-s": "seed",
  "--samplers": "samplers",
  "--sampler-seq": "sampler_seq",
  "--sampling-seq": "sampler_seq",
  "--ignore-eos": "ignore_eos",
  "--logit-bias": "logit_bias",
  "-l": "logit_bias",
  "--dry-sequence-breaker": "dry_sequence_breakers",
  "--grammar": "grammar",
  "--grammar-file": "grammar_file",
  "--json-schema": "json_schema",
  "-j": "json_schema",
  "--json-schema-file": "json_schema_file",
  "-jf": "json_schema_file",
  "--backend-sampling": "backend_sampling",
  "-bs": "backend_sampling",
  "--reasoning-budget": "reasoning_budget",
  "--reasoning-budget-message": "reasoning_budget_message",
};
const SAMPLING_SWITCHES = new Set(["--ignore-eos", "--backend-sampling", "-bs"]);

/** Options of the context and the generation that `ggsl run` also has. */
const RUN: Readonly<Record<string, OptionName>> = {
  "-c": "contextSize",
  "--ctx-size": "contextSize",
  "-ctk": "cacheTypeK",
  "--cache-type-k": "cacheTypeK",
  "-ctv": "cacheTypeV",
  "--cache-type-v": "cacheTypeV",
  "-t": "threads",
  "--threads": "threads",
  "-tb": "threadsBatch",
  "--threads-batch": "threadsBatch",
  "-ngl": "gpuLayers",
  "--gpu-layers": "gpuLayers",
  "--n-gpu-layers": "gpuLayers",
  "-fa": "flashAttention",
  "--flash-attn": "flashAttention",
  "-n": "maxTokens",
  "--predict": "maxTokens",
  "--n-predict": "maxTokens",
  "-r": "stop",
  "--reverse-prompt": "stop",
  "-p": "prompt",
  "--prompt": "prompt",
  "-sys": "system",
  "--system-prompt": "system",
};

const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(OTHERS),
  ...FIELD_NAMES.flatMap((name) => fieldOf(name).flags.map((flag): [string, string] => [flag, name])),
]);

/** Every option about sampling that this import knows. */
export const SAMPLING_OPTIONS: readonly string[] = [...NAMES.keys()];

/** Options that choose a model and also set its sampling. */
const PRESETS = new Set(["--gpt-oss-20b-default", "--gpt-oss-120b-default"]);
const PRESET_VALUES = { temperature: 1, top_p: 1, top_k: 0, min_p: 0.01 } as const;

interface Parsed {
  readonly settings: Map<string, Setting>;
  readonly biases: Bias[];
  readonly breakers: string[] | undefined;
  readonly isEscaped: boolean;
  readonly notes: readonly Note[];
}

export function fromLlamaArgs(words: readonly TextNode[], options: ImportOptions): Plan {
  const parsed = parseWords(words);
  const reader = openReader(parsed.settings);
  const stages = llamaStages(read(reader, parsed), reader, options);
  return { tool: `${LLAMA_TOOL}, its command line`, stages, notes: [...reader.notes, ...parsed.notes] };
}

function read(reader: Reader, { biases, breakers, isEscaped }: Parsed): LlamaSettings {
  const values = readValues(reader, {
    range: (name) => fieldOf(name).range ?? {},
    convert: (name, value) => (name === "dry_base" && value < 1 ? fieldOf(name).default : effective(name, value)),
  });
  for (const file of ["grammar_file", "json_schema_file"])
    reader.note("lost", file, "files that a setting names are not read; give the grammar itself with --grammar");
  reader.note("other", "backend_sampling", "");
  if (isEscaped && breakers?.some((b) => /\\x[89a-fA-F]/.test(b)))
    reader.note("lost", "dry_sequence_breakers", "bytes above \\x7f are no texts by themselves");
  const isDefault = breakers === undefined;
  return {
    ...DEFAULT_SETTINGS,
    values,
    order: orderOf(reader),
    breakers: isDefault ? DEFAULT_BREAKERS : breakers.map((b) => (isEscaped ? unescape(b) : b)),
    biases,
    grammar: grammarOf(reader),
    seed: reader.seed("seed", isRandomSeed) ?? "random",
    ignoreEos: reader.given.has("ignore_eos"),
    thinking: thinkingOf(reader),
  };
}

/** llama.cpp takes the last of the options; both are one setting there. */
function grammarOf(reader: Reader): ImportedGrammar | undefined {
  const text = reader.text("grammar");
  if (!text) return reader.node("json_schema") && schemaOf(reader, "json_schema");
  reader.note("idle", "json_schema", "a grammar is also given");
  return { key: "grammar", text };
}

/** -1 is no limit. */
function thinkingOf(reader: Reader): Stage[] {
  const budget = reader.whole("reasoning_budget", { min: -1 }) ?? -1;
  const message = reader.text("reasoning_budget_message");
  if (budget < 0) return [];
  reader.note("differs", "reasoning_budget", DEFAULT_TAGS);
  return thinkingBudget("reasoning_budget", budget, "<think>", "</think>", message);
}

function orderOf(reader: Reader): readonly ListedName[] {
  const names = reader.text("samplers");
  const letters = reader.text("sampler_seq");
  if (names !== undefined) return known(names === "" ? [] : names.split(";"), samplerNamed, reader, "samplers");
  if (letters !== undefined) return known(Array.from(letters), samplerOfLetter, reader, "sampler_seq");
  return DEFAULT_SETTINGS.order;
}

// ---------------------------------------------------------------- words

/** Options with their values. The first word may be the name of a program. */
function parseWords(words: readonly TextNode[]): Parsed {
  const settings = new Map<string, Setting>();
  const notes: Note[] = [];
  const biases: Bias[] = [];
  let breakers: string[] | undefined;
  let isEscaped = true;
  const start = words[0]?.value.startsWith("-") === false ? 1 : 0;
  for (let i = start; i < words.length;) {
    const word = words[i]!;
    const option = nameOf(word.value);
    const count = valuesAfter(option, words[i + 1]);
    const value = words[i + 1];
    if (count > 0 && i + count >= words.length)
      throw new ImportError(`${word.place}: expected a value after ${show(word.value)}, found the end`);
    i += 1 + count;
    const name = NAMES.get(option);
    if (option === "-e" || option === "--escape" || option === "--no-escape") isEscaped = option !== "--no-escape";
    if (PRESETS.has(option)) addPreset(settings, word);
    else if (Object.hasOwn(RUN, option)) notes.push(runNote(RUN[option]!, { key: word.value, node: value! }));
    else if (name === undefined) notes.push(noteOf(option, word));
    else if (name === "logit_bias") biases.push(biasOf(value!, word.value));
    else if (name === "dry_sequence_breakers")
      breakers = value!.value === "none" ? [] : [...(breakers ?? []), value!.value];
    if (name === "samplers" || name === "sampler_seq") dropOrder(settings, name, word, notes);
    if (name === undefined) continue;
    const before = settings.get(name);
    if (before && !REPEATABLE.has(name)) notes.push(repeated(before, word));
    settings.set(name, { key: word.value, node: count > 0 ? value! : word });
  }
  return { settings, notes, biases, breakers, isEscaped };
}

/** An order can be given in two ways; the last one counts. */
function dropOrder(settings: Map<string, Setting>, name: string, word: TextNode, notes: Note[]): void {
  const other = name === "samplers" ? "sampler_seq" : "samplers";
  const before = settings.get(other);
  if (before) notes.push(repeated(before, word));
  settings.delete(other);
}

/** Options that accumulate; of all others the last one counts. */
const REPEATABLE = new Set(["logit_bias", "dry_sequence_breakers", "ignore_eos", "backend_sampling"]);

const repeated = ({ key, node }: Setting, { place }: TextNode): Note => ({
  kind: "idle",
  key,
  place: node.place,
  text: `it is given again at ${place}`,
});

/** Long options may be written with underscores. */
const nameOf = (word: string): string => (word.startsWith("--") ? word.replaceAll("_", "-") : word);

function valuesAfter(option: string, next: TextNode | undefined): number {
  if (WITH_TWO_VALUES.has(option)) return 2;
  if (WITH_VALUE.has(option)) return 1;
  if (SWITCHES.has(option) || SAMPLING_SWITCHES.has(option)) return 0;
  if (NAMES.has(option)) return 1;
  // an unknown option has a value if the next word looks like one
  return next !== undefined && !/^-(?![\d.])/.test(next.value) ? 1 : 0;
}

function noteOf(option: string, { value: key, place }: TextNode): Note {
  const isKnown = SWITCHES.has(option) || WITH_VALUE.has(option) || WITH_TWO_VALUES.has(option);
  return { kind: isKnown ? "other" : "unknown", key, place, text: "" };
}

function addPreset(settings: Map<string, Setting>, { value: key, place }: TextNode): void {
  for (const [name, value] of Object.entries(PRESET_VALUES))
    settings.set(name, { key, node: { kind: "number", place, value, text: String(value) } });
}

/** `15043+1`, `15043-inf` */
function biasOf({ value, place }: TextNode, option: string): Bias {
  const [, token, sign, size] = /^\s*(\d{1,10})\s*([-+])(.+)$/.exec(value) ?? [];
  const amount = size === undefined ? NaN : /^inf(?:inity)?$/i.test(size) ? Infinity : Number(size);
  const bias = sign === "-" ? -amount : amount;
  if (!(Number(token) < 2 ** 31) || Number.isNaN(Math.fround(bias)) || Math.fround(bias) === Infinity)
    throw new ImportError(
      `${place}: ${show(option)} must be a token id and a bias below infinity, as in 15043+1 or 2-inf, found ${show(value)}`,
    );
  return { token: Number(token), bias: Math.fround(bias) === -Infinity ? -Infinity : bias };
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "'": "'", '"': '"', "\\": "\\" };

/** Resolves escapes like llama.cpp. Escapes of bytes above 127, which are not valid UTF-8 by themselves, stay unchanged. */
const unescape = (text: string): string =>
  text.replace(/\\(?:x([0-7][\da-fA-F])|([nrt'"\\]))/g, (_, code: string | undefined, c: string | undefined) =>
    code === undefined ? ESCAPED[c!]! : String.fromCharCode(parseInt(code, 16)),
  );
