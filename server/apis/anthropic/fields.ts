/** The fields of Anthropic's Messages. */
import type { Rules } from "../../request/forms.js";
import * as schema from "../../request/schemas.js";
import { neutral, no, OWN, partly, same, yes } from "../shared.js";

const { text, flag, someObject, object, open, only, listOf, either, integer } = schema;

/** Blocks of other types are told of by `messages.ts`. */
const block = open(
  {
    type: text,
    text,
    thinking: text,
    id: text,
    name: text,
    input: someObject,
    tool_use_id: text,
    content: either(text, listOf(open({ type: text, text }, "type"))),
    is_error: flag,
  },
  "type",
);
const message = open(
  { role: only("user", "assistant", "system"), content: either(text, listOf(block)) },
  "role",
  "content",
);
const textBlock = open({ type: only("text"), text }, "type", "text");
const tool = open({ type: text, name: text, description: text, input_schema: someObject }, "name");
const format = object({ type: only("json_schema"), schema: someObject, name: text }, "type", "schema");

/** Of a conversation, also of one that is not answered. */
const CONVERSATION: Rules = {
  model: same("model")["model"]!,
  messages: yes(
    listOf(message, { minItems: 1 }),
    "blocks are `text`, `tool_use`, `tool_result` and `thinking`; `cache_control`, `citations` and signatures have no effect. A last message of the assistant goes on",
    { isRequired: true },
  ),
  system: yes(either(text, listOf(textBlock)), "the system's message, before the others", neutral("", [])),
  tools: partly(
    listOf(tool, { maxItems: 128 }),
    "with `input_schema`; those of Anthropic's own types are refused, and left out by a lenient server",
    neutral([]),
  ),
  tool_choice: yes(
    object({ type: only("auto", "any", "tool", "none"), name: text, disable_parallel_tool_use: flag }, "type"),
    "`any` and `tool` enforce one call",
    neutral({ type: "auto" }),
  ),
  thinking: yes(
    open({ type: only("enabled", "disabled", "adaptive"), budget_tokens: integer(0) }, "type"),
    "`disabled` and `enabled` set the template's `enable_thinking`, `budget_tokens` is `reasoning_budget`, `adaptive` leaves it to the model",
    neutral({ type: "adaptive" }),
  ),
  output_config: partly(
    object({ format, effort: text }),
    "`format` is enforced while tokens are picked; `effort` is `reasoning_effort`",
    neutral({}),
  ),
  output_format: yes(format, "as `output_config.format`"),
  cache_control: yes(someObject, "no effect: what prompts begin with is shared in any case"),
  mcp_servers: no("the server asks no others", neutral([])),
  context_management: no("conversations are not shortened: send what the model must see"),
  container: no("the server runs no programs"),
};

export const COUNT_FIELDS: Rules = {
  ...CONVERSATION,
  chat_template_kwargs: same("chat_template_kwargs")["chat_template_kwargs"]!,
};

export const MESSAGES_FIELDS: Rules = {
  ...OWN,
  ...CONVERSATION,
  max_tokens: yes(integer(-1), "default: the rest of the context", neutral(-1)),
  ...same("temperature", "top_p", "stream"),
  stop_sequences: yes(
    listOf(text, { maxItems: 16 }),
    "as `stop`; `stop_sequence` of the answer says which one ended it",
    neutral([]),
  ),
  metadata: partly(object({ user_id: text }), "`user_id` is written in the log", neutral({})),
  service_tier: partly(only("auto", "standard_only"), "there is one tier", neutral("auto", "standard_only")),
  speed: partly(only("standard"), "there is one speed", neutral("standard")),
};
