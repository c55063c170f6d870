/** Chat templates from files. */
import { existsSync } from "node:fs";
import { MAX_BYTES, readText } from "../files.js";

export interface ChatFlags {
  readonly system?: string;
  readonly template?: string;
}

/** The text of a template's file; else the name of one of the model's. */
export function readTemplate({ template }: ChatFlags): string | undefined {
  if (template === undefined || (!existsSync(template) && /^\w+$/.test(template))) return template;
  return readText(template, MAX_BYTES.source);
}
