/** Chat templates from files, and their variables. */
import { existsSync } from "node:fs";
import { Option } from "commander";
import type { ChatOptions } from "ggsl/chat/render.js";
import { MAX_BYTES, readText } from "../files.js";
import { collectedJson } from "../usage.js";

export interface ChatFlags {
  readonly system?: string;
  readonly template?: string;
  readonly templateVar?: Readonly<Record<string, unknown>>;
}

/** The text of a template's file; else the name of one of the model's. */
export function readTemplate({ template }: Pick<ChatFlags, "template">): string | undefined {
  if (template === undefined || (!existsSync(template) && /^\w+$/.test(template))) return template;
  return readText(template, MAX_BYTES.source);
}

export const templateVarOption = (): Option =>
  new Option(
    "--template-var <name=value>",
    "a variable of the chat template, as JSON or a text, as in enable_thinking=false; repeatable",
  ).argParser(collectedJson(String.raw`[A-Za-z_]\w*`));

/** How a conversation becomes a prompt. */
export function chatOptionsOf(flags: ChatFlags): Pick<ChatOptions, "template" | "variables"> {
  const template = readTemplate(flags);
  return { ...(template !== undefined && { template }), ...(flags.templateVar && { variables: flags.templateVar }) };
}
