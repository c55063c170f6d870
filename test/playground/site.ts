/** The built site on a local port, and a browser. */
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { buildPlayground } from "../../tools/lib/playground.js";
import { needing, isSet, type Need } from "../needs.js";

const CHROMIUM = "/usr/bin/chromium";

/** Screenshots of the page, for people. */
export const SCREENSHOTS = join("build", "screenshots");

/** Without these, Chromium itself makes network requests. */
const FLAGS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

export const BROWSER: Need = {
  what: "Chromium",
  isThere: existsSync(CHROMIUM),
  fix: "apt-get install chromium",
  isRequired: isSet("GGSL_NEED_CHROMIUM"),
};

/** `test` and `describe` for what runs in it. */
export const { test: browserTest, describe: inBrowser } = needing(BROWSER);

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
};

export interface Site {
  readonly url: string;
  /** The same files, but a model never arrives: for what needs none, since loading it is half of a visit's time. */
  readonly urlWithoutModel: string;
  readonly browser: Browser;
  close(): Promise<void>;
}

/** Builds the site, serves it, and opens a browser. */
export async function openSite(): Promise<Site> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  return openFolder(await buildPlayground());
}

/** Serves a folder's files and opens a browser. */
export async function openFolder(folder: string, open = openBrowser): Promise<Site> {
  const [all, others] = [await serve(folder), await serve(folder, MODEL)];
  const browser = await open();
  return {
    url: all.url,
    urlWithoutModel: others.url,
    browser,
    async close() {
      await browser.close();
      for (const { server } of [all, others]) server.close();
    },
  };
}

/** A model's file, and the module that runs it, which takes seconds to compile. */
const MODEL = /\.gguf$|\/ggsl-llama[^/]*\.wasm$/;

/** @param held paths that are never answered */
async function serve(folder: string, held?: RegExp): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url!, "http://localhost").pathname);
    if (held?.test(path)) return undefined;
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    return response.end(readFileSync(file));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

/** Milliseconds after which what a page shows does not come any more, on a machine that does much else. */
export const PATIENCE = 240_000;

/** Waits of the page end after that. */
export function patient(page: Page): Page {
  page.setDefaultTimeout(PATIENCE);
  return page;
}

export const openBrowser = (flags: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...flags] });
