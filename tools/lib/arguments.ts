/** Arguments of tools. */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { ToolError } from "./process.js";

/** Options and names out of a tool's arguments; others are a `ToolError` with the usage, e.g. "npm run random -- [--cases N]". */
export function readArguments<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new ToolError(`${(error as Error).message}\nUsage: ${usage}`);
  }
}

/** The text of a whole number from 1 on. */
export function count(option: string, text: string): string {
  if (!/^[1-9][0-9]{0,8}$/.test(text))
    throw new ToolError(`--${option} must be a whole number from 1 on, found ${text}`);
  return text;
}
