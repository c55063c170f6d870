/** The language server on standard input and output. */
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { startServer } from "./server.js";

export const startOnStdio = (options: Parameters<typeof startServer>[1]): void =>
  startServer(createConnection(ProposedFeatures.all, process.stdin, process.stdout), options);
