/**
 * The sampling parameters of vLLM's and OpenAI's requests, as vLLM's sampler applies them (vllm/v1/sample/sampler.py, v0.10):
 * allowed tokens, bad words, min_tokens, logit_bias, penalties, temperature, min_p, top_k, top_p. The presence and frequency
 * penalties count generated tokens only; the repetition penalty also counts the prompt. `ignore_eos` bans no token: vLLM continues
 * after an end-of-text token.
 */
import { openReader, type Reader } from "../reader.js";
import { settingsOf, type Node, type ObjectNode } from "../nodes.js";
import * as pieces from "../pieces.js";
import type { ImportedGrammar, ImportOptions, Plan, Stage } from "../plan.js";
import * as stages from "../stages.js";
import { FIELDS } from "./fields.js";
import { choicesOf, JSON_OBJECT, regexOf, responseFormat, schemaOf } from "./jsonFormat.js";
import { biasStages, DEFAULT_TAGS } from "./llama.js";
import { biasesOf } from "./llamaRequest.js";
import { OTHER_DRAWS } from "./ollama.js";

const LOST: Readonly<Record<string, string>> = {
  guided_grammar: "vLLM's grammars are not GBNF; give a GBNF grammar to an import of llama.cpp",
  guided_decoding_backend: "it belongs to guided decoding",
  use_beam_search: "beam search keeps several texts at once, and a chain picks one token after the other",
  length_penalty: "it belongs to beam search",
  early_stopping: "it belongs to beam search",
  logits_processors: "they are code of the other tool",
  vllm_xargs: "they are for code of the other tool",
};

const OTHER_GRAMMAR = "here any JSON object; the other tool's own grammar may differ in blanks";

/** Below this temperature vLLM picks the best token. */
const GREEDY_BELOW = 1e-5;

export function fromVllm(root: ObjectNode, options: ImportOptions): Plan {
  const reader = openReader(settingsOf(root));
  for (const [key, why] of Object.entries(LOST)) {
    const node = reader.node(key);
    if (node && !(node.kind === "bool" && !node.value)) reader.note("lost", key, why);
  }
  const grammar = grammarOf(reader);
  const front = [...(grammar === undefined ? [] : pieces.grammar(grammar)), ...constraints(reader, options)];
  const made = [...front, ...penalties(reader), ...repetitionStop(reader), ...drawn(reader)];
  noteCaller(reader);
  reader.finish(FIELDS.vllm);
  return { tool: "vLLM v0.10 and the OpenAI API", stages: made, notes: reader.notes };
}

/** The ways to ask for a grammar; vLLM takes one of them. */
const GRAMMAR_KEYS = ["guided_json", "guided_regex", "guided_choice", "structured_outputs", "response_format"] as const;

function grammarOf(reader: Reader): ImportedGrammar | undefined {
  const [key, ...more] = GRAMMAR_KEYS.filter((name) => reader.node(name) !== undefined);
  for (const name of more) reader.note("idle", name, `\`${key!}\` is also given`);
  switch (key) {
    case undefined:
      return undefined;
    case "guided_json":
      return schemaOf(reader, key);
    case "guided_regex":
      return regexOf(reader, key);
    case "guided_choice":
      return choicesOf(key, someTexts(reader, key));
    case "structured_outputs":
      return structured(reader, key);
    case "response_format": {
      const format = responseFormat(reader);
      if (format?.text !== undefined) reader.note("differs", key, OTHER_GRAMMAR);
      return format;
    }
  }
}

function someTexts(reader: Reader, key: string): readonly string[] {
  const texts = reader.texts(key) ?? [];
  return texts.length > 0 ? texts : reader.refuse(key, "a list of at least one text");
}

/** `{ json }`, `{ regex }`, `{ choice }` and other forms in one object. */
function structured(reader: Reader, key: string): ImportedGrammar | undefined {
  const node = reader.node(key);
  const members = node?.kind === "object" ? node.members : new Map<string, Node>();
  if (members.has("json")) return schemaOf(reader, key, `${key}.json`);
  if (members.has("regex")) return regexOf(reader, key, `${key}.regex`);
  const choice = members.get("choice");
  const texts = choice?.kind === "array" ? choice.items.map((item) => (item.kind === "string" ? item.value : "")) : [];
  if (texts.length > 0 && texts.every((text) => text !== "")) return choicesOf(key, texts);
  const isObject = members.get("json_object");
  if (isObject?.kind === "bool" && isObject.value) {
    reader.note("differs", key, OTHER_GRAMMAR);
    return { key, text: JSON_OBJECT };
  }
  reader.note("lost", key, "imported are its members `json`, `json_object`, `regex` and `choice`");
  return undefined;
}

/** Allowed and banned tokens, and biases. */
function constraints(reader: Reader, { eos = [] }: ImportOptions): Stage[] {
  const biases = biasesOf(reader, "logit_bias").map(({ token, bias }) => ({ token, bias: clamp(bias) }));
  const least = reader.whole("min_tokens", { min: 0 }) ?? 0;
  const stops = [...new Set(reader.tokens("stop_token_ids"))];
  if (stops.length > pieces.MAX_LISTED)
    reader.refuse("stop_token_ids", `a list of at most ${pieces.MAX_LISTED} token ids`);
  const ends = eos.length > 0 ? [{ tokens: [...new Set([...stops, ...eos])] }] : [{ tokens: "end" } as const];
  return [
    ...thinkingBudget(reader),
    ...allowedTokens(reader),
    ...badWords(reader),
    ...pieces.noEndBefore("min_tokens", least, [
      ...(eos.length === 0 && stops.length > 0 ? [{ tokens: stops }] : []),
      ...ends,
    ]),
    ...biasStages(biases, reader),
  ];
}

/** vLLM's reasoning parser knows the tags of the model. */
function thinkingBudget(reader: Reader): Stage[] {
  const key = "thinking_token_budget";
  const budget = reader.whole(key, { min: 0 });
  if (budget === undefined) return [];
  reader.note("differs", key, DEFAULT_TAGS);
  return pieces.thinkingBudget(key, budget, "<think>", "</think>");
}

export function allowedTokens(reader: Reader): Stage[] {
  const allowed = reader.tokens("allowed_token_ids");
  if (allowed !== undefined && (allowed.length === 0 || allowed.length > pieces.MAX_LISTED))
    reader.refuse("allowed_token_ids", `a list of 1 to ${pieces.MAX_LISTED} token ids`);
  return allowed === undefined ? [] : pieces.onlyTokens([...new Set(allowed)]);
}

/** vLLM cuts each word into tokens as it is, and with a blank before it. */
export function badWords(reader: Reader): Stage[] {
  const words = reader.texts("bad_words") ?? [];
  if (words.length === 0) return [];
  if (words.length > pieces.MAX_LISTED / 2 || words.some((word) => word.trim() === ""))
    reader.refuse("bad_words", `a list of at most ${pieces.MAX_LISTED / 2} words`);
  reader.note("differs", "bad_words", WORDS_DIFFER);
  return pieces.badWords([...new Set(words.flatMap((word) => [word.trimStart(), ` ${word.trimStart()}`]))]);
}

const WORDS_DIFFER =
  "vLLM looks for the beginning of a word in what was generated, here also in the prompt; and it leaves out the form with a " +
  "blank if that has another number of tokens";

/** What the calling program has to do itself. */
function noteCaller(reader: Reader): void {
  if (isOn(reader.node("stop_token_ids"))) reader.note("caller", "stop_token_ids", STOPS);
  if (isOn(reader.node("prompt_logprobs"))) reader.note("lost", "prompt_logprobs", PROMPT_LOGPROBS);
}

const STOPS = "a chain ends no text: stop generating there";
const PROMPT_LOGPROBS = "`logprobs` are those of generated tokens";

const isOn = (node: Node | undefined): boolean =>
  node !== undefined &&
  !(node.kind === "bool" && !node.value) &&
  !(node.kind === "array" && node.items.length === 0) &&
  !(node.kind === "number" && node.value === 0);

/** The API's bounds of a bias. */
const clamp = (bias: number): number => Math.min(Math.max(bias, -100), 100);

const DETECTION = "repetition_detection";

/** `{ max_pattern_size, min_pattern_size, min_count }`: with a size of 0, or less than two repetitions, nothing is detected. */
function repetitionStop(reader: Reader): Stage[] {
  const node = reader.node(DETECTION);
  if (node === undefined || node.kind === "null") return [];
  const members = node.kind === "object" ? node.members : reader.refuse(DETECTION, "an object");
  const whole = (name: string): number => {
    const given = members.get(name);
    if (given === undefined || given.kind === "null") return 0;
    return given.kind === "number" && Number.isInteger(given.value)
      ? given.value
      : reader.refuse(DETECTION, `an integer as \`${name}\``);
  };
  const [most, least, times] = [whole("max_pattern_size"), Math.max(1, whole("min_pattern_size")), whole("min_count")];
  if (most <= 0 || times < 2 || least > most) return [];
  if (most > MOST_TOKENS || times > MOST_TIMES) {
    reader.note("lost", DETECTION, LONG_PATTERNS);
    return [];
  }
  return [{ name: "repetition_stop", args: { max_pattern: most, times, min_pattern: least } }];
}

/** Of `repetition_stop`. */
const [MOST_TOKENS, MOST_TIMES] = [32, 8];
const LONG_PATTERNS = `\`repetition_stop\` finds patterns of at most ${MOST_TOKENS} tokens, at most ${MOST_TIMES} times in a row`;

function penalties(reader: Reader): Stage[] {
  const repeat = reader.number("repetition_penalty", { min: 0, minExcluded: true }) ?? 1;
  const bounds = { min: -2, max: 2 };
  const freq = reader.number("frequency_penalty", bounds) ?? 0;
  const present = reader.number("presence_penalty", bounds) ?? 0;
  const names = { repeat: "repetition_penalty", freq: "", present: "" };
  return [...pieces.textPenalties(names, { repeat, freq: 0, present: 0 }), ...pieces.generatedPenalties(freq, present)];
}

function drawn(reader: Reader): Stage[] {
  const temperature = reader.number("temperature", { min: 0 }) ?? 1;
  const topK = reader.whole("top_k", { min: -1 }) ?? 0;
  const topP = reader.number("top_p", { min: 0, minExcluded: true, max: 1 }) ?? 1;
  const minP = reader.number("min_p", { min: 0, max: 1 }) ?? 0;
  const seed = reader.seed("seed", (s) => s === -1n) ?? "random";
  if (temperature < GREEDY_BELOW) {
    for (const key of ["top_k", "top_p", "min_p", "seed"]) reader.note("idle", key, "temperature is 0");
    return stages.greedy();
  }
  if (seed !== "random") reader.note("differs", "seed", OTHER_DRAWS);
  return [
    ...stages.temp("temperature", temperature),
    ...stages.minP("min_p", minP),
    ...stages.topK("top_k", topK),
    ...stages.topP("top_p", topP),
    ...stages.dist(seed),
  ];
}
