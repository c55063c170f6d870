/** The commands of lenses and of the command palette. */
import {
  commands,
  CodeLens,
  ProcessExecution,
  ShellExecution,
  Task,
  TaskPanelKind,
  TaskRevealKind,
  tasks,
  TaskScope,
  Uri,
  window,
  workspace,
  type OutputChannel,
} from "vscode";
import type { ExecuteCommandSignature } from "vscode-languageclient/node";
import type { CommandName, Result, Target } from "../../../lsp/commands.js";
import type { Ggsl } from "./find.js";
import { showPage } from "./pages.js";

/** The commands of the palette, by those of lenses. */
export const PALETTE: Readonly<Record<CommandName, string>> = {
  "ggsl.run": "ggsl.runChain",
  "ggsl.test": "ggsl.runTest",
  "ggsl.graph": "ggsl.showGraph",
  "ggsl.explain": "ggsl.explainChain",
};

interface Running {
  readonly ggsl: () => Ggsl | undefined;
  readonly output: OutputChannel;
}

/** Runs a command of a lens: a chain in a terminal, the others by the server. */
export async function execute(
  command: string,
  [target]: readonly unknown[],
  ask: ExecuteCommandSignature,
  { ggsl, output }: Running,
): Promise<unknown> {
  if (command === "ggsl.run") return runInTerminal(target as Target, ggsl());
  const result = (await ask(command, [target])) as Result | null | undefined;
  if (!result) return;
  if (result.kind === "page") showPage(command, result.title, result.html);
  else await showText(result, output);
}

async function showText(result: Exclude<Result, { kind: "page" }>, output: OutputChannel): Promise<void> {
  output.appendLine(`${result.title}:\n${result.text}`);
  if (result.kind !== "test" || result.isPassed) {
    void window.showInformationMessage(`GGSL: ${result.text.trim()}`);
    return;
  }
  const [first = ""] = result.text.split("\n");
  const chosen = await window.showErrorMessage(`GGSL: ${first}`, "Show Differences");
  if (chosen) output.show();
}

/** `ggsl run` in a terminal, where the text appears as it is written. */
async function runInTerminal({ uri: address, chain = "" }: Target, ggsl: Ggsl | undefined): Promise<void> {
  const uri = Uri.parse(address);
  const document = await workspace.openTextDocument(uri);
  if (uri.scheme !== "file" || (document.isDirty && !(await document.save()))) {
    void window.showErrorMessage("GGSL: save the program in a file; the terminal runs files.");
    return;
  }
  if (!ggsl) return;
  const folder = workspace.getWorkspaceFolder(uri);
  const root = folder ? ["--root", folder.uri.fsPath] : [];
  const args = [...ggsl.args, "run", uri.fsPath, ...(chain === "" ? [] : [chain]), ...root];
  const options = { env: { ...ggsl.env }, ...(folder && { cwd: folder.uri.fsPath }) };
  // on Windows a command may be a script, which only a shell runs
  const isScript = process.platform === "win32" && ggsl.args.length === 0;
  const execution = isScript
    ? new ShellExecution(ggsl.command, args, options)
    : new ProcessExecution(ggsl.command, args, options);
  const task = new Task({ type: "ggsl" }, folder ?? TaskScope.Workspace, `run ${chain}`, "GGSL", execution, []);
  task.presentationOptions = {
    reveal: TaskRevealKind.Always,
    panel: TaskPanelKind.Dedicated,
    clear: true,
    focus: false,
  };
  await tasks.executeTask(task);
}

/** Runs what the nearest lens at or above the cursor offers. */
export async function atCursor(command: CommandName): Promise<void> {
  const editor = window.activeTextEditor;
  if (editor?.document.languageId !== "ggsl") {
    void window.showErrorMessage("GGSL: open a program, and put the cursor into a chain or a test.");
    return;
  }
  const { line } = editor.selection.active;
  const lenses = await commands.executeCommand<CodeLens[]>("vscode.executeCodeLensProvider", editor.document.uri);
  const offered = lenses.filter((lens) => lens.command?.command === command);
  const chosen = offered.filter(({ range }) => range.start.line <= line).at(-1) ?? offered[0];
  if (!chosen?.command) {
    const what = command === "ggsl.test" ? "no test" : "no chain whose parameters all have values";
    void window.showErrorMessage(`GGSL: the program has ${what}, or the language server does not run.`);
    return;
  }
  await commands.executeCommand(chosen.command.command, ...((chosen.command.arguments ?? []) as unknown[]));
}

/** Explains the stage at the cursor. */
export async function explainStage(): Promise<void> {
  const editor = window.activeTextEditor;
  const actions = editor
    ? await commands.executeCommand<readonly { readonly command?: { command: string; arguments?: unknown[] } }[]>(
        "vscode.executeCodeActionProvider",
        editor.document.uri,
        editor.selection,
      )
    : [];
  const action = actions.find(({ command }) => command?.command === "ggsl.explain")?.command;
  if (action) await commands.executeCommand(action.command, ...(action.arguments ?? []));
  else void window.showErrorMessage("GGSL: put the cursor on a stage of a chain.");
}
