/** Arguments of tools. */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { ToolError } from "./process.js";

/** Parses a tool's arguments. Throws a `ToolError` with the usage, e.g. "npm run random -- [--cases N]". */
export function readArguments<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new ToolError(`${(error as Error).message}\nUsage: ${usage}`);
  }
}

/** Checks that the text is an integer of 1 or more. */
export function count(option: string, text: string): string {
  if (!/^[1-9][0-9]{0,8}$/.test(text))
    throw new ToolError(`--${option} must be an integer of 1 or more, found ${text}`);
  return text;
}
