/** Bodies of Anthropic's Messages in the server's own form. */
import { fieldOf, type Body } from "../../request/fields.js";
import type { Reading, Translated } from "../api.js";
import { defined, goesOn, OWN, passed, same, thinkingSwitch } from "../shared.js";
import { messagesOf } from "./messages.js";
import { choiceOf, toolsOf } from "./tools.js";

/** Fields with the names and the meaning of chat's. */
const SAME = same("model", "temperature", "top_p", "stream", "max_tokens");

export function translate(body: Body, reading: Reading): Translated {
  const origins = new Map<string, string>();
  const { user_id: user } = (body["metadata"] ?? {}) as { readonly user_id?: string };
  origins.set("stop", body["stop_sequences"] === undefined ? "stop" : "stop_sequences").set("user", "metadata.user_id");
  const messages = messagesOf(body, origins);
  return {
    endpoint: "chat",
    body: defined({
      ...goesOn(messages),
      ...passed(body, OWN),
      ...passed(body, SAME),
      messages,
      tools: toolsOf(body, reading, origins),
      ...choiceOf(body["tool_choice"], origins),
      stop: body["stop_sequences"] ?? body["stop"],
      user,
      ...formatOf(body, origins),
      ...thinkingOf(body, origins),
    }),
    origins,
  };
}

interface OutputConfig {
  readonly format?: { readonly schema: object; readonly name?: string };
  readonly effort?: string;
}

/** The format of the text, as chat's `response_format`. */
function formatOf(body: Body, origins: Map<string, string>): Body {
  const config = (body["output_config"] ?? {}) as OutputConfig;
  const path = config.format ? "output_config.format" : "output_format";
  const format = config.format ?? (body["output_format"] as OutputConfig["format"]);
  origins.set("response_format", path).set("response_format.json_schema", path);
  if (!format) return {};
  const { schema, name = "answer" } = format;
  return { response_format: { type: "json_schema", json_schema: { name, schema } } };
}

interface Thinking {
  readonly type: "enabled" | "disabled" | "adaptive";
  readonly budget_tokens?: number;
}

/** How much the model thinks. */
function thinkingOf(body: Body, origins: Map<string, string>): Body {
  const { type = "adaptive", budget_tokens: budget } = (body["thinking"] ?? {}) as Partial<Thinking>;
  const { effort } = (body["output_config"] ?? {}) as OutputConfig;
  origins.set("reasoning_effort", "output_config.effort").set("reasoning_budget", "thinking.budget_tokens");
  return {
    reasoning_effort: effort,
    ...(budget !== undefined && fieldOf("reasoning_budget") && { reasoning_budget: budget }),
    ...(type !== "adaptive" && thinkingSwitch(type === "enabled", body)),
  };
}
