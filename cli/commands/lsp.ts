/** `ggsl lsp`: the language server for editors. */
import type { Command } from "commander";
import { packageFile } from "../files.js";

export const addLsp = (program: Command): Command =>
  program
    .command("lsp")
    .description("serve editors: the language server protocol on standard input and output")
    .option("--stdio", "as always; for clients that say so")
    .action(async () => {
      // no other command needs these
      const [{ createConnection, ProposedFeatures }, { startServer }] = await Promise.all([
        import("vscode-languageserver/node"),
        import("../../lsp/server.js"),
      ]);
      const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
      startServer(connection, { version: program.version() ?? "", stdFolder: packageFile("compiler/std") });
    });
