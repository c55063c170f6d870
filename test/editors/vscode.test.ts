/** The extension in a real Visual Studio Code, as a user sees it. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { needing } from "../needs.js";
import { CODE_SERVER, PATIENCE, startCodeServer, until, type CodeServer, type Editor } from "./codeServer.js";

const PROGRAM = `import { top_k, temp, dist } from "std"
import { near } from "./near.ggsl"

chain story(t: f32 >= 0 = 0.8) = topk(40) |> near(0.1) |> temp(t) |> dist(1)

test "far tokens are dropped" {
  probs  [0.5, 0.3, 0.15, 0.04, 0.01]
  run    near(0.2)
  expect kept [0, 1, 2]
}
`;
const NEAR = `/// Drop tokens that are far less likely than the likeliest one.
sampler near(share: f32 in [0, 1] = 0.1) {
  keep prob >= share * max(prob)
}
`;

/** The browser shows resources of panes under a name that its service worker answers. */
const isLocal = (address: string): boolean =>
  /^(blob|data|about):/.test(address) ||
  /(^|\.)(127\.0\.0\.1|localhost|vscode-resource\.vscode-cdn\.net)$/.test(new URL(address).hostname);

const { describe: inEditor } = needing({
  what: "Visual Studio Code",
  isThere: CODE_SERVER !== undefined,
  fix: "npm run check:editors",
});

inEditor("the extension", () => {
  let server: CodeServer;
  let editor: Editor;
  beforeAll(async () => {
    server = await startCodeServer("build/ggsl.vsix");
    editor = await server.visit({ "main.ggsl": PROGRAM, "near.ggsl": NEAR });
    await editor.open("main.ggsl");
  }, 3 * PATIENCE);
  afterAll(() => server?.close(), PATIENCE);

  const row = (text: string | RegExp) => editor.page.locator(".monaco-list-row").filter({ hasText: text }).first();
  const lens = (title: string) => editor.page.locator(".codelens-decoration a").filter({ hasText: title }).first();

  test(
    "starts the server that it carries, and shows a diagnostic",
    async () => {
      await editor.page.locator(".squiggly-error").first().waitFor();
      expect(editor.log()).toMatch(/language server: .*ggsl\.ggsl-.*main\.js, from the extension/);
      await editor.command("View: Focus Problems");
      await row(/unknown sampler `topk`/).waitFor();
      await editor.screenshot("vscode-diagnostic");
    },
    3 * PATIENCE,
  );

  test(
    "applies a fix",
    async () => {
      await editor.open("main.ggsl");
      await editor.goTo(4, 35);
      await editor.page.keyboard.press("Control+.");
      await editor.page.locator(".action-widget").waitFor();
      await editor.screenshot("vscode-fix");
      // the first is selected
      const first = editor.page.locator(".action-widget .monaco-list-row.action").first();
      expect(await first.innerText()).toContain("top_k");
      await editor.page.keyboard.press("Enter");
      await editor.page.locator(".action-widget").waitFor({ state: "hidden" });
      await until(async () => (await editor.text()).includes("= top_k(40)"), "fixed text");
      await editor.page.locator(".squiggly-error").first().waitFor({ state: "detached" });
    },
    3 * PATIENCE,
  );

  test(
    "runs a chain on the demo model, in a terminal",
    async () => {
      await lens("run on the demo model").click();
      const terminal = editor.page.locator(".terminal-wrapper.active .xterm-rows, .xterm-rows").first();
      await until(async () => (await terminal.innerText()).replace(/\s+/g, " ").includes("In the beginning"), "text");
      // it was saved
      expect(editor.read("main.ggsl")).toContain("top_k(40)");
      await editor.screenshot("vscode-run");
    },
    3 * PATIENCE,
  );

  test(
    "runs a test",
    async () => {
      await editor.open("main.ggsl");
      await lens("test").click();
      await editor.page.locator(".notification-toast").filter({ hasText: "1 passed, 0 failed" }).waitFor();
    },
    3 * PATIENCE,
  );

  test(
    "formats",
    async () => {
      await editor.open("near.ggsl");
      await editor.goTo(3, 1);
      await editor.page.keyboard.press("Home");
      await editor.page.keyboard.type("      ");
      await until(async () => (await editor.text()).includes("        keep"), "indented line");
      await editor.command("Format Document");
      await until(async () => (await editor.text()).includes("\n  keep prob"), "formatted text");
    },
    3 * PATIENCE,
  );

  test(
    "renames in all files",
    async () => {
      await editor.goTo(2, 10);
      await editor.page.keyboard.press("F2");
      const box = editor.page.locator(".rename-box input");
      await box.waitFor();
      await box.fill("likely");
      await editor.page.keyboard.press("Enter");
      await until(async () => (await editor.text()).includes("sampler likely("), "new name");
      await editor.command("File: Save All Files");
      await until(() => editor.read("main.ggsl").includes("|> likely(0.1)"), "new name in the other file");
      expect(editor.read("main.ggsl")).toContain('import { likely } from "./near.ggsl"');
    },
    3 * PATIENCE,
  );

  test(
    "shows the distribution, and follows what is typed",
    async () => {
      await editor.open("main.ggsl");
      await editor.command("View: Toggle Panel Visibility");
      await editor.goTo(4, 10);
      await editor.command("GGSL: Open the Preview");
      await editor.inPane(".stage", /likely\(0\.1\)/);
      expect(await (await editor.inPane(".stage", /top_k\(40\)/)).innerText()).toMatch(/500 → 40 tokens/);
      // without a click into the editor, the pane has the focus
      await editor.page.locator(".monaco-editor").first().click();
      await editor.goTo(4, PROGRAM.split("\n")[3]!.indexOf("40") + 2);
      await editor.page.keyboard.press("Delete");
      await editor.page.keyboard.press("Delete");
      await editor.page.keyboard.type("7");
      expect(await (await editor.inPane(".stage", /top_k\(7\)/)).innerText()).toMatch(/500 → 7 tokens/);
      // for docs/editor.md
      await editor.command("Notifications: Clear All Notifications");
      await editor.command("View: Toggle Primary Side Bar Visibility");
      await editor.page.setViewportSize({ width: 1180, height: 700 });
      await editor.screenshot("vscode-preview");
      await editor.page.setViewportSize({ width: 1280, height: 900 });
    },
    3 * PATIENCE,
  );

  test(
    "shows the graph and the explanation of a stage",
    async () => {
      await editor.open("main.ggsl");
      await lens("show the graph").click();
      await editor.inPane('svg[aria-label="The graph of story"]', /top_k/);
      await editor.screenshot("vscode-graph");
      await editor.goTo(4, PROGRAM.split("\n")[3]!.indexOf("near(") + 2);
      await editor.command("GGSL: Explain This Stage");
      await editor.inPane("h1", /Stage 2 of the chain story: likely/);
      await editor.screenshot("vscode-stage");
      expect(editor.requests().filter((address) => !isLocal(address))).toEqual([]);
    },
    3 * PATIENCE,
  );
});

inEditor("the command", () => {
  let server: CodeServer;
  beforeAll(async () => {
    server = await startCodeServer("build/ggsl.vsix");
  }, 3 * PATIENCE);
  afterAll(() => server?.close(), PATIENCE);

  /** The files of a project that has installed `ggsl`, here a link to this checkout's. */
  const withCommand = async (settings: object, main?: string): Promise<Editor> => {
    const files = { "main.ggsl": PROGRAM.replace("topk", "top_k"), "near.ggsl": NEAR };
    const manifest = JSON.stringify({ name: "ggsl", type: "module", bin: { ggsl: "./main.js" } });
    const own =
      main === undefined ? {} : { "node_modules/ggsl/package.json": manifest, "node_modules/ggsl/main.js": main };
    const editor = await server.visit({ ...files, ...own }, settings);
    if (main === undefined) {
      mkdirSync(join(editor.folder, "node_modules"));
      symlinkSync(join(process.cwd(), "runtime"), join(editor.folder, "node_modules", "ggsl"));
    }
    await editor.open("main.ggsl");
    return editor;
  };

  test(
    "of the project comes first; in a dark theme",
    async () => {
      const editor = await withCommand({ "workbench.colorTheme": "Default Dark Modern" });
      await until(() => editor.log().includes("runtime/dist/cli/main.js, from the project"), "server of the project");
      await editor.page.locator(".codelens-decoration a").first().waitFor();
      await editor.goTo(4, 10);
      await editor.command("GGSL: Open the Preview");
      await editor.inPane(".stage", /near\(0\.1\)/);
      await editor.screenshot("vscode-dark");
    },
    3 * PATIENCE,
  );

  test(
    "of the project is replaced by the carried one, with a warning, if it does not start",
    async () => {
      const editor = await withCommand({}, "console.error('no luck'); process.exit(3);");
      const toast = editor.page.locator(".notification-toast").filter({ hasText: "does not start" });
      await toast.waitFor();
      expect(await toast.innerText()).toMatch(/from the project, does not start: no luck.*of the extension is used/s);
      await editor.page.locator(".codelens-decoration a").first().waitFor();
    },
    3 * PATIENCE,
  );

  test(
    "of a project that is not trusted does not run",
    async () => {
      const trust = { "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never" };
      const editor = await withCommand(trust, "console.error('this ran'); process.exit(3);");
      await editor.page.locator(".codelens-decoration a").first().waitFor();
      expect(editor.log()).not.toContain("this ran");
    },
    3 * PATIENCE,
  );

  test(
    "that does not start is reported, with what to do",
    async () => {
      const editor = await server.visit({ "main.ggsl": PROGRAM }, { "ggsl.server.path": "/no/such/ggsl" });
      await editor.open("main.ggsl");
      const toast = editor.page.locator(".notification-toast").filter({ hasText: "does not start" });
      await toast.waitFor();
      expect(await toast.innerText()).toMatch(/\/no\/such\/ggsl lsp.*from the settings.*ENOENT.*ggsl\.server\.path/s);
      await editor.screenshot("vscode-fault");
    },
    3 * PATIENCE,
  );
});
