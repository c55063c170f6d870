/**
 * Names of options. Callers without types can give any: a name that nothing reads is an error that says which one was meant,
 * in all packages, by this mechanism alone.
 */
import { suggest } from "./suggest.js";
import { show } from "./show.js";
import { OptionError } from "./optionError.js";

/** A table with the name of each option of an interface: one that is missing, and one too many, does not compile. */
export type OptionNames<T> = { readonly [Name in keyof Required<T>]: true };

/** What the options of this project are called elsewhere: in llama.cpp, Ollama, OpenAI's API, transformers and vLLM. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  contextSize: ["n_ctx", "num_ctx", "ctx", "ctx_size", "context", "context_length", "max_seq_len", "max_model_len"],
  maxTokens: [
    ...[
      "tokens",
      "n_tokens",
      "num_tokens",
      "n_predict",
      "num_predict",
      "max_new_tokens",
      "max_length",
      "max_output_tokens",
    ],
    ...["max_completion_tokens", "max_gen_len"],
  ],
  minTokens: ["min_new_tokens", "min_length", "n_min"],
  stop: [
    "stop_sequence",
    "stop_sequences",
    "stop_string",
    "stop_strings",
    "stopping_strings",
    "stop_words",
    "antiprompt",
  ],
  ignoreEnd: ["ignore_eos"],
  logprobs: ["n_probs", "top_logprobs"],
  special: ["parse_special", "special_tokens"],
  seed: ["random_seed", "rng_seed"],
  signal: ["abort_signal", "abort"],
  uniforms: ["params", "parameters", "values", "set"],
  set: ["uniforms", "params", "parameters"],
  speculate: ["draft", "draft_model", "lookup", "speculative"],
  onPromptProgress: ["prompt_progress", "on_progress"],
  onProgress: ["progress", "progress_callback", "on_load_progress"],
  threads: ["n_threads", "num_thread", "num_threads"],
  batchThreads: ["n_threads_batch", "threads_batch"],
  promptBatch: ["n_batch", "num_batch", "batch_size", "n_ubatch", "ubatch_size"],
  gpuLayers: ["n_gpu_layers", "num_gpu", "ngl", "n_gpu_layer"],
  cacheTypeK: ["type_k", "cache_type"],
  cacheTypeV: ["type_v"],
  cache: ["kv_unified", "kvu", "unified"],
  flashAttention: ["flash_attn", "fa"],
  servers: ["rpc", "rpc_servers", "workers"],
  split: ["tensor_split"],
  sequences: ["n_parallel", "num_parallel", "parallel", "max_sequences", "n_seq_max", "max_num_seqs"],
  template: ["chat_template", "chat_template_file"],
  variables: ["chat_template_kwargs", "template_variables"],
  apiKeys: ["api_key", "api_key_file"],
  vocab: ["vocab_size", "n_vocab"],
};

/** What settings of samplers elsewhere are in a chain; `x` is the value. */
export const IN_CHAIN: Readonly<Record<string, { readonly stage: (x: number) => string; readonly typical: number }>> = {
  temperature: { stage: (x) => `temp(${x})`, typical: 0.8 },
  temp: { stage: (x) => `temp(${x})`, typical: 0.8 },
  top_k: { stage: (x) => `top_k(${x})`, typical: 40 },
  top_p: { stage: (x) => `top_p(${x})`, typical: 0.95 },
  min_p: { stage: (x) => `min_p(${x})`, typical: 0.05 },
  typical_p: { stage: (x) => `typical(${x})`, typical: 0.9 },
  top_n_sigma: { stage: (x) => `top_n_sigma(${x})`, typical: 1 },
  top_a: { stage: (x) => `top_a(${x})`, typical: 0.1 },
  repeat_penalty: { stage: (x) => `penalties(repeat: ${x})`, typical: 1.1 },
  repetition_penalty: { stage: (x) => `penalties(repeat: ${x})`, typical: 1.1 },
  frequency_penalty: { stage: (x) => `penalties(freq: ${x})`, typical: 0.5 },
  presence_penalty: { stage: (x) => `penalties(present: ${x})`, typical: 0.5 },
  xtc_probability: { stage: (x) => `xtc(${x})`, typical: 0.5 },
  mirostat_tau: { stage: (x) => `mirostat_v2(${x})`, typical: 5 },
};

const GRAMMAR = "a grammar is a uniform: `uniforms: { grammar: ... }` of a chain compiled with `constrained: true`";
/** Other wishes, and how they are said here. */
const INSTEAD: Readonly<Record<string, string>> = {
  grammar: GRAMMAR,
  gbnf: GRAMMAR,
  json_schema: GRAMMAR,
  response_format: GRAMMAR,
  logit_bias: "biases are fed, `feed: { bias }`, to a chain with the stage `logit_bias()`",
};

/** `max_tokens`, `max-tokens`, `MaxTokens` and `maxTokens` are the same. */
const plain = (name: string): string => name.replace(/[_-]/g, "").toLowerCase();

const byPlainName = <T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> =>
  new Map(Object.entries(table).map(([name, entry]) => [plain(name), entry]));
const CHAIN_BY_NAME = byPlainName(IN_CHAIN);
const INSTEAD_BY_NAME = byPlainName(INSTEAD);

/** The help for an unknown name; undefined if nothing is near. */
function helpFor(name: string, value: unknown, known: readonly string[]): string | undefined {
  const wanted = plain(name);
  const meant =
    known.find((own) => plain(own) === wanted) ??
    known.find((own) => Object.hasOwn(ELSEWHERE, own) && ELSEWHERE[own]!.some((other) => plain(other) === wanted));
  if (meant !== undefined) return `did you mean \`${meant}\`?`;
  const inChain = CHAIN_BY_NAME.get(wanted);
  if (inChain) {
    const shown = typeof value === "number" && Number.isFinite(value) ? value : inChain.typical;
    return `samplers are stages of the chain, say it there: \`${inChain.stage(shown)}\``;
  }
  const near = suggest(name, known);
  return near === undefined ? INSTEAD_BY_NAME.get(wanted) : `did you mean \`${near}\`?`;
}

/**
 * What is wrong with the first name of an object that is none of a table's; undefined if all are known. A name whose value is
 * `undefined` is absent.
 * @param pathOf the name in the message, such as `feed.bias`
 */
export function unknownOption(
  given: object,
  table: Readonly<Record<string, unknown>>,
  pathOf: (name: string) => string = (name) => name,
): string | undefined {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(table, name)) continue;
    const known = Object.keys(table);
    const names =
      known.length === 0 ? "there are none here" : `expected ${known.map((own) => `\`${own}\``).join(", ")}`;
    return `unknown option ${quoted(pathOf(name))}: ${helpFor(name, value, known) ?? names}`;
  }
  return undefined;
}

/** A name of a caller, which may be long or have any letters. */
const quoted = (name: string): string => (/^[\w.[\]$-]{1,60}$/.test(name) ? `\`${name}\`` : show(name));

/** The options of a function of the compiler, or of a package above it. Throws `OptionError` for unknown ones, and for no object. */
export function checkNames<T extends object>(given: T, table: OptionNames<T>, path = ""): void {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new OptionError(`\`${path || "options"}\` must be an object, found ${show(given)}`);
  const fault = unknownOption(given, table, (name) => (path === "" ? name : `${path}.${name}`));
  if (fault !== undefined) throw new OptionError(fault);
}
