/** The preview: what each stage of the chain at the cursor does to a distribution, while the program is written. */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { Uri, ViewColumn, window, workspace, type ExtensionContext, type TextEditor, type Webview } from "vscode";
import type { Answer, Chosen, Request } from "../preview/messages.js";

/** A program may take long; a newer one does not wait for it longer than this. */
const MOST_MS = 10_000;

let reveal: (() => void) | undefined;

export function openPreview(context: ExtensionContext): void {
  if (reveal) return reveal();
  const folder = Uri.joinPath(context.extensionUri, "dist", "preview");
  const pane = window.createWebviewPanel(
    "ggsl.preview",
    "GGSL Preview",
    { viewColumn: ViewColumn.Beside, preserveFocus: true },
    { enableScripts: true, localResourceRoots: [folder], retainContextWhenHidden: true },
  );
  reveal = () => pane.reveal(ViewColumn.Beside, true);
  const engine = newEngine(context.asAbsolutePath(join("ggsl", "dist", "preview", "engine.js")), (answer) => {
    if ("chain" in answer) pane.title = `Preview of ${answer.chain}`;
    void pane.webview.postMessage(answer);
  });
  let editor = programIn(window.activeTextEditor) ?? window.visibleTextEditors.find(programIn);
  let logits: Chosen | undefined;
  const refresh = (): void => {
    if (!editor || editor.document.isClosed || !logits) return;
    const { document, selection } = editor;
    const isFile = document.uri.scheme === "file";
    const name = isFile ? document.uri.fsPath : document.uri.toString();
    const root = workspace.getWorkspaceFolder(document.uri)?.uri.fsPath ?? dirname(name);
    engine.ask({ name, text: document.getText(), offset: document.offsetAt(selection.active), root, logits });
  };
  const listeners = [
    pane.webview.onDidReceiveMessage((chosen: Chosen) => {
      logits = chosen;
      refresh();
    }),
    window.onDidChangeActiveTextEditor((next) => {
      editor = programIn(next) ?? editor;
      refresh();
    }),
    window.onDidChangeTextEditorSelection(({ textEditor }) => {
      editor = programIn(textEditor) ?? editor;
      if (textEditor === editor) refresh();
    }),
    workspace.onDidChangeTextDocument(({ document }) => document === editor?.document && refresh()),
    workspace.onDidSaveTextDocument(refresh),
  ];
  pane.onDidDispose(() => {
    reveal = undefined;
    engine.dispose();
    listeners.forEach((listener) => listener.dispose());
  });
  context.subscriptions.push(pane);
  pane.webview.html = pageIn(pane.webview, folder);
}

const programIn = (editor: TextEditor | undefined): TextEditor | undefined =>
  editor?.document.languageId === "ggsl" ? editor : undefined;

/** A page that loads its own script and style, and nothing else. */
function pageIn(webview: Webview, folder: Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const at = (name: string): string => webview.asWebviewUri(Uri.joinPath(folder, name)).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <title>GGSL Preview</title>
    <link rel="stylesheet" href="${at("page.css")}" />
  </head>
  <body>
    <main id="preview"></main>
    <script nonce="${nonce}" src="${at("page.js")}"></script>
  </body>
</html>`;
}

interface Engine {
  /** Evaluates, once the request before is answered; only the newest one waits. */
  ask(request: Omit<Request, "id">): void;
  dispose(): void;
}

function newEngine(file: string, show: (answer: Answer) => void): Engine {
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let waiting: Omit<Request, "id"> | undefined;
  let isBusy = false;
  let count = 0;

  function done(answer?: Answer): void {
    clearTimeout(timer);
    isBusy = false;
    if (answer) show(answer);
    if (waiting) send();
  }

  function fail(fault: string): void {
    void worker?.removeAllListeners().terminate();
    worker = undefined;
    done({ id: count, fault });
  }

  function send(): void {
    const request = { id: ++count, ...waiting! };
    waiting = undefined;
    isBusy = true;
    worker ??= new Worker(file)
      .on("message", (answer: Answer) => answer.id === count && done(answer))
      .on("error", (error: Error) => fail(error.message))
      .on("exit", (code) => fail(`the evaluating thread ended with status ${code}`));
    timer = setTimeout(() => fail(`the chain was not evaluated within ${MOST_MS / 1000} s`), MOST_MS);
    worker.postMessage(request);
  }

  return {
    ask(request) {
      waiting = request;
      if (!isBusy) send();
    },
    dispose() {
      clearTimeout(timer);
      void worker?.removeAllListeners().terminate();
    },
  };
}
