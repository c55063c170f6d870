/** The fields of OpenAI's chat and completions: what the server does with each, and what is not done and why. */
import { EFFORTS } from "ggsl/chat/reasoning/efforts.js";
import { ALL, BOTH, CHAT, COMPLETIONS, CONVERSATION, neutral, no, OF_MODEL, partly, yes, type Field } from "./field.js";
import * as schema from "./schemas.js";

/** By which llama.cpp's programs mean a random one. */
export const RANDOM_SEED = 2 ** 32 - 1;

export const OPENAI_FIELDS = {
  model: yes(
    ALL,
    schema.someText,
    "a name that `/v1/models` lists; may be absent. `NAME:SAMPLER` chooses one of the server's samplers",
    neutral(""),
  ),
  messages: yes(
    CONVERSATION,
    schema.messages,
    "parts of a content are texts; `developer` is `system`; arguments of a call that are absent or empty are `{}`",
    { isRequired: true },
  ),
  prompt: yes(
    ["completions", "logits"],
    schema.prompt,
    "a text, token ids, or a list of either; each has `n` choices, and logits are those of one. Special tokens in a text are letters",
    { isRequired: true },
  ),
  temperature: yes(BOTH, schema.number(0, 2), "default 1; 0 picks the likeliest token", neutral(1)),
  top_p: yes(BOTH, schema.number(0, 1), "default 1", neutral(1)),
  frequency_penalty: yes(BOTH, schema.number(-2, 2), "over the last `repeat_last_n` tokens", neutral(0)),
  presence_penalty: yes(BOTH, schema.number(-2, 2), "over the last `repeat_last_n` tokens", neutral(0)),
  logit_bias: yes(BOTH, schema.biases, "token ids to numbers from -100 to 100; -100 bans", neutral({}, [])),
  seed: yes(
    BOTH,
    schema.seed,
    "the choices of a request have the seeds `seed`, `seed + 1`, ...; -1 and 4294967295: random",
    neutral(-1, RANDOM_SEED),
  ),
  stop: yes(
    BOTH,
    schema.stop,
    "a text or up to 16; not part of the answer. Those that are empty stop nothing",
    neutral("", [], [""]),
  ),
  n: yes(BOTH, schema.integer(1, 64), "choices; each takes a place", neutral(1)),
  max_tokens: yes(
    BOTH,
    schema.integer(-1),
    "default: 16 for completions, the rest of the context for chats; -1: the rest of the context",
  ),
  max_completion_tokens: yes(CHAT, schema.integer(-1), "as `max_tokens`", neutral(-1)),
  logprobs: {
    on: BOTH,
    support: "yes",
    schema: schema.logprobs,
    about:
      "the model's own, before the chain, unless `post_sampling_probs` says otherwise; for chats a boolean, for completions a number up to 20",
    ...neutral(false),
  },
  top_logprobs: yes(CHAT, schema.integer(0, 20), "needs `logprobs`", neutral(0)),
  stream: yes(BOTH, schema.flag, "server-sent events", neutral(false)),
  stream_options: partly(
    BOTH,
    schema.object({
      include_usage: schema.flag,
      include_obfuscation: schema.only(false),
      continuous_usage_stats: schema.only(false),
    }),
    "`include_usage`; events are not obfuscated, and the last one alone has the usage",
    neutral({}),
  ),
  response_format: yes(
    BOTH,
    schema.responseFormat,
    "`text`, `json_object`, `json_schema`: enforced while tokens are picked, strict or not. `json_object` may have a `schema` beside it, as llama-server takes it",
    neutral({ type: "text" }, {}),
  ),
  tools: yes(
    CONVERSATION,
    schema.tools,
    "functions, shown to the model by its template; calls are read in the template's form",
    neutral([]),
  ),
  tool_choice: partly(
    CONVERSATION,
    schema.toolChoice,
    "`none`, `auto`, `required`, a function; the last two are enforced, and with `auto` what begins as a call. `allowed_tools` and custom tools are refused",
    neutral("auto"),
  ),
  parallel_tool_calls: yes(CHAT, schema.flag, "false: the answer ends after the first call", neutral(true)),
  best_of: partly(
    COMPLETIONS,
    schema.integer(1, 64),
    "it must be `n`, or 1: texts that are not returned are not written",
    { ...neutral(1), isDone: (most, { n }) => most === 1 || most === (n ?? 1) },
  ),
  echo: partly(COMPLETIONS, schema.only(false), "the prompt is not repeated", neutral(false)),
  suffix: no(
    COMPLETIONS,
    "the text between two others needs a form that depends on the model: write it in the prompt",
    neutral(""),
  ),
  user: yes(OF_MODEL, schema.someText, "written in the log; no effect on the answer", neutral("")),
  safety_identifier: yes(CHAT, schema.someText, "as `user`", neutral("")),
  prompt_cache_key: yes(CHAT, schema.text, "no effect: what prompts begin with is shared in any case", neutral("")),
  prompt_cache_retention: yes(CHAT, schema.text, "no effect, as `prompt_cache_key`"),
  prompt_cache_options: yes(CHAT, schema.someObject, "no effect, as `prompt_cache_key`"),
  service_tier: partly(CHAT, schema.only("auto", "default"), "there is one tier", neutral("auto", "default", "")),
  store: partly(CHAT, schema.only(false), "answers are not stored", neutral(false)),
  metadata: no(CHAT, "answers are not stored", neutral({})),
  modalities: partly(
    CHAT,
    schema.listOf(schema.only("text")),
    "the model reads and writes text",
    neutral(["text"], []),
  ),
  moderation: no(CHAT, "the server judges no texts"),
  audio: no(CHAT, "the model writes text"),
  prediction: no(CHAT, "drafts from the request are not supported"),
  reasoning_effort: yes(
    CONVERSATION,
    schema.only(...EFFORTS),
    "becomes the variables that the model's template reads; `none`: without a thought. Refused where the template has no such thing; `medium` is what nobody asked for there",
    neutral("medium", ""),
  ),
  verbosity: no(CHAT, "ask for it in a message", neutral("medium")),
  web_search_options: no(CHAT, "the server reads no pages"),
  functions: no(CHAT, "outdated: give `tools`", neutral([])),
  function_call: no(CHAT, "outdated: give `tool_choice`", neutral("none", "auto")),
} as const satisfies Readonly<Record<string, Field>>;
