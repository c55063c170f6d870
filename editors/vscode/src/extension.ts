/** The extension: starts the language server, and adds commands and the preview. */
import { commands, window, type ExtensionContext } from "vscode";
import { startServer, type Server } from "./client.js";
import { atCursor, execute, explainStage, PALETTE } from "./commands.js";
import { openPreview } from "./preview.js";
import type { CommandName } from "../../../lsp/commands.js";

let server: Server | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const output = window.createOutputChannel("GGSL Tests");
  const running = { ggsl: () => server?.ggsl(), output };
  context.subscriptions.push(
    output,
    ...Object.entries(PALETTE).map(([lens, name]) =>
      commands.registerCommand(name, () => atCursor(lens as CommandName)),
    ),
    commands.registerCommand("ggsl.explainStage", explainStage),
    commands.registerCommand("ggsl.preview", () => openPreview(context)),
    commands.registerCommand("ggsl.restart", () => server?.restart()),
  );
  server = await startServer(context, (command, args, ask) => execute(command, args, ask, running));
  context.subscriptions.push(server);
}

export const deactivate = (): void => server?.dispose();
