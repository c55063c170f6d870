/** A real Visual Studio Code: code-server, with the packed extension installed, in a browser. `npm run check:editors` installs it. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { openBrowser } from "../playground/site.js";

/** The file that starts code-server; without it, nothing of this can be tested. */
export const CODE_SERVER = process.env["GGSL_CODE_SERVER"];

/** Generous: the machine may be slow and busy. */
export const PATIENCE = 15_000;

const SETTINGS = {
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "editor.minimap.enabled": false,
  // its text is in the page
  "terminal.integrated.gpuAcceleration": "off",
  "editor.inlayHints.enabled": "on",
  "git.enabled": false,
};

export interface Editor {
  readonly page: Page;
  /** The folder that is open. */
  readonly folder: string;
  read(name: string): string;
  /** Opens a file of the folder. */
  open(name: string): Promise<void>;
  /** Runs a command of the palette by its title. */
  command(title: string): Promise<void>;
  /** The text of the open program, as the editor shows it; it must fit the screen. */
  text(): Promise<string>;
  /** Puts the cursor at a place, counted from 1. */
  goTo(line: number, column: number): Promise<void>;
  /** An element of a pane that the extension made. */
  inPane(selector: string, hasText: RegExp): Promise<Locator>;
  /** The addresses that panes have requested. */
  requests(): readonly string[];
  /** What the extension has logged. */
  log(): string;
  screenshot(name: string): Promise<void>;
}

export interface CodeServer {
  /** Opens a folder with these files, with these settings in addition. */
  visit(files: Readonly<Record<string, string>>, settings?: object): Promise<Editor>;
  close(): Promise<void>;
}

export async function startCodeServer(vsix: string): Promise<CodeServer> {
  const home = mkdtempSync(join(tmpdir(), "ggsl-vscode-"));
  const data = join(home, "data");
  const at = [
    "--config",
    join(home, "config.yaml"),
    "--user-data-dir",
    data,
    "--extensions-dir",
    join(home, "extensions"),
  ];
  writeFileSync(join(home, "config.yaml"), "auth: none\ncert: false\n");
  const installed = spawnSync(process.execPath, [CODE_SERVER!, ...at, "--install-extension", resolve(vsix)], {
    encoding: "utf8",
  });
  expect(`${installed.stdout}${installed.stderr}`).toContain("was successfully installed");
  const port = await freePort();
  const options = [
    "--auth",
    "none",
    "--bind-addr",
    `127.0.0.1:${port}`,
    "--disable-telemetry",
    "--disable-update-check",
  ];
  // the extension must not need a command of this machine
  const env = { ...process.env, PATH: "/usr/bin:/bin" };
  const server = spawn(process.execPath, [CODE_SERVER!, ...at, ...options], { env, stdio: ["ignore", "pipe", "pipe"] });
  await until(
    async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok === true,
    "a server",
  );
  const browser = await openBrowser();
  return {
    async visit(files, settings = {}) {
      const folder = mkdtempSync(join(home, "project-"));
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      mkdirSync(join(data, "User"), { recursive: true });
      writeFileSync(join(data, "User", "settings.json"), JSON.stringify({ ...SETTINGS, ...settings }));
      return openEditor(browser, `http://127.0.0.1:${port}/?folder=${folder}`, { folder, data });
    },
    async close() {
      await browser.close();
      await ended(server);
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
    },
  };
}

async function openEditor(
  browser: Browser,
  url: string,
  { folder, data }: { folder: string; data: string },
): Promise<Editor> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const requests: string[] = [];
  page.on("request", (request) => {
    // requests of the editor itself, or of a service worker, have no parent
    if (!request.serviceWorker() && request.frame().parentFrame() !== null) requests.push(request.url());
  });
  await page.goto(url);
  await page.locator(".monaco-workbench").waitFor();
  const input = page.locator(".quick-input-widget input").first();
  const ask = async (text: string, shown: string): Promise<void> => {
    await input.waitFor();
    await input.fill(text);
    await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: shown }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  };
  return {
    page,
    folder,
    read: (name) => readFileSync(join(folder, name), "utf8"),
    async open(name) {
      await page.keyboard.press("Control+p");
      // a whole path needs no search, whose program is not installed
      await ask(join(folder, name), name);
      await page.locator(`.tab.active[aria-label*="${name}"]`).waitFor();
      await page.locator(".monaco-editor .view-line").first().waitFor();
    },
    async command(title) {
      await page.keyboard.press("F1");
      await ask(`>${title}`, title);
    },
    async text() {
      const lines = page.locator(".monaco-editor .view-lines").first().locator(".view-line");
      const found = await lines.evaluateAll((all) =>
        all
          .map((line) => ({
            top: parseFloat((line as unknown as { style: { top: string } }).style.top),
            text: line.textContent ?? "",
          }))
          .sort((a, b) => a.top - b.top)
          .map(({ text }) => text),
      );
      return found.join("\n").replace(/\u00a0/g, " ");
    },
    async goTo(line, column) {
      await page.keyboard.press("Control+g");
      await input.waitFor();
      await input.fill(`:${line}:${column}`);
      await page.keyboard.press("Enter");
      await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    },
    async inPane(selector, hasText) {
      let found: Locator | undefined;
      await until(async () => {
        const all = page.frames().map((frame) => frame.locator(selector).filter({ hasText }).first());
        for (const one of all) if (await one.isVisible().catch(() => false)) found = one;
        return found !== undefined;
      }, `${selector} with ${hasText} in a pane`);
      return found!;
    },
    requests: () => requests,
    log: () =>
      readdirSync(join(data, "logs"), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith("GGSL.log"))
        .map((name) => readFileSync(join(data, "logs", name), "utf8"))
        .join("\n"),
    async screenshot(name) {
      mkdirSync(join("build", "screenshots"), { recursive: true });
      await page.screenshot({ path: join("build", "screenshots", `${name}.png`) });
    },
  };
}

/** Waits until something holds; `what` names it. */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await new Promise((done) => setTimeout(done, 100)))
    if (await holds()) return;
  throw new Error(`there is no ${what} after ${PATIENCE / 1000} s`);
}

const freePort = (): Promise<number> =>
  new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => found(port));
    });
  });

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((done) => {
    child.once("exit", done);
    child.kill("SIGTERM");
  });
