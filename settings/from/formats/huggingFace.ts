/**
 * Hugging Face transformers' generation_config.json: the processors of `_get_logits_processor` (generation/utils.py, v4.50), in
 * its order, with the defaults of GenerationConfig. Without `do_sample` the best token is picked.
 */
import { openReader, type Reader } from "../reader.js";
import { settingsOf, type Node, type ObjectNode } from "../nodes.js";
import { ImportError } from "../notes.js";
import * as pieces from "../pieces.js";
import type { ImportOptions, Plan, Stage, TokenSet } from "../plan.js";
import * as stages from "../stages.js";
import { uniform } from "../stages.js";
import { describe, numberOf, tokenOf } from "../values.js";
import { FIELDS } from "./fields.js";
import { biasStages, endOf } from "./llama.js";
import { forcedStages, guidance, watermark } from "./huggingFaceParts.js";

/** Beam search and similar: the key, the value that turns it off, and why it is lost. */
const SEARCHES: readonly (readonly [key: string, off: number, what: string])[] = [
  ["num_beams", 1, "beam search keeps several texts at once, and a chain picks one token after the other"],
  ["num_beam_groups", 1, "groups of beams belong to beam search"],
  ["diversity_penalty", 0, "it belongs to beam search"],
  ["length_penalty", 1, "it belongs to beam search"],
  ["penalty_alpha", 0, "contrastive search compares hidden states, which a chain does not see"],
];

/** Other settings that are lost whenever they are set. */
const LOST: Readonly<Record<string, string>> = {
  early_stopping: "it belongs to beam search",
  constraints: "it belongs to beam search",
  force_words_ids: "it belongs to beam search",
  dola_layers: "it compares the model's layers, which a chain does not see",
  prompt_lookup_num_tokens: "speculative decoding belongs to the calling program",
  max_matching_ngram_size: "speculative decoding belongs to the calling program",
  num_assistant_tokens: "speculative decoding belongs to the calling program",
  num_assistant_tokens_schedule: "speculative decoding belongs to the calling program",
  assistant_confidence_threshold: "speculative decoding belongs to the calling program",
  assistant_early_exit: "speculative decoding belongs to the calling program",
  token_healing: "it changes the prompt",
};

export function fromHuggingFace(root: ObjectNode, options: ImportOptions): Plan {
  const reader = openReader(settingsOf(root));
  const eos = options.eos ?? reader.tokens("eos_token_id") ?? [];
  reader.note("other", "eos_token_id", "");
  for (const [key, off, what] of SEARCHES) {
    const value = reader.number(key);
    if (value !== undefined && value !== off) reader.note("lost", key, what);
  }
  for (const [key, what] of Object.entries(LOST)) if (isSet(reader.node(key))) reader.note("lost", key, what);
  for (const key of ["renormalize_logits", "remove_invalid_values"])
    if (reader.flag(key) === true)
      reader.note("idle", key, "probabilities always sum to 1 here, and no program makes a NaN");
  noteLength(reader);
  const made = [...guidance(reader), ...processors(reader, eos), ...warpers(reader)];
  reader.finish(FIELDS.huggingface);
  return { tool: "Hugging Face transformers v4", stages: made, notes: reader.notes };
}

function noteLength(reader: Reader): void {
  if (reader.given.has("max_new_tokens")) reader.note("idle", "max_length", "max_new_tokens counts before it");
  else reader.note("caller", "max_length", "it counts the prompt too: `maxTokens` is what the prompt leaves of it");
}

const isSet = (node: Node | undefined): boolean => node !== undefined && !(node.kind === "bool" && !node.value);

// ---------------------------------------------------------------- with and without sampling

function processors(reader: Reader, eos: readonly number[]): Stage[] {
  const sequences = sequenceBias(reader);
  const single = sequences.flatMap(({ tokens, bias }) => (tokens.length === 1 ? { token: tokens[0]!, bias } : []));
  const repeat = reader.number("repetition_penalty", ABOVE_0) ?? 1;
  const size = reader.whole("no_repeat_ngram_size", { min: 0 }) ?? 0;
  const names = { repeat: "repetition_penalty", freq: "", present: "" };
  const end = endOf(eos);
  return [
    ...biasStages(single, reader, "sequence_bias"),
    ...pieces.sequenceBiases(sequences.filter(({ tokens }) => tokens.length > 1)),
    ...pieces.promptReward(reader.number("encoder_repetition_penalty", ABOVE_0) ?? 1),
    ...pieces.textPenalties(names, { repeat, freq: 0, present: 0 }),
    ...(size > 0 ? [{ name: "no_repeat_ngram", args: { size } }] : []),
    ...pieces.noPromptNgram(reader.whole("encoder_no_repeat_ngram_size", { min: 0 }) ?? 0),
    ...badWords(reader, eos),
    ...pieces.noEndOfShortText(reader.whole("min_length", { min: 0 }) ?? 0, end),
    ...pieces.noEndBefore("min_new_tokens", reader.whole("min_new_tokens", { min: 0 }) ?? 0, [end]),
    ...forcedStages(reader),
    ...lengthPenalty(reader, end),
    ...pieces.bans("suppressed", "Banned tokens.", listed(reader, "suppress_tokens")),
    ...pieces.notAtStart(listed(reader, "begin_suppress_tokens")),
  ];
}

const ABOVE_0 = { min: 0, minExcluded: true };

/** A list of tokens, if it is not too long for a program. */
function listed(reader: Reader, key: string): readonly number[] {
  const tokens = [...new Set(reader.tokens(key))];
  if (tokens.length <= pieces.MAX_LISTED) return tokens;
  return reader.refuse(key, `a list of at most ${pieces.MAX_LISTED} token ids`);
}

/** Only with `do_sample`. */
function warpers(reader: Reader): Stage[] {
  const unit = { min: 0, max: 1 };
  const temperature = reader.number("temperature", { min: 0, minExcluded: true }) ?? 1;
  // GenerationConfig has 50 if the key is absent; `null` is no top_k
  const topK = reader.whole("top_k", { min: 0 }) ?? (reader.has("top_k") ? 0 : 50);
  const topP = reader.number("top_p", unit) ?? 1;
  const minP = reader.number("min_p", unit) ?? 0;
  const typical = reader.number("typical_p", unit) ?? 1;
  const epsilon = reader.number("epsilon_cutoff", unit) ?? 0;
  const eta = reader.number("eta_cutoff", unit) ?? 0;
  const h = reader.number("top_h", unit);
  const marked = watermark(reader);
  if (reader.flag("do_sample") !== true) {
    for (const key of ["temperature", "top_h", "top_k", "top_p", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff"])
      reader.note("idle", key, "without do_sample the best token is picked");
    return [...marked, ...stages.greedy()];
  }
  const cutoff = (name: string, key: string, value: number): Stage[] =>
    value <= 0 || value >= 1 ? [] : [{ name, args: { cutoff: uniform(key, value, "in [0, 1]") } }];
  return [
    ...stages.temp("temperature", temperature),
    ...(h === undefined ? [] : [{ name: "top_h", args: { h: uniform("top_h", h, "in [0, 1]") } }]),
    ...stages.topK("top_k", topK),
    ...stages.topP("top_p", topP),
    ...stages.minP("min_p", minP),
    ...stages.typical("typical_p", typical),
    ...cutoff("epsilon", "epsilon_cutoff", epsilon),
    ...cutoff("eta", "eta_cutoff", eta),
    ...marked,
    ...stages.dist("random"),
  ];
}

// ---------------------------------------------------------------- lists

interface SequenceBias {
  readonly tokens: readonly number[];
  readonly bias: number;
}

/** `[[[15043], 1.5], ...]`, or an object with keys such as `"(5, 6)"`. */
function sequenceBias(reader: Reader): SequenceBias[] {
  const node = reader.node("sequence_bias");
  if (node === undefined) return [];
  const pairs = sequencePairs(node);
  if (pairs === undefined)
    return reader.refuse(
      "sequence_bias",
      "a list of pairs of token ids and a bias, or an object of biases by token ids",
    );
  // as in transformers, the last bias of a sequence counts
  const last = new Map(pairs.map((pair) => [pair.tokens.join(), pair]));
  return limited(reader, "sequence_bias", [...last.values()], ({ tokens }) => tokens);
}

function sequencePairs(node: Node): SequenceBias[] | undefined {
  if (node.kind === "array")
    return node.items.map((item) => {
      const [first, second] = item.kind === "array" ? item.items : [];
      return pairOf(item, first && sequenceOf(first), second);
    });
  if (node.kind !== "object") return undefined;
  return [...node.members].map(([key, value]) => pairOf(value, sequenceOfKey(key), value));
}

function pairOf(item: Node, tokens: readonly number[] | undefined, value: Node | undefined): SequenceBias {
  const bias = value && numberOf(value);
  if (tokens === undefined || tokens.length === 0 || bias === undefined)
    throw new ImportError(`${item.place}: expected a pair of token ids and a bias, found ${describe(item)}`);
  return { tokens, bias };
}

/** `5`, `5, 6`, `(5, 6)`, `(5,)`, `[5, 6]` */
function sequenceOfKey(key: string): number[] | undefined {
  const [, list] = /^\s*[[(]?\s*(\d+(?:\s*,\s*\d+)*)\s*,?\s*[\])]?\s*$/.exec(key.slice(0, MAX_KEY)) ?? [];
  const tokens = list?.split(",").map(Number);
  return key.length <= MAX_KEY && tokens?.every((t) => t < 2 ** 31) ? tokens : undefined;
}

/** Characters of a key with token ids. */
const MAX_KEY = 10_000;

/** Refuses sequences with more tokens than a program may list. */
function limited<T>(reader: Reader, key: string, list: readonly T[], tokensOf: (x: T) => readonly number[]): T[] {
  const count = list.reduce((sum, x) => sum + tokensOf(x).length, 0);
  if (count <= pieces.MAX_LISTED && list.every((x) => tokensOf(x).length <= MAX_SEQUENCE)) return [...list];
  return reader.refuse(key, `at most ${pieces.MAX_LISTED} token ids, and ${MAX_SEQUENCE} in a sequence`);
}

/** Tokens of a sequence that a text is compared with. */
const MAX_SEQUENCE = 1024;

function sequenceOf(node: Node): number[] | undefined {
  if (node.kind !== "array") return undefined;
  const tokens = node.items.map(tokenOf);
  return tokens.every((t) => t !== undefined) ? tokens : undefined;
}

/** Sequences of tokens that are never completed; end-of-text tokens alone are no words. */
function badWords(reader: Reader, eos: readonly number[]): Stage[] {
  const node = reader.node("bad_words_ids");
  if (node === undefined) return [];
  const words = node.kind === "array" ? node.items.map(sequenceOf) : [undefined];
  if (!words.every((w) => w !== undefined && w.length > 0))
    return reader.refuse("bad_words_ids", "a list of lists of token ids");
  const found = limited(reader, "bad_words_ids", words as number[][], (word) => word);
  const single = new Set(found.flatMap((w) => (w.length === 1 && !eos.includes(w[0]!) ? w : [])));
  return [
    ...pieces.bans("banned_words", "Banned words of one token.", [...single]),
    ...pieces.badWords(found.filter(({ length }) => length > 1)),
  ];
}

/** `[start, factor]` */
function lengthPenalty(reader: Reader, end: TokenSet): Stage[] {
  const key = "exponential_decay_length_penalty";
  const node = reader.node(key);
  if (node === undefined) return [];
  const [start, factor] = node.kind === "array" ? node.items : [];
  const [from, growth] = [start && tokenOf(start), factor && numberOf(factor)];
  if (from === undefined || growth === undefined || growth <= 0)
    return reader.refuse(key, "a list of a number of tokens and a factor above 0");
  return pieces.lengthPenalty(from, growth, end);
}
