/** Prints the error of a command: for people on standard error, with `--json` also for programs on standard output. */
import { CommanderError, type Command } from "commander";
import { CompileError } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { formatDiagnostics } from "@ggsl/compiler/check/format.js";
import { visible } from "@ggsl/compiler/source/visible.js";
import { ERROR_CODES } from "ggsl/core/errorCodes.js";
import { endStatus } from "./ending.js";
import { say, usesColor } from "./terminal.js";
import { UsageError } from "./usage.js";

/** Prints an error without a stack and returns the exit status: 1 for errors in the input, 2 for wrong usage. */
export async function report(error: unknown, isJson = false): Promise<number> {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const ended = endStatus();
  if (isJson) process.stdout.write(`${JSON.stringify({ error: await errorObject(error) })}\n`);
  if (ended !== undefined) return ended;
  // commander has printed its own
  if (error instanceof CommanderError) return 2;
  if (error instanceof CompileError) say(formatDiagnostics(error.diagnostics, { color: usesColor() }));
  else say(`error: ${visible(messageOf(error))}\n`);
  return error instanceof UsageError ? 2 : 1;
}

/** Whether the command has an option `--json`, and it is given; the arguments may be wrong otherwise. */
export function asksForJson(command: Command | undefined, args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const isGiven = (end < 0 ? args : args.slice(0, end)).includes("--json");
  return isGiven && command?.options.some(({ long }) => long === "--json") === true;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function errorObject(error: unknown): Promise<object> {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (error instanceof CommanderError) return { code: "USAGE", message: messageOf(error).replace(/^error: /, "") };
  const known = typeof code === "string" && Object.hasOwn(ERROR_CODES, code) ? code : "INTERNAL";
  const message = messageOf(error);
  if (!(error instanceof CompileError)) return { code: known, message };
  // few errors need it
  const { diagnosticJson } = await import("./check/json.js");
  return { code: known, message, diagnostics: error.diagnostics.map(diagnosticJson) };
}
