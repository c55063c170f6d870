/** `ggsl fmt`: rewrites files in their canonical form. */
import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import { CompileError } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { compileError, formatDiagnostics } from "@ggsl/compiler/check/format.js";
import { print } from "@ggsl/format/print.js";
import { InputError } from "ggsl/core/errors.js";
import { MAX_BYTES, readBytes } from "../files.js";
import {
  checkStdinPath,
  nameOf,
  programsArgument,
  programsOf,
  stdinPathOption,
  type ProgramFlags,
} from "../programs.js";
import { say, usesColor } from "../terminal.js";

interface Options extends ProgramFlags {
  readonly check?: true;
}

export const addFmt = (command: Command): Command =>
  command
    .addArgument(programsArgument(", which is formatted to standard output"))
    .addOption(stdinPathOption())
    .option(
      "--check",
      "write nothing; list the files that are not in canonical form, and exit with status 1 if there are any",
    )
    .action(async (words: string[], options: Options) => {
      checkStdinPath(words, options);
      const outcomes = (await programsOf(words)).map((file) => outcomeOf(file, options));
      if (outcomes.some((o) => o === "failed" || (options.check && o === "changed"))) process.exitCode = 1;
    });

/** A file that cannot be formatted stays unchanged; the others are still formatted. */
function outcomeOf(file: string, { check: isCheck, stdinPath }: Options): "same" | "changed" | "failed" {
  try {
    const text = readUtf8(file);
    const name = nameOf(file, { stdinPath });
    const formatted = formOf(name, text);
    const isSame = formatted === text;
    if (isCheck && !isSame) process.stdout.write(`${name} is not in canonical form\n`);
    if (!isCheck && file === "-") process.stdout.write(formatted);
    else if (!isCheck && !isSame) rewrite(file, formatted);
    return isSame ? "same" : "changed";
  } catch (error) {
    if (error instanceof CompileError) say(formatDiagnostics(error.diagnostics, { color: usesColor() }));
    else if (error instanceof InputError) say(`error: ${error.message}\n`);
    else throw error;
    return "failed";
  }
}

/** Keeps a byte order mark, so that `--check` reports it: the canonical form has none. */
function readUtf8(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readBytes(file, MAX_BYTES.source));
  } catch (error) {
    if (error instanceof TypeError) throw new InputError(`"${file}" is not UTF-8 text`, { code: "INVALID_FILE" });
    throw error;
  }
}

function formOf(name: string, text: string): string {
  const printed = print({ name, text: text.replace(/^\uFEFF/, "") });
  if ("diagnostics" in printed) throw compileError(printed.diagnostics);
  return printed.text;
}

function rewrite(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new InputError(`"${file}" cannot be written: ${(error as Error).message}`, { code: "UNWRITABLE_FILE" });
  }
  process.stdout.write(`formatted ${file}\n`);
}
