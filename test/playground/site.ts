/** The built site on a local port, and a browser. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, resolve } from "node:path";
import { chromium, type Browser } from "playwright-core";

const CHROMIUM = "/usr/bin/chromium";

/** Screenshots of the page, for people. */
export const SCREENSHOTS = join("build", "screenshots");

/** Without these, Chromium itself makes network requests. */
const FLAGS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** Tests of the page run if Chromium is installed; GGSL_NEED_CHROMIUM=1 makes its absence a failure. */
export const canBrowse = existsSync(CHROMIUM) || process.env["GGSL_NEED_CHROMIUM"] === "1";

/** The site as built by `npm run build:playground`, in one folder per test file, since these run in parallel. */
function buildSite(name: string): string {
  const vite = join("node_modules", "vite", "bin", "vite.js");
  const folder = resolve("build", `playground-${name}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite, "build", "playground", "--outDir", folder], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the playground cannot be built:\n${stdout}${stderr}`);
  return folder;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

export interface Site {
  readonly url: string;
  readonly browser: Browser;
  close(): Promise<void>;
}

/** Builds the site, serves it, and opens a browser. */
export async function openSite(name: string): Promise<Site> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  return openFolder(buildSite(name));
}

/** Serves a folder's files and opens a browser. */
export async function openFolder(folder: string): Promise<Site> {
  const { url, server } = await serve(folder);
  const browser = await openBrowser();
  return {
    url,
    browser,
    async close() {
      await browser.close();
      server.close();
    },
  };
}

async function serve(folder: string): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url!, "http://localhost").pathname);
    const file = join(folder, path === "/" ? "index.html" : path);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    return response.end(readFileSync(file));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

export const openBrowser = (flags: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...flags] });
