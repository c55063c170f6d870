/** `ggsl lsp`: the language server for editors. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { runGgsl } from "../child.js";

/** The most time that a command of a lens may take. */
const SECONDS = 120;

export const addLsp = (command: Command): Command =>
  command.option("--stdio", "no effect; accepted for clients that pass it").action(async () => {
    // no other command needs it
    const { startOnStdio } = await import("@ggsl/lsp/stdio.js");
    const compiler = dirname(createRequire(import.meta.url).resolve("@ggsl/compiler/package.json"));
    startOnStdio({
      version: command.parent!.version() ?? "",
      stdFolder: join(compiler, "std"),
      runGgsl: (args, input, signal) => runGgsl(args, { input, signal, seconds: SECONDS }),
    });
  });
