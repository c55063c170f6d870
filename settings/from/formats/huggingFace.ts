/**
 * Hugging Face transformers' generation_config.json: the processors of `_get_logits_processor` (generation/utils.py, v4.50), in
 * its order, with the defaults of GenerationConfig. Without `do_sample` the best token is picked.
 */
import { openReader, type Reader } from "../reader.js";
import { settingsOf, type Node, type ObjectNode } from "../nodes.js";
import { ImportError } from "../notes.js";
import * as pieces from "../pieces.js";
import type { Bias, ImportOptions, Plan, Stage } from "../plan.js";
import * as stages from "../stages.js";
import { uniform } from "../stages.js";
import { describe, numberOf, tokenOf } from "../values.js";
import { biasStages, NEEDS_EOS } from "./llama.js";

/** Keys that are not about sampling. */
const OTHERS = new Set(
  `
  max_length max_new_tokens max_time stop_strings bos_token_id pad_token_id decoder_start_token_id num_return_sequences
  use_cache cache_implementation cache_config return_legacy_cache output_attentions output_hidden_states output_scores
  output_logits return_dict_in_generate transformers_version _from_model_config _name_or_path is_assistant generation_kwargs
  chat_format max_window_size user_token_id assistant_token_id prefill_chunk_size compile_config disable_compile
  trust_remote_code low_memory alignment_heads lang_to_id task_to_id is_multilingual no_timestamps_token_id
  max_initial_timestamp_index prev_sot_token_id return_timestamps
`
    .trim()
    .split(/\s+/),
);

/** Beam search and similar: the key, the value that turns it off, and why it is lost. */
const SEARCHES: readonly (readonly [key: string, off: number, what: string])[] = [
  ["num_beams", 1, "beam search keeps several texts at once, and a chain picks one token after the other"],
  ["num_beam_groups", 1, "groups of beams belong to beam search"],
  ["diversity_penalty", 0, "it belongs to beam search"],
  ["length_penalty", 1, "it belongs to beam search"],
  ["penalty_alpha", 0, "contrastive search compares hidden states, which a chain does not see"],
  ["guidance_scale", 1, "guidance needs the logits of a second prompt"],
  ["encoder_repetition_penalty", 1, "it needs the encoder's text"],
  ["encoder_no_repeat_ngram_size", 0, "it needs the encoder's text"],
  ["top_h", 1, "there is no such sampler here"],
  [
    "min_length",
    0,
    "it also counts the prompt, and a chain knows only how many tokens were generated; use min_new_tokens",
  ],
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
  forced_bos_token_id: "the calling program must add forced tokens",
  forced_eos_token_id: "the calling program must add forced tokens",
  forced_decoder_ids: "the calling program must add forced tokens",
  watermarking_config: "a chain cannot compute its hash of the preceding tokens; feed a green list with `input`",
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
  const made = [...processors(reader, eos), ...warpers(reader)];
  reader.finish(OTHERS);
  return { tool: "Hugging Face transformers v4", stages: made, notes: reader.notes };
}

const isSet = (node: Node | undefined): boolean => node !== undefined && !(node.kind === "bool" && !node.value);

// ---------------------------------------------------------------- with and without sampling

function processors(reader: Reader, eos: readonly number[]): Stage[] {
  const bias = biasStages(sequenceBias(reader), reader, "sequence_bias");
  const repeat = reader.number("repetition_penalty", { min: 0, minExcluded: true }) ?? 1;
  const size = reader.whole("no_repeat_ngram_size", { min: 0 }) ?? 0;
  const bad = badWords(reader, eos);
  const least = reader.whole("min_new_tokens", { min: 0 }) ?? 0;
  if (least > 0 && eos.length === 0) reader.note("lost", "min_new_tokens", NEEDS_EOS);
  const decay = lengthPenalty(reader, eos);
  const suppressed = reader.tokens("suppress_tokens") ?? [];
  const atStart = reader.tokens("begin_suppress_tokens") ?? [];
  const names = { repeat: "repetition_penalty", freq: "", present: "" };
  return [
    ...bias,
    ...pieces.textPenalties(names, { repeat, freq: 0, present: 0 }),
    ...(size > 0 ? [{ name: "no_repeat_ngram", args: { size } }] : []),
    ...pieces.bans("bad_words", "Banned words.", bad),
    ...pieces.noEndBefore(least, eos),
    ...decay,
    ...pieces.bans("suppressed", "Banned tokens.", suppressed),
    ...pieces.notAtStart(atStart),
  ];
}

/** Only with `do_sample`. */
function warpers(reader: Reader): Stage[] {
  const unit = { min: 0, max: 1 };
  const temperature = reader.number("temperature", { min: 0, minExcluded: true }) ?? 1;
  const topK = reader.whole("top_k", { min: 0 }) ?? 50;
  const topP = reader.number("top_p", unit) ?? 1;
  const minP = reader.number("min_p", unit) ?? 0;
  const typical = reader.number("typical_p", unit) ?? 1;
  const epsilon = reader.number("epsilon_cutoff", unit) ?? 0;
  const eta = reader.number("eta_cutoff", unit) ?? 0;
  if (reader.flag("do_sample") !== true) {
    for (const key of ["temperature", "top_k", "top_p", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff"])
      reader.note("idle", key, "without do_sample the best token is picked");
    return stages.greedy();
  }
  const cutoff = (name: string, key: string, value: number): Stage[] =>
    value <= 0 || value >= 1 ? [] : [{ name, args: { cutoff: uniform(key, value, "in [0, 1]") } }];
  return [
    ...stages.temp("temperature", temperature),
    ...stages.topK("top_k", topK),
    ...stages.topP("top_p", topP),
    ...stages.minP("min_p", minP),
    ...stages.typical("typical_p", typical),
    ...cutoff("epsilon", "epsilon_cutoff", epsilon),
    ...cutoff("eta", "eta_cutoff", eta),
    ...stages.dist("random"),
  ];
}

// ---------------------------------------------------------------- lists

/** `[[[15043], 1.5], ...]`; sequences of several tokens have no equivalent here. */
function sequenceBias(reader: Reader): Bias[] {
  const node = reader.node("sequence_bias");
  if (node === undefined) return [];
  if (node.kind !== "array") return reader.refuse("sequence_bias", "a list of pairs of token ids and a bias");
  const pairs = node.items.map((item) => {
    const [first, second] = item.kind === "array" ? item.items : [];
    const tokens = first && sequenceOf(first);
    const bias = second && numberOf(second);
    if (tokens === undefined || bias === undefined)
      throw new ImportError(`${item.place}: expected a pair of token ids and a bias, found ${describe(item)}`);
    return { tokens, bias };
  });
  const long = pairs.filter(({ tokens }) => tokens.length !== 1).length;
  if (long > 0) reader.note("lost", "sequence_bias", `${long} of ${pairs.length} are for several tokens in a row`);
  return pairs.flatMap(({ tokens, bias }) => (tokens.length === 1 ? { token: tokens[0]!, bias } : []));
}

function sequenceOf(node: Node): number[] | undefined {
  if (node.kind !== "array") return undefined;
  const tokens = node.items.map(tokenOf);
  return tokens.every((t) => t !== undefined) ? tokens : undefined;
}

/** Words of one token, except end-of-text tokens. */
function badWords(reader: Reader, eos: readonly number[]): number[] {
  const node = reader.node("bad_words_ids");
  if (node === undefined) return [];
  const words = node.kind === "array" ? node.items.map(sequenceOf) : [undefined];
  if (words.some((w) => w === undefined)) return reader.refuse("bad_words_ids", "a list of lists of token ids");
  const long = words.filter((w) => w!.length !== 1).length;
  if (long > 0) reader.note("lost", "bad_words_ids", `${long} of ${words.length} are of several tokens`);
  return words.flatMap((w) => (w!.length === 1 && !eos.includes(w![0]!) ? w! : []));
}

/** `[start, factor]` */
function lengthPenalty(reader: Reader, eos: readonly number[]): Stage[] {
  const key = "exponential_decay_length_penalty";
  const node = reader.node(key);
  if (node === undefined) return [];
  const [start, factor] = node.kind === "array" ? node.items : [];
  const [from, growth] = [start && tokenOf(start), factor && numberOf(factor)];
  if (from === undefined || growth === undefined || growth <= 0)
    return reader.refuse(key, "a list of a number of tokens and a factor above 0");
  if (eos.length > 0) return pieces.lengthPenalty(from, growth, eos);
  reader.note("lost", key, NEEDS_EOS);
  return [];
}
