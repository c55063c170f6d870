/** The connection to the language server, `ggsl lsp`. */
import { spawn } from "node:child_process";
import {
  commands,
  languages,
  window,
  workspace,
  type ExtensionContext,
  type FileSystemWatcher,
  type LanguageStatusItem,
  type LogOutputChannel,
} from "vscode";
import { LanguageClient, RevealOutputChannelOn, type ExecuteCommandSignature } from "vscode-languageclient/node";
import { findGgsl, type Ggsl } from "./find.js";

export interface Server {
  /** The command that runs; undefined if none started. */
  readonly ggsl: () => Ggsl | undefined;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The setting of the command's path. */
const SETTING = "ggsl.server.path";

/** Without messages of its own on the screen before it has started: one message says which commands do not start, and why. */
class Client extends LanguageClient {
  hasStarted = false;

  override error(message: string, data?: unknown, showNotification?: boolean | "force"): void {
    super.error(message, data, this.hasStarted && showNotification);
  }
}

/** The most time that a command has to answer; one that is no language server may never do so. */
const SECONDS = 60;

/** The most characters of a program's complaint that a message shows. */
const MAX_REASON = 400;

/** A promise that is rejected after a time, unless it is ended. */
function limited(ms: number, message: string): { readonly passed: Promise<never>; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error(message)), ms)));
  return { passed, end: () => clearTimeout(timer) };
}

/** Runs a command of a lens; `ask` asks the server. */
type Execute = (command: string, args: readonly unknown[], ask: ExecuteCommandSignature) => Promise<unknown>;

interface Surroundings {
  readonly execute: Execute;
  /** Of programs on disk. */
  readonly watcher: FileSystemWatcher;
  readonly output: LogOutputChannel;
}

/** Starts a command as a language server: its client, or why it does not start. */
async function launch(ggsl: Ggsl, { execute, watcher, output }: Surroundings): Promise<Client | string> {
  let complaint = "";
  const child = spawn(ggsl.command, [...ggsl.args, "lsp", "--stdio"], { env: { ...process.env, ...ggsl.env } });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint = (complaint + text).slice(-10_000)));
  const closed = new Promise<void>((resolve) => {
    child.once("close", (code, signal) => {
      if (!child.killed) complaint ||= `it ended with ${signal ?? `status ${code}`}`;
      resolve();
    });
  });
  const fault = await new Promise<Error | undefined>((resolve) => {
    child.once("error", resolve);
    child.once("spawn", () => resolve(undefined));
  });
  if (fault) return fault.message;
  const one = new Client("ggsl", "GGSL", () => Promise.resolve(child), {
    documentSelector: [{ language: "ggsl" }],
    synchronize: { fileEvents: watcher },
    // pages are shown beside the program, not in a browser
    initializationOptions: { results: true },
    outputChannel: output,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    // the message below says more
    initializationFailedHandler: () => false,
    middleware: { executeCommand: (command, args, ask) => execute(command, args, ask) },
  });
  const limit = limited(SECONDS * 1000, `it did not answer within ${SECONDS} s`);
  try {
    await Promise.race([one.start(), limit.passed]);
    one.hasStarted = true;
    return one;
  } catch (error) {
    child.kill();
    // what it still has to say explains more than the broken connection
    await closed;
    await one.dispose().catch(() => undefined);
    return (complaint.trim() || String((error as Error | undefined)?.message ?? error)).slice(-MAX_REASON);
  } finally {
    limit.end();
  }
}

export function startServer(context: ExtensionContext, execute: Execute): Server {
  const output = window.createOutputChannel("GGSL", { log: true });
  const watcher = workspace.createFileSystemWatcher("**/*.ggsl");
  let client: Client | undefined;
  let running: Ggsl | undefined;
  let status: LanguageStatusItem | undefined;

  const places = () => ({
    setting: workspace.getConfiguration().get<string>(SETTING, "").trim(),
    // what a folder contains runs only if it is trusted
    projects: workspace.isTrusted ? (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath) : [],
    carried: context.asAbsolutePath("ggsl"),
  });

  /** Why it does not start; undefined if it runs. */
  async function tryStart(ggsl: Ggsl): Promise<string | undefined> {
    const launched = await launch(ggsl, { execute, watcher, output });
    if (typeof launched === "string") return launched;
    client = launched;
    running = ggsl;
    return undefined;
  }

  async function start(): Promise<void> {
    const candidates = findGgsl(places());
    const faults: string[] = [];
    for (const ggsl of candidates) {
      const fault = await tryStart(ggsl);
      if (fault === undefined) break;
      faults.push(`\`${ggsl.path} lsp\`, from the ${ggsl.from}, does not start: ${fault}.`);
    }
    faults.forEach((fault) => output.error(fault));
    showStatus();
    if (running) {
      const { from, path } = running;
      output.info(`language server: ${path}, from the ${from}`);
      if (faults.length > 0) void window.showWarningMessage(`GGSL: ${faults[0]} The one of the ${from} is used.`);
      return;
    }
    const chosen = await window.showErrorMessage(
      `GGSL: ${faults.join(" ")} Set "${SETTING}" to a \`ggsl\` command that starts, or clear it.`,
      "Open Settings",
      "Show Output",
    );
    if (chosen === "Open Settings") await commands.executeCommand("workbench.action.openSettings", SETTING);
    if (chosen === "Show Output") output.show();
  }

  function showStatus(): void {
    status ??= languages.createLanguageStatusItem("ggsl.server", { language: "ggsl" });
    const version = client?.initializeResult?.serverInfo?.version ?? "";
    status.name = "GGSL";
    status.text = running ? `ggsl ${version} of the ${running.from}` : "ggsl does not run";
    status.detail = running?.path ?? "";
    status.command = { title: "Restart", command: "ggsl.restart" };
  }

  async function stop(): Promise<void> {
    const old = client;
    client = undefined;
    running = undefined;
    if (old?.isRunning()) await old.stop();
    await old?.dispose();
  }

  // one after the other
  let last = Promise.resolve();
  const restart = (): Promise<void> => (last = last.then(stop).then(start));

  context.subscriptions.push(
    output,
    watcher,
    { dispose: () => status?.dispose() },
    workspace.onDidChangeConfiguration((change) => change.affectsConfiguration(SETTING) && void restart()),
    workspace.onDidGrantWorkspaceTrust(() => void restart()),
    workspace.onDidChangeWorkspaceFolders(() => void restart()),
  );
  void restart();
  return {
    ggsl: () => running,
    restart,
    stop: () => (last = last.then(stop)),
  };
}
