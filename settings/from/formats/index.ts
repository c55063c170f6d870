/** The import formats: name, keys that identify it, and reader. */
import type { ObjectNode } from "../nodes.js";
import type { ImportOptions, Plan } from "../plan.js";
import { FIELDS, FOREIGN, isKnown, type FieldsName } from "./fields.js";
import { fromHuggingFace } from "./huggingFace.js";
import { fromKoboldCpp } from "./koboldCpp.js";
import { fromLlamaRequest } from "./llamaRequest.js";
import { fromMnn } from "./mnn.js";
import { fromOllamaOptions } from "./ollama.js";
import { fromSillyTavern } from "./sillyTavern.js";
import { fromVllm } from "./vllm.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

export interface JsonFormat {
  /** The name for `--from`. */
  readonly name: string;
  /** Whose fields it has; formats with the same fields as another one are chosen by name only. */
  readonly fields?: FieldsName;
  /** Keys that are typical of it: they decide between formats that know as many keys. */
  readonly keys: readonly string[];
  readonly read: (root: ObjectNode, options: ImportOptions) => Plan;
}

const words = (text: string): string[] => text.trim().split(/\s+/);

export const JSON_FORMATS: readonly JsonFormat[] = [
  {
    name: "llama.cpp",
    fields: "llama.cpp",
    keys: words(`
      n_predict cache_prompt id_slot n_probs t_max_predict_ms repeat_penalty typ_p xtc_probability dry_multiplier samplers
      dynatemp_range repeat_last_n top_n_sigma adaptive_target backend_sampling n_keep json_schema`),
    read: fromLlamaRequest,
  },
  {
    name: "ollama",
    fields: "ollama",
    keys: words(`options num_ctx num_predict keep_alive num_gpu num_keep num_thread`),
    read: (root) => fromOllamaOptions(root, "server"),
  },
  { name: "ollama-2025", keys: [], read: (root) => fromOllamaOptions(root, "runner") },
  { name: "ollama-engine", keys: [], read: (root) => fromOllamaOptions(root, "own") },
  {
    name: "mnn",
    fields: "mnn",
    keys: words(`sampler_type mixed_samplers topK topP minP tfsZ penalty_sampler ngram_factor llm_model llm_weight`),
    read: (root) => fromMnn(root),
  },
  {
    name: "huggingface",
    fields: "huggingface",
    keys: words(`
      do_sample transformers_version _from_model_config bos_token_id pad_token_id eos_token_id epsilon_cutoff
      max_new_tokens no_repeat_ngram_size num_beams`),
    read: fromHuggingFace,
  },
  {
    name: "vllm",
    fields: "vllm",
    keys: words(`
      messages max_tokens max_completion_tokens stop_token_ids min_tokens best_of prompt_logprobs allowed_token_ids
      top_logprobs include_stop_str_in_output guided_json guided_regex guided_choice guided_grammar structured_outputs stream_options`),
    read: fromVllm,
  },
  {
    name: "koboldcpp",
    fields: "koboldcpp",
    keys: words(`
      sampler_order sampler_seed rep_pen rep_pen_range rep_pen_slope max_context_length max_length top_a tfs nsigma
      smoothing_factor genkey trim_stop`),
    read: fromKoboldCpp,
  },
  {
    name: "sillytavern",
    fields: "sillytavern",
    keys: words(`
      temp temperature_last sampler_priority samplers_priorities mirostat_mode freq_pen presence_pen encoder_rep_pen
      min_temp max_temp dynatemp grammar_string sampler_order rep_pen rep_pen_range rep_pen_slope top_a tfs`),
    read: fromSillyTavern,
  },
];

/** All formats, including those that are not JSON. */
export const KINDS: readonly string[] = [...new Set([...JSON_FORMATS.map((f) => f.name), "gguf"])];

/** What the keys of an object say of its tool. */
interface Detection {
  /** The formats that know the most of the keys; of those, the ones with the most typical keys. */
  readonly found: readonly JsonFormat[];
  /** A tool that knows more of the keys than any format, and those keys. */
  readonly foreign?: { readonly tool: string; readonly keys: readonly string[] };
}

export function detect({ members }: ObjectNode): Detection {
  const keys = [...members.keys()];
  const named = JSON_FORMATS.flatMap((format) => (format.fields ? [{ format, fields: FIELDS[format.fields] }] : []));
  const known = best(named, ({ fields }) => keys.filter((key) => isKnown(fields, key)).length);
  const most = keys.filter((key) => known.some(({ fields }) => isKnown(fields, key)));
  const [foreign] = best(Object.entries(FOREIGN), ([, fields]) => keys.filter((key) => fields.has(key)).length);
  const beyond = foreign ? keys.filter((key) => foreign[1].has(key) && !most.includes(key)) : [];
  const count = known[0] ? keys.filter((key) => isKnown(known[0]!.fields, key)).length : 0;
  if (foreign && keys.filter((key) => foreign[1].has(key)).length > count)
    return { found: [], foreign: { tool: foreign[0], keys: beyond.length > 0 ? beyond : keys } };
  const typical = best(known, ({ format }) => format.keys.filter((key) => members.has(key)).length);
  return { found: (typical.length > 0 ? typical : known).map(({ format }) => format) };
}

/** The items with the largest count; none if it is 0. */
function best<T>(list: readonly T[], count: (item: T) => number): T[] {
  const counts = list.map(count);
  const most = greatest(counts);
  return most === 0 ? [] : list.filter((_, i) => counts[i] === most);
}

/** Typical keys of a format that none of the others knows. */
export const decidingKeys = (format: JsonFormat, others: readonly JsonFormat[]): string[] =>
  format.keys.filter((key) =>
    others.every((other) => other === format || !other.fields || !isKnown(FIELDS[other.fields], key)),
  );
