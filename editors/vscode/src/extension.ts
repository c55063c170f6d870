/** The extension: starts `ggsl lsp` for the editor's `.ggsl` documents. */
import { commands, window, workspace, type ExtensionContext } from "vscode";
import { LanguageClient, type Executable } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

/** `ggsl.command` is a program, or a JavaScript file, which the editor's own Node.js runs. */
function serverCommand(): Executable {
  const command = workspace.getConfiguration("ggsl").get<string>("command", "ggsl");
  if (!/\.[cm]?js$/.test(command)) return { command, args: ["lsp"] };
  return {
    command: process.execPath,
    args: [command, "lsp"],
    options: { env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" } },
  };
}

async function start(): Promise<void> {
  const server = serverCommand();
  client = new LanguageClient("ggsl", "GGSL", server, {
    documentSelector: [{ language: "ggsl" }],
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.ggsl") },
  });
  try {
    await client.start();
  } catch (error) {
    const shown = [server.command, ...(server.args ?? [])].join(" ");
    const chosen = await window.showErrorMessage(
      `GGSL: \`${shown}\` does not start: ${(error as Error).message}. Put ggsl on the PATH, or set "ggsl.command".`,
      "Open Settings",
    );
    if (chosen) await commands.executeCommand("workbench.action.openSettings", "ggsl.command");
  }
}

/** Stops the client if it has started. */
async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  if (running?.isRunning()) await running.stop();
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    workspace.onDidChangeConfiguration(async (change) => {
      if (!change.affectsConfiguration("ggsl.command")) return;
      await stop();
      await start();
    }),
  );
  await start();
}

export const deactivate = stop;
