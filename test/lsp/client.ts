/** A client of the real server: `ggsl lsp` in its own process, over standard input and output. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type { Diagnostic, InitializeResult, Position, Range, TextEdit } from "vscode-languageserver";

export interface Client {
  readonly process: ChildProcess;
  readonly capabilities: InitializeResult["capabilities"];
  /** Messages and documents that the server showed. */
  readonly shown: readonly Shown[];
  request<T>(method: string, params: unknown): Promise<T>;
  notify(method: string, params: unknown): void;
  uri(name: string): string;
  /** Writes a file of the workspace. */
  write(name: string, text: string): string;
  /** Opens a document with a text that may differ from the disk, and returns its diagnostics. */
  open(name: string, text: string): Promise<readonly Diagnostic[]>;
  /** Replaces a range, or the whole text, and returns the new diagnostics. */
  change(name: string, text: string, range?: Range): Promise<readonly Diagnostic[]>;
  /** The next diagnostics of a document. */
  diagnostics(name: string): Promise<readonly Diagnostic[]>;
  stop(): Promise<number | null>;
}

interface Published {
  readonly uri: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** What the server asks a client to show. */
interface Shown {
  readonly type?: number;
  readonly message?: string;
  readonly uri?: string;
  readonly external?: boolean;
}

interface ClientOptions {
  readonly initializationOptions?: object;
  readonly capabilities?: object;
  /** The command that starts the server; default: the built `ggsl lsp`. */
  readonly command?: readonly [program: string, ...args: string[]];
}

const BUILT = [process.execPath, "runtime/dist/cli/main.js", "lsp", "--stdio"] as const;

export async function startClient({
  command = BUILT,
  capabilities: able = {},
  initializationOptions,
}: ClientOptions = {}): Promise<Client> {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-lsp-"));
  const [program, ...args] = command;
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const waiting = new Map<string, ((found: readonly Diagnostic[]) => void)[]>();
  connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }: Published) => {
    waiting
      .get(uri)
      ?.splice(0)
      .forEach((resolve) => resolve(diagnostics));
  });
  const shown: Shown[] = [];
  connection.onNotification("window/showMessage", (params: Shown) => void shown.push(params));
  connection.onRequest("window/showDocument", (params: Shown) => {
    shown.push(params);
    return { success: true };
  });
  connection.listen();
  const uri = (name: string): string => (name.includes(":") ? name : pathToFileURL(join(folder, name)).href);
  const { capabilities } = await connection.sendRequest<InitializeResult>("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: able,
    initializationOptions,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "test" }],
  });
  void connection.sendNotification("initialized", {});
  const versions = new Map<string, number>();
  const exited = new Promise<number | null>((resolve) => server.once("exit", resolve));

  const diagnostics = (name: string): Promise<readonly Diagnostic[]> =>
    new Promise((resolve) => {
      waiting.set(uri(name), [...(waiting.get(uri(name)) ?? []), resolve]);
    });

  return {
    process: server,
    capabilities,
    shown,
    request: (method, params) => connection.sendRequest(method, params),
    notify: (method, params) => void connection.sendNotification(method, params),
    uri,
    diagnostics,
    write(name, text) {
      writeFileSync(join(folder, name), text);
      return uri(name);
    },
    open(name, text) {
      const found = diagnostics(name);
      versions.set(name, 1);
      const textDocument = { uri: uri(name), languageId: "ggsl", version: 1, text };
      void connection.sendNotification("textDocument/didOpen", { textDocument });
      return found;
    },
    change(name, text, range) {
      const found = diagnostics(name);
      const version = versions.get(name)! + 1;
      versions.set(name, version);
      const contentChanges = [range ? { range, text } : { text }];
      void connection.sendNotification("textDocument/didChange", {
        textDocument: { uri: uri(name), version },
        contentChanges,
      });
      return found;
    },
    async stop() {
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      const status = await exited;
      connection.dispose();
      rmSync(folder, { recursive: true });
      return status;
    },
  };
}

/** A text, and the position that `|` marks in it (or `$` if the text contains bars). */
export function marked(text: string, mark = "¦"): { text: string; position: Position } {
  const offset = text.indexOf(mark);
  const before = text.slice(0, offset).split("\n");
  return {
    text: text.replace(mark, ""),
    position: { line: before.length - 1, character: before.at(-1)!.length },
  };
}

/** Applies edits to a text. */
export function edited(text: string, edits: readonly TextEdit[]): string {
  const lines = text.split("\n");
  const offset = ({ line, character }: Position): number =>
    lines.slice(0, line).reduce((sum, l) => sum + l.length + 1, 0) + character;
  const sorted = [...edits].sort((a, b) => offset(b.range.start) - offset(a.range.start));
  return sorted.reduce((t, e) => t.slice(0, offset(e.range.start)) + e.newText + t.slice(offset(e.range.end)), text);
}
