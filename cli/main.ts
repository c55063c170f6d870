#!/usr/bin/env node
/** The `ggsl` command: a thin layer over compiler and runtime. Exit status 1: errors in the input, 2: wrong usage. */
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { CompileError } from "@ggsl/compiler/check/diagnostics.js";
import { formatDiagnostics } from "@ggsl/compiler/check/format.js";
import { visible } from "@ggsl/compiler/syntax/visible.js";
import { packageFile, useColor } from "./files.js";
import { UsageError } from "./usage.js";

const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };

const program = new Command("ggsl")
  .description("Compile sampler chains written in GGSL to ggml graphs, inspect them and run them.")
  .version(version)
  .exitOverride()
  // arguments are shown in errors
  .configureOutput({ writeErr: (text) => process.stderr.write(visible(text)) })
  .showHelpAfterError("(--help shows the options)")
  .configureHelp({ showGlobalOptions: false });

/** Each command is loaded on demand, so that a quick one does not wait for the dependencies of the others. */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command) => Command>>> = {
  check: async () => (await import("./commands/check.js")).addCheck,
  compile: async () => (await import("./commands/compile.js")).addCompile,
  eval: async () => (await import("./commands/eval.js")).addEval,
  run: async () => (await import("./commands/run.js")).addRun,
  chat: async () => (await import("./commands/chat.js")).addChat,
  test: async () => (await import("./commands/test.js")).addTest,
  explain: async () => (await import("./commands/explain.js")).addExplain,
  gen: async () => (await import("./commands/gen.js")).addGen,
  fmt: async () => (await import("./commands/fmt.js")).addFmt,
  lsp: async () => (await import("./commands/lsp.js")).addLsp,
  devices: async () => (await import("./commands/devices.js")).addDevices,
  import: async () => (await import("./commands/import.js")).addImport,
  export: async () => (await import("./commands/export.js")).addExport,
};

// `--help`, and an unknown command, list all commands
const asked = process.argv[2] ?? "";
const names = Object.hasOwn(COMMANDS, asked) ? [asked] : Object.keys(COMMANDS);
for (const name of names) (await COMMANDS[name]!())(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Prints the error without a stack and returns the exit status. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CompileError) {
    process.stderr.write(formatDiagnostics(error.diagnostics, { color: useColor() }));
    return 1;
  }
  const { message } = error as Error;
  process.stderr.write(`error: ${visible(message)}\n`);
  return error instanceof UsageError ? 2 : 1;
}
