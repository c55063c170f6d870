#!/usr/bin/env node
/** The `ggsl` command: a thin shell over compiler and runtime. Exit status 1: errors in what was given, 2: wrong usage. */
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { CompileError } from "../compiler/check/diagnostics.js";
import { formatDiagnostics } from "../compiler/check/format.js";
import { addCheck } from "./commands/check.js";
import { addCompile } from "./commands/compile.js";
import { addDevices } from "./commands/devices.js";
import { addEval } from "./commands/eval.js";
import { addExplain } from "./commands/explain.js";
import { addFmt } from "./commands/fmt.js";
import { addLsp } from "./commands/lsp.js";
import { addRun } from "./commands/run.js";
import { addTest } from "./commands/test.js";
import { packageFile, useColor } from "./files.js";
import { UsageError } from "./usage.js";

const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };

const program = new Command("ggsl")
  .description("Compile sampler chains written in GGSL to ggml graphs, look at them and run them.")
  .version(version)
  .exitOverride()
  .showHelpAfterError("(--help shows the options)")
  .configureHelp({ showGlobalOptions: false });

for (const add of [addCheck, addCompile, addEval, addRun, addTest, addExplain, addFmt, addLsp, addDevices])
  add(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Says what went wrong, without a stack, and gives the exit status. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CompileError) {
    process.stderr.write(formatDiagnostics(error.diagnostics, { color: useColor() }));
    return 1;
  }
  const { message } = error as Error;
  process.stderr.write(`error: ${message}\n`);
  return error instanceof UsageError ? 2 : 1;
}
