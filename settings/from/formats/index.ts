/** The import formats: name, keys that identify it, and reader. */
import type { ObjectNode } from "../nodes.js";
import type { ImportOptions, Plan } from "../plan.js";
import { fromHuggingFace } from "./huggingFace.js";
import { fromKoboldCpp } from "./koboldCpp.js";
import { fromLlamaRequest } from "./llamaRequest.js";
import { fromMnn } from "./mnn.js";
import { fromOllamaOptions } from "./ollama.js";
import { fromSillyTavern } from "./sillyTavern.js";
import { fromVllm } from "./vllm.js";

export interface JsonFormat {
  /** The name for `--from`. */
  readonly name: string;
  /** Keys that distinguish this format from the others. */
  readonly keys: readonly string[];
  /** Keys that it never has. */
  readonly never?: readonly string[];
  readonly read: (root: ObjectNode, options: ImportOptions) => Plan;
}

const words = (text: string): string[] => text.trim().split(/\s+/);

export const JSON_FORMATS: readonly JsonFormat[] = [
  {
    name: "llama.cpp",
    keys: words(`
      n_predict cache_prompt id_slot n_probs t_max_predict_ms repeat_penalty typ_p xtc_probability dry_multiplier samplers
      dynatemp_range repeat_last_n top_n_sigma adaptive_target backend_sampling n_keep json_schema`),
    never: ["rep_pen", "sampler_order", "sampler_seed", "temp"],
    read: fromLlamaRequest,
  },
  {
    name: "ollama",
    keys: words(`options num_ctx num_predict keep_alive num_gpu num_keep num_thread`),
    read: (root) => fromOllamaOptions(root, "server"),
  },
  // only by name: their keys are the same
  { name: "ollama-2025", keys: [], read: (root) => fromOllamaOptions(root, "runner") },
  { name: "ollama-engine", keys: [], read: (root) => fromOllamaOptions(root, "own") },
  {
    name: "mnn",
    keys: words(`sampler_type mixed_samplers topK topP minP tfsZ penalty_sampler ngram_factor llm_model llm_weight`),
    read: (root) => fromMnn(root),
  },
  {
    name: "huggingface",
    keys: words(`
      do_sample transformers_version _from_model_config bos_token_id pad_token_id eos_token_id epsilon_cutoff
      max_new_tokens no_repeat_ngram_size num_beams`),
    read: fromHuggingFace,
  },
  {
    name: "vllm",
    keys: words(`
      messages max_tokens max_completion_tokens stop_token_ids min_tokens best_of prompt_logprobs allowed_token_ids
      top_logprobs include_stop_str_in_output guided_json guided_regex guided_choice guided_grammar structured_outputs stream_options`),
    read: fromVllm,
  },
  {
    name: "koboldcpp",
    keys: words(`
      sampler_order sampler_seed rep_pen rep_pen_range rep_pen_slope max_context_length max_length top_a tfs nsigma
      smoothing_factor genkey trim_stop`),
    never: ["temp"],
    read: fromKoboldCpp,
  },
  {
    name: "sillytavern",
    keys: words(`
      temp temperature_last sampler_priority samplers_priorities mirostat_mode freq_pen presence_pen encoder_rep_pen
      min_temp max_temp dynatemp grammar_string sampler_order rep_pen rep_pen_range rep_pen_slope top_a tfs`),
    never: ["temperature"],
    read: fromSillyTavern,
  },
];

/** All formats, including those that are not JSON. */
export const KINDS: readonly string[] = [...new Set([...JSON_FORMATS.map((f) => f.name), "gguf"])];

/** The possible formats of an object: those with the most matching keys. */
export function candidates({ members }: ObjectNode): readonly JsonFormat[] {
  const counts = JSON_FORMATS.map(({ keys, never = [] }) =>
    never.some((key) => members.has(key)) ? 0 : keys.filter((key) => members.has(key)).length,
  );
  const most = Math.max(...counts);
  return most === 0 ? [] : JSON_FORMATS.filter((_, i) => counts[i] === most);
}
