/**
 * The known fields of each tool, in three classes: those that a reader makes stages of, those that `ggsl run` and the API have an
 * option for (OPTIONS names it), and those about neither. Detection, notes and the readers share this table.
 */
import type { OptionName } from "../runOptions.js";

export interface Fields {
  /** About sampling: a reader makes stages of them, or says why not. */
  readonly sampling: ReadonlySet<string>;
  /** About the generation or the model's context. If several name one option, the last one here counts. */
  readonly options: Readonly<Record<string, OptionName>>;
  /** About neither: transport, forms of answers, files. */
  readonly others: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Keys of OpenAI's API that are the same in its imitations. */
const OPENAI_OTHERS = `model stream stream_options user tools tool_choice parallel_tool_calls suffix echo best_of`;

/** DRY, XTC and mirostat have the same names almost everywhere. */
const DRY = "dry_multiplier dry_base dry_allowed_length dry_penalty_last_n dry_sequence_breakers";
const XTC = "xtc_probability xtc_threshold";

/** tools/server/server-schema.cpp of llama.cpp v0.5.0. */
const LLAMA: Fields = {
  sampling: words(`
    temperature top_k top_p min_p top_n_sigma ${XTC} typical_p dynatemp_range dynatemp_exponent
    repeat_last_n repeat_penalty frequency_penalty presence_penalty ${DRY} mirostat mirostat_tau mirostat_eta adaptive_target
    adaptive_decay min_keep samplers seed logit_bias ignore_eos grammar json_schema response_format grammar_lazy grammar_triggers
    grammar_type preserved_tokens reasoning_control reasoning_budget_tokens reasoning_budget_start_tag reasoning_budget_end_tag
    reasoning_budget_end_tags reasoning_budget_message`),
  options: {
    prompt: "prompt",
    messages: "messages",
    max_tokens: "maxTokens",
    max_completion_tokens: "maxTokens",
    n_predict: "maxTokens",
    stop: "stop",
    n: "sequences",
    n_cmpl: "sequences",
    logprobs: "logprobs",
    top_logprobs: "logprobs",
    n_probs: "likeliest",
  },
  others: words(`
    ${OPENAI_OTHERS} verbose timings_per_token cache_prompt return_tokens return_progress sse_ping_interval n_indent n_keep n_discard
    n_cache_reuse t_max_predict_ms response_fields backend_sampling post_sampling_probs lora id_slot input_prefix input_suffix
    input_extra chat_template chat_template_kwargs add_generation_prompt reasoning_format chat_format chat_parser
    parse_tool_calls generation_prompt continue_final_message thinking_forced_open images image_data system_prompt enable_thinking
    speculative.n_max speculative.n_min speculative.p_min`),
};

/** api/types.go of Ollama. */
const OLLAMA: Fields = {
  sampling: words(`
    temperature top_k top_p min_p typical_p repeat_last_n repeat_penalty presence_penalty frequency_penalty mirostat mirostat_tau
    mirostat_eta tfs_z penalize_newline seed format`),
  options: {
    num_ctx: "contextSize",
    num_thread: "threads",
    num_gpu: "gpuLayers",
    num_predict: "maxTokens",
    stop: "stop",
    prompt: "prompt",
    system: "system",
    messages: "messages",
    logprobs: "logprobs",
    top_logprobs: "logprobs",
  },
  others: words(`
    num_batch main_gpu low_vram f16_kv logits_all vocab_only use_mmap use_mlock num_keep numa num_gqa rope_frequency_base
    rope_frequency_scale embedding_only draft_num_predict model suffix images template context stream raw keep_alive tools think
    truncate shift options`),
};

/** transformers/llm/engine of MNN. */
const MNN: Fields = {
  sampling: words(`
    sampler_type mixed_samplers penalty_sampler temperature topK topP minP tfsZ typical penalty ngram n_gram ngram_factor`),
  options: { thread_num: "threads", max_new_tokens: "maxTokens", system_prompt: "system" },
  others: words(`
    llm_model llm_weight llm_config block_model lm_model embedding_model embedding_file tokenizer_file visual_model audio_model
    base_dir max_all_tokens reuse_kv backend_type precision power memory quant_qkv kvcache_limit kvcache_mmap use_mmap use_template
    use_cached_mmap dynamic_option tmp_path is_single is_visual is_audio hidden_size layer_nums key_value_shape attention_mask
    attention_type attention_fused chunk chunk_limits system_prompt_template user_prompt_template assistant_prefix assistant_suffix
    assistant_prompt_template prompt_template jinja bos app_type ppl_stride dataset dataset_sample_size mllm tie_embeddings
    has_talker sliding_window model_type hidden_act`),
};

/** GenerationConfig of transformers v4.50. */
const HUGGING_FACE: Fields = {
  sampling: words(`
    do_sample temperature top_k top_p min_p top_h typical_p epsilon_cutoff eta_cutoff repetition_penalty encoder_repetition_penalty
    no_repeat_ngram_size encoder_no_repeat_ngram_size bad_words_ids sequence_bias suppress_tokens begin_suppress_tokens min_length
    min_new_tokens forced_bos_token_id forced_eos_token_id forced_decoder_ids exponential_decay_length_penalty guidance_scale
    watermarking_config eos_token_id max_length renormalize_logits remove_invalid_values num_beams num_beam_groups diversity_penalty
    length_penalty penalty_alpha early_stopping constraints force_words_ids dola_layers prompt_lookup_num_tokens
    max_matching_ngram_size num_assistant_tokens num_assistant_tokens_schedule assistant_confidence_threshold assistant_early_exit
    token_healing`),
  options: { max_new_tokens: "maxTokens", stop_strings: "stop", num_return_sequences: "sequences" },
  others: words(`
    max_time bos_token_id pad_token_id decoder_start_token_id use_cache cache_implementation cache_config return_legacy_cache
    output_attentions output_hidden_states output_scores output_logits return_dict_in_generate transformers_version
    _from_model_config _name_or_path is_assistant generation_kwargs chat_format max_window_size user_token_id assistant_token_id
    prefill_chunk_size compile_config disable_compile trust_remote_code low_memory alignment_heads lang_to_id task_to_id
    is_multilingual no_timestamps_token_id max_initial_timestamp_index prev_sot_token_id return_timestamps`),
};

/** SamplingParams of vLLM v0.10, and OpenAI's reference of its API. */
const VLLM: Fields = {
  sampling: words(`
    temperature top_k top_p min_p repetition_penalty frequency_penalty presence_penalty seed logit_bias allowed_token_ids bad_words
    min_tokens stop_token_ids thinking_token_budget guided_json guided_regex guided_choice guided_grammar guided_decoding_backend
    structured_outputs response_format repetition_detection use_beam_search length_penalty early_stopping logits_processors vllm_xargs prompt_logprobs`),
  options: {
    prompt: "prompt",
    messages: "messages",
    max_tokens: "maxTokens",
    max_completion_tokens: "maxTokens",
    stop: "stop",
    n: "sequences",
    ignore_eos: "ignoreEnd",
    logprobs: "logprobs",
    top_logprobs: "logprobs",
  },
  others: words(`
    ${OPENAI_OTHERS} prompt_embeds metadata store service_tier include_stop_str_in_output skip_special_tokens
    spaces_between_special_tokens truncate_prompt_tokens detokenize output_kind add_special_tokens add_generation_prompt
    continue_final_message chat_template chat_template_kwargs documents return_tokens_as_token_ids return_token_ids cache_salt
    priority request_id kv_transfer_params reasoning_effort modalities audio prediction include_reasoning mm_processor_kwargs
    bad_words_token_ids extra_args safety_identifier prompt_cache_key verbosity web_search_options functions function_call`),
};

/** `generate` and `transform_genparams` of koboldcpp.py, 2025. */
const KOBOLD_CPP: Fields = {
  sampling: words(`
    temperature top_k top_a top_p min_p typical tfs nsigma rep_pen repeat_penalty repetition_penalty rep_pen_range rep_pen_slope
    presence_penalty mirostat mirostat_tau mirostat_eta ${DRY} ${XTC} dynatemp_range dynatemp_exponent smoothing_factor
    smoothing_curve adaptive_target adaptive_decay sampler_order sampler_seed logit_bias custom_token_bans banned_tokens
    banned_strings grammar response_format guidance_scale negative_prompt ban_eos_token use_default_badwordsids`),
  options: {
    max_context_length: "contextSize",
    max_tokens: "maxTokens",
    max_length: "maxTokens",
    n: "sequences",
    stop: "stop",
    stop_sequence: "stop",
    bypass_eos: "ignoreEnd",
    logprobs: "logprobs",
    prompt: "prompt",
    messages: "messages",
  },
  others: words(`
    memory images audio stream genkey trim_stop quiet render_special grammar_retain_state replace_instruct_placeholders model tools
    tool_choice continue_assistant_turn reasoning_effort using_openai_tools`),
};

/** textgen-settings.js and kai-settings.js of SillyTavern. */
const SILLY_TAVERN: Fields = {
  sampling: words(`
    temp top_k top_p top_a min_p tfs typical typical_p top_n_sigma nsigma rep_pen rep_pen_range rep_pen_slope presence_pen
    mirostat mirostat_mode mirostat_tau mirostat_eta ${DRY} ${XTC} dynatemp min_temp max_temp dynatemp_exponent smoothing_factor
    smoothing_curve adaptive_target adaptive_decay sampler_order seed logit_bias banned_tokens global_banned_tokens ban_eos_token
    grammar grammar_string json_schema guidance_scale negative_prompt epsilon_cutoff eta_cutoff no_repeat_ngram_size penalty_alpha
    num_beams length_penalty min_length encoder_rep_pen freq_pen skew rep_pen_decay min_keep sampler_priority samplers
    samplers_priorities temperature_last early_stopping do_sample ignore_eos_token ignore_eos_token_aphrodite speculative_ngram`),
  options: {
    max_length: "contextSize",
    amount_gen: "maxTokens",
    genamt: "maxTokens",
    n: "sequences",
    stopping_strings: "stop",
  },
  others: words(`
    name preset streaming stream rep_pen_size bypass_status_check skip_special_tokens add_bos_token include_reasoning
    spaces_between_special_tokens order json_schema_allow_empty extensions max_tokens_second send_banned_tokens generate_until
    use_default_badwordsids single_line streaming_url truncation_length type`),
};

/** Every key that its reader does not read is unknown. */
export const NO_FIELDS: Fields = { sampling: new Set(), options: {}, others: new Set() };

/** The fields of formats, by their names. */
export const FIELDS = {
  "llama.cpp": LLAMA,
  ollama: OLLAMA,
  mnn: MNN,
  huggingface: HUGGING_FACE,
  vllm: VLLM,
  koboldcpp: KOBOLD_CPP,
  sillytavern: SILLY_TAVERN,
} as const satisfies Readonly<Record<string, Fields>>;

export type FieldsName = keyof typeof FIELDS;

export const isKnown = ({ sampling, options, others }: Fields, key: string): boolean =>
  sampling.has(key) || Object.hasOwn(options, key) || others.has(key);

/** Fields of tools whose settings are not imported, so that they are not read as another tool's. */
export const FOREIGN: Readonly<Record<string, ReadonlySet<string>>> = {
  // default_preset of modules/presets.py and GenerationOptions of modules/api/typing.py
  "text-generation-webui": words(`
    temperature temperature_last dynamic_temperature dynatemp_low dynatemp_high dynatemp_exponent smoothing_factor smoothing_curve
    top_p min_p top_k top_n_sigma repetition_penalty presence_penalty frequency_penalty repetition_penalty_range typical_p tfs
    top_a epsilon_cutoff eta_cutoff guidance_scale negative_prompt penalty_alpha mirostat_mode mirostat_tau mirostat_eta do_sample
    encoder_repetition_penalty no_repeat_ngram_size dry_multiplier dry_base dry_allowed_length dry_sequence_breakers ${XTC}
    adaptive_target adaptive_decay sampler_priority preset prompt_lookup_num_tokens max_tokens_second auto_max_new_tokens
    ban_eos_token add_bos_token enable_thinking reasoning_effort skip_special_tokens static_cache truncation_length seed
    custom_token_bans grammar_string max_new_tokens max_tokens max_completion_tokens stop stopping_strings stream prompt messages
    mode character instruction_template`),
  // BaseSamplerRequest of common/sampling.py
  tabbyAPI: words(`
    max_tokens max_length min_tokens min_length generate_window stop stop_sequence banned_strings banned_tokens custom_token_bans
    allowed_tokens allowed_token_ids token_healing temperature temperature_last smoothing_factor top_k top_p top_a min_p tfs typical
    typical_p skew frequency_penalty presence_penalty repetition_penalty rep_pen penalty_range repetition_range
    repetition_penalty_range rep_pen_range repetition_decay dry_multiplier dry_base dry_allowed_length dry_range dry_penalty_last_n
    dry_sequence_breakers mirostat mirostat_mode mirostat_tau mirostat_eta add_bos_token ban_eos_token ignore_eos
    skip_special_tokens logit_bias negative_prompt json_schema regex_pattern grammar_string speculative_ngram cfg_scale
    guidance_scale max_temp dynatemp_high min_temp dynatemp_low temp_exponent dynatemp_exponent ${XTC} prompt messages stream`),
  // presets of LM Studio
  "LM Studio": words("identifier name changed operation load inference_params load_params pre_prompt"),
};
