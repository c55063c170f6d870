/** The fields of Ollama's API. */
import { fieldsOn } from "../../request/fields.js";
import type { Rules } from "../../request/forms.js";
import * as schema from "../../request/schemas.js";
import { neutral, no, OWN, same, yes } from "../shared.js";

const { text, flag, someObject, object, open, only, listOf, either, integer } = schema;

/** Options that Ollama starts a model with: this server has options of its own start for them. */
export const START_OPTIONS: ReadonlySet<string> = new Set(
  `numa num_ctx num_batch num_gpu main_gpu low_vram f16_kv logits_all vocab_only use_mmap use_mlock embedding_only num_thread
  num_keep`.split(/\s+/),
);
/** Those of samplers that Ollama has no more. */
export const GONE_OPTIONS: ReadonlySet<string> = new Set(["tfs_z", "penalize_newline"]);

/** Options with the names and the meaning of chat's fields. */
const SAME = Object.fromEntries(
  [...fieldsOn("chat")].filter(([name]) => ["temperature", "top_p"].includes(name) || Object.hasOwn(OWN, name)),
);

const options = object({
  ...Object.fromEntries(Object.entries(SAME).map(([name, rule]) => [name, rule.schema])),
  num_predict: integer(-2),
  ...Object.fromEntries([...START_OPTIONS, ...GONE_OPTIONS].map((name) => [name, either({ type: "number" }, flag)])),
});

const call = open(
  { id: text, function: open({ name: text, arguments: either(text, someObject) }, "name") },
  "function",
);
const message = open(
  {
    role: schema.someText,
    content: either(text, { type: "null" }),
    thinking: text,
    images: listOf(text),
    tool_calls: listOf(call),
    tool_name: text,
    tool_call_id: text,
  },
  "role",
);

const COMMON: Rules = {
  ...OWN,
  model: yes(schema.someText, "a name that `/api/tags` lists, also with `:latest` at its end", { isRequired: true }),
  options: yes(
    options,
    "those of sampling have the meaning of the fields below, also those of this server; `num_predict` is `max_tokens`. What Ollama starts a model with, and samplers that nobody has any more, have no effect, and are named in `x-ggsl-ignored`. Defaults are those of this server",
    neutral({}),
  ),
  stream: yes(flag, "default true: a line of JSON for each part", neutral(true)),
  format: yes(
    either(only("json", ""), someObject),
    "`json` or a JSON schema, enforced while tokens are picked",
    neutral(""),
  ),
  think: yes(
    either(flag, only("low", "medium", "high")),
    "true and false set the template's `enable_thinking`, others are `reasoning_effort`",
  ),
  keep_alive: yes(either(text, { type: "number" }), "no effect: the model stays loaded"),
  logprobs: yes(flag, "the model's own, before the chain", neutral(false)),
  top_logprobs: yes(integer(0, 20), "needs `logprobs`", neutral(0)),
  truncate: yes(flag, "no effect: a prompt that is too long is a 400, and not cut", neutral(true, false)),
  shift: yes(flag, "no effect: a text ends where the context does", neutral(true, false)),
};

export const CHAT_FIELDS: Rules = {
  ...COMMON,
  messages: yes(
    listOf(message),
    "without one the model counts as loaded, and nothing is written; images cannot be read. A last message of the assistant goes on",
    neutral([]),
  ),
  tools: same("tools")["tools"]!,
  tool_choice: same("tool_choice")["tool_choice"]!,
};

export const GENERATE_FIELDS: Rules = {
  ...COMMON,
  prompt: yes(text, "a message of the user; without it the model counts as loaded", neutral("")),
  system: yes(text, "the system's message", neutral("")),
  raw: yes(flag, "the prompt is the text that is gone on with, without a template", neutral(false)),
  suffix: no("the text between two others needs a form that depends on the model: write it with `raw`", neutral("")),
  images: no("the models of this server read text only", neutral([])),
  template: no("start the server with `--template FILE`, or send `raw`", neutral("")),
  context: no("send the conversation to `/api/chat`", neutral([])),
};

export const SHOW_FIELDS: Rules = {
  model: yes(text, "a name that `/api/tags` lists"),
  name: yes(text, "as `model`"),
  verbose: yes(flag, "no effect", neutral(false)),
  system: yes(text, "no effect"),
  template: yes(text, "no effect"),
  options: yes(someObject, "no effect"),
};
