/** The grammar that a request asks for: by `response_format`, or by a tool that must be called. */
import type { Tool } from "ggsl/chat/messages.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import { Refusal } from "../refusal.js";
import type { ChatBody, ResponseFormat } from "./bodies.js";
import type { CallForm } from "./tools/form.js";

/** A grammar, and the field that asks for it. */
export interface AskedGrammar {
  readonly source: GrammarSource;
  readonly field: string;
}

/** @param form the model's form of calls, where tools are given */
export function grammarFor(body: ChatBody, form: CallForm | undefined): AskedGrammar | undefined {
  const ofFormat = formatGrammar(body.response_format);
  const called = calledTools(body);
  if (!called || !form) return ofFormat && { source: ofFormat, field: "response_format" };
  if (ofFormat)
    throw new Refusal(
      "invalid_request",
      "`response_format` asks for JSON, and `tool_choice` for a call of a tool: give one",
      {
        param: "tool_choice",
      },
    );
  return { source: form.grammar(called), field: "tool_choice" };
}

function formatGrammar(format: ResponseFormat | undefined): GrammarSource | undefined {
  if (!format || format.type === "text") return undefined;
  return {
    jsonSchema: format.type === "json_object" ? { type: "object" } : format.json_schema.schema,
  };
}

/** The tools of which one must be called; undefined if none must. */
function calledTools({ tools = [], tool_choice: choice = "auto" }: ChatBody): readonly Tool[] | undefined {
  if (choice === "none" || choice === "auto") return undefined;
  if (tools.length === 0) throw new Refusal("invalid_request", "`tool_choice` needs `tools`", { param: "tool_choice" });
  if (choice === "required") return tools;
  const { name } = choice.function;
  const named = tools.filter((tool) => tool.function.name === name);
  if (named.length === 0)
    throw new Refusal(
      "invalid_request",
      `\`tool_choice\` names \`${name}\`, and the tools are ${tools.map((tool) => `\`${tool.function.name}\``).join(", ")}`,
      { param: "tool_choice" },
    );
  return named;
}
