/** Pages that `ggsl explain --html` writes, in panes beside the program. They have no scripts. */
import { ViewColumn, window, type WebviewPanel } from "vscode";

/** The page's colours, from the editor's theme. Pages choose by the system's, which may differ. */
const THEME = `<style>
:root { --back: var(--vscode-editor-background); --text: var(--vscode-editor-foreground);
  --soft: var(--vscode-descriptionForeground); --line: var(--vscode-panel-border, #8886);
  --panel: var(--vscode-textCodeBlock-background); --link: var(--vscode-textLink-foreground); }
html { font-size: 13px; }
body { --tint: 55% 91%; --mark: 55% 42%; }
body.vscode-dark, body.vscode-high-contrast:not(.vscode-high-contrast-light) { --tint: 35% 22%; --mark: 50% 62%; }
code { color: inherit; background: none; }
</style>`;

const panes = new Map<string, WebviewPanel>();

/** Shows a page, in the pane of the same kind if there is one. */
export function showPage(kind: string, title: string, html: string): void {
  const pane = panes.get(kind) ?? newPane(kind);
  pane.title = title;
  pane.webview.html = html.replace("</head>", `${THEME}</head>`);
  pane.reveal(ViewColumn.Beside, true);
}

function newPane(kind: string): WebviewPanel {
  const place = { viewColumn: ViewColumn.Beside, preserveFocus: true };
  const pane = window.createWebviewPanel(kind, "GGSL", place, { enableScripts: false, localResourceRoots: [] });
  panes.set(kind, pane);
  pane.onDidDispose(() => panes.delete(kind));
  return pane;
}
