/** The fields of OpenAI's Responses. */
import type { Rules } from "../../request/forms.js";
import * as schema from "../../request/schemas.js";
import { neutral, no, OWN, partly, same, yes } from "../shared.js";

const { text, flag, someObject, object, open, only, listOf, either } = schema;

const format = either(
  object({ type: only("text", "json_object") }, "type"),
  object(
    { type: only("json_schema"), name: text, description: text, schema: someObject, strict: flag },
    ...["type", "name", "schema"],
  ),
);

/** Parts of an item's content; other types are told of by `input.ts`. */
const content = either(text, listOf(open({ type: text, text }, "type")));
const item = open({ type: text, role: text, content, call_id: text, name: text, arguments: text, output: content });

const tool = open({ type: text, name: text, description: text, parameters: someObject, strict: flag }, "type");

const NOT_STORED = "answers are not stored: send the whole conversation in `input`";

export const RESPONSES_FIELDS: Rules = {
  ...OWN,
  model: same("model")["model"]!,
  input: yes(
    either(text, listOf(item, { minItems: 1 })),
    "a text, or items: messages, `function_call`, `function_call_output` and `reasoning`; parts of a content are texts. Items of one turn are one message",
    { isRequired: true },
  ),
  instructions: yes(text, "the system's message, before those of `input`", neutral("")),
  tools: partly(
    listOf(tool, { maxItems: 128 }),
    "functions; the server has no tools of its own, and a lenient one leaves others out",
    neutral([]),
  ),
  tool_choice: partly(
    either(only("none", "auto", "required"), object({ type: only("function"), name: text }, "type", "name")),
    "`none`, `auto`, `required`, or a function",
    neutral("auto"),
  ),
  parallel_tool_calls: same("parallel_tool_calls")["parallel_tool_calls"]!,
  max_tool_calls: yes(schema.integer(0), "no effect: it limits tools of the server, which has none"),
  text: partly(
    object({ format, verbosity: only("medium") }),
    "`format`: `text`, `json_object`, `json_schema`, enforced while tokens are picked; ask for another `verbosity` in a message",
    neutral({}, { verbosity: "medium" }),
  ),
  reasoning: partly(
    object({
      effort: text,
      summary: only("auto", "concise", "detailed"),
      generate_summary: only("auto", "concise", "detailed"),
      context: only("auto"),
    }),
    "`effort` is `reasoning_effort`; with `summary` the thoughts are sent as their summary, as the model wrote them, else as `reasoning_text`",
    neutral({}),
  ),
  max_output_tokens: yes(schema.integer(-1), "default: the rest of the context", neutral(-1)),
  ...same("temperature", "top_p", "stream", "user", "safety_identifier", "service_tier"),
  ...same("prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "moderation"),
  top_logprobs: yes(
    schema.integer(0, 20),
    "the model's own, before the chain, where `include` asks for them",
    neutral(0),
  ),
  include: yes(
    listOf(text),
    "`message.output_text.logprobs`; thoughts are sent as they are, without `encrypted_content`, and others are parts of tools of the server",
    neutral([]),
  ),
  stream_options: partly(object({ include_obfuscation: only(false) }), "events are not obfuscated", neutral({})),
  store: yes(flag, "no effect: answers are never stored, and say `store: false`", neutral(false, true)),
  previous_response_id: no(NOT_STORED, neutral("")),
  conversation: no(NOT_STORED),
  prompt: no("the server stores no prompts: send `instructions` and `input`"),
  background: partly(only(false), "answers are not stored, so none can be fetched later", neutral(false)),
  truncation: partly(only("disabled"), "a prompt that is too long is a 400", neutral("disabled")),
  context_management: no("conversations are not shortened: send what the model must see", neutral([])),
  metadata: yes(someObject, "is in the answer", neutral({})),
};
