/** Tools and the choice of one, as Anthropic has them. */
import type { Body } from "../../request/fields.js";
import type { Reading } from "../api.js";

interface AnthropicTool {
  readonly type?: string;
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: object;
}

/** @param origins gets their places */
export function toolsOf(body: Body, { drop }: Reading, origins: Map<string, string>): readonly object[] | undefined {
  const given = body["tools"] as readonly AnthropicTool[] | undefined;
  if (!given) return undefined;
  const tools: object[] = [];
  for (const [i, { type = "custom", name, description, input_schema: parameters }] of given.entries()) {
    const path = `tools[${i}]`;
    if (type !== "custom") {
      drop(path, `only Anthropic's models know tools of the type ${JSON.stringify(type)}: give it an \`input_schema\``);
      continue;
    }
    const at = `tools[${tools.length}]`;
    origins.set(at, path).set(`${at}.function.parameters`, `${path}.input_schema`);
    for (const member of ["name", "description"]) origins.set(`${at}.function.${member}`, `${path}.${member}`);
    const described = { ...(description !== undefined && { description }), ...(parameters && { parameters }) };
    tools.push({ type: "function", function: { name, ...described } });
  }
  return tools;
}

interface Choice {
  readonly type: "auto" | "any" | "tool" | "none";
  readonly name?: string;
  readonly disable_parallel_tool_use?: boolean;
}

const CHOICES = { auto: "auto", any: "required", none: "none" } as const;

/** In chat's form. */
export function choiceOf(choice: unknown, origins: Map<string, string>): Body {
  if (choice === undefined) return {};
  const { type, name, disable_parallel_tool_use: isOne } = choice as Choice;
  origins
    .set("tool_choice.function.name", "tool_choice.name")
    .set("parallel_tool_calls", "tool_choice.disable_parallel_tool_use");
  return {
    tool_choice: type === "tool" ? { type: "function", function: { name } } : CHOICES[type],
    ...(isOne !== undefined && { parallel_tool_calls: !isOne }),
  };
}
