/** Tools, the choice of one, and the format of texts, as Responses has them. */
import type { Body } from "../../request/fields.js";
import type { Reading } from "../api.js";

interface ResponseTool {
  readonly type: string;
  readonly name?: string;
  readonly description?: string;
  readonly parameters?: object;
}

/** The functions among tools. @param origins gets their places */
export function toolsOf(body: Body, { drop }: Reading, origins: Map<string, string>): readonly object[] | undefined {
  const given = body["tools"] as readonly ResponseTool[] | undefined;
  if (!given) return undefined;
  const tools: object[] = [];
  for (const [i, { type, name, description, parameters }] of given.entries()) {
    const path = `tools[${i}]`;
    if (type !== "function") {
      drop(path, `its type is ${JSON.stringify(type)}, and this server has no tools of its own: give functions`);
      continue;
    }
    const at = `tools[${tools.length}]`;
    origins.set(at, path);
    for (const member of ["name", "description", "parameters"])
      origins.set(`${at}.function.${member}`, `${path}.${member}`);
    tools.push({
      type,
      function: { name, ...(description !== undefined && { description }), ...(parameters && { parameters }) },
    });
  }
  return tools;
}

/** In chat's form. */
export function choiceOf(choice: unknown, origins: Map<string, string>): unknown {
  if (typeof choice !== "object" || choice === null) return choice;
  const { type, name } = choice as { readonly type: string; readonly name: string };
  origins.set("tool_choice.function.name", "tool_choice.name");
  return { type, function: { name } };
}

interface TextConfig {
  readonly format?: { readonly type: string } & Body;
}

/** The format of the text, as chat's `response_format`. */
export function formatOf(text: unknown, origins: Map<string, string>): unknown {
  const { format } = (text ?? {}) as TextConfig;
  origins.set("response_format", "text.format").set("response_format.json_schema", "text.format");
  if (format?.type !== "json_schema") return format;
  const { type, ...described } = format;
  return { type, json_schema: described };
}
