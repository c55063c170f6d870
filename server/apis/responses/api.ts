/** OpenAI's Responses. */
import { SERVER_SENT } from "../../http/events.js";
import type { Body } from "../../request/fields.js";
import { formOf } from "../../request/forms.js";
import type { Reading, TextApi, Translated } from "../api.js";
import { openAIErrors } from "../openai/api.js";
import { defined, OWN, passed, same } from "../shared.js";
import { ResponseAnswer } from "./answer.js";
import { RESPONSES_FIELDS } from "./fields.js";
import { messagesOf } from "./input.js";
import { choiceOf, formatOf, toolsOf } from "./tools.js";

/** Fields with the names and the meaning of chat's. */
const SAME = same(
  ...(["model", "temperature", "top_p", "stream", "parallel_tool_calls", "user", "safety_identifier"] as const),
);

const LOGPROBS = "message.output_text.logprobs";

function translate(body: Body, reading: Reading): Translated {
  const origins = new Map<string, string>();
  const { include = [], top_logprobs: most } = body as { include?: readonly string[]; top_logprobs?: number };
  const wantsLogprobs = include.includes(LOGPROBS);
  origins.set("max_completion_tokens", "max_output_tokens").set("max_tokens", "max_output_tokens");
  return {
    endpoint: "chat",
    body: defined({
      ...passed(body, OWN),
      ...passed(body, SAME),
      messages: messagesOf(body, origins),
      tools: toolsOf(body, reading, origins),
      tool_choice: choiceOf(body["tool_choice"], origins),
      response_format: formatOf(body["text"], origins),
      max_completion_tokens: body["max_output_tokens"],
      ...(wantsLogprobs && { logprobs: true, top_logprobs: most }),
      ...reasoningOf(body["reasoning"], origins),
    }),
    origins,
  };
}

/** How much the model thinks. */
function reasoningOf(reasoning: unknown, origins: Map<string, string>): Body {
  const { effort } = (reasoning ?? {}) as { readonly effort?: string };
  origins.set("reasoning_effort", "reasoning.effort");
  return { reasoning_effort: effort };
}

export const responses: TextApi = {
  form: formOf("/v1/responses", RESPONSES_FIELDS),
  translate,
  errors: openAIErrors,
  stream: SERVER_SENT,
  open: (context) => new ResponseAnswer(context),
};
