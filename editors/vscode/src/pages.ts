/** Pages that `ggsl explain --html` writes, in panes beside the program. They have no scripts. */
import { ColorThemeKind, ViewColumn, window, type WebviewPanel } from "vscode";

/** The page's surfaces and texts, from the editor's theme. */
const THEME = `<style>
:root { --page: var(--vscode-editor-background); --ink: var(--vscode-editor-foreground);
  --faint: var(--vscode-descriptionForeground); --edge: var(--vscode-panel-border, #8886);
  --panel: var(--vscode-editor-background); --field: var(--vscode-textCodeBlock-background);
  --accent: var(--vscode-textLink-foreground); }
code { color: inherit; background: none; }
</style>`;

/** Pages choose between light and dark by the system's theme, which may differ from the editor's. */
const DARK = "@media (prefers-color-scheme: dark)";

const isDark = (): boolean => [ColorThemeKind.Dark, ColorThemeKind.HighContrast].includes(window.activeColorTheme.kind);

const panes = new Map<string, WebviewPanel>();

/** Shows a page, in the pane of the same kind if there is one. */
export function showPage(kind: string, title: string, html: string): void {
  const pane = panes.get(kind) ?? newPane(kind);
  pane.title = title;
  const themed = html.replaceAll(DARK, isDark() ? "@media all" : "@media not all");
  pane.webview.html = themed.replace("</head>", `${THEME}</head>`);
  pane.reveal(ViewColumn.Beside, true);
}

function newPane(kind: string): WebviewPanel {
  const place = { viewColumn: ViewColumn.Beside, preserveFocus: true };
  const pane = window.createWebviewPanel(kind, "GGSL", place, { enableScripts: false, localResourceRoots: [] });
  panes.set(kind, pane);
  pane.onDidDispose(() => panes.delete(kind));
  return pane;
}
