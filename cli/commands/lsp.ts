/** `ggsl lsp`: the language server for editors. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Command } from "commander";

export const addLsp = (program: Command): Command =>
  program
    .command("lsp")
    .description("start the language server for editors, on standard input and output")
    .option("--stdio", "no effect; accepted for clients that pass it")
    .action(async () => {
      // no other command needs these
      const [{ createConnection, ProposedFeatures }, { startServer }] = await Promise.all([
        import("vscode-languageserver/node"),
        import("@ggsl/lsp/server.js"),
      ]);
      const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
      const compiler = dirname(createRequire(import.meta.url).resolve("@ggsl/compiler/package.json"));
      startServer(connection, { version: program.version() ?? "", stdFolder: join(compiler, "std") });
    });
