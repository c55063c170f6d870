/** A page in Chromium that has ONNX Runtime, with its files from this machine alone. WebGPU runs in software (SwiftShader). */
import { build } from "esbuild";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { ROOT } from "../tool.js";

export const CHROMIUM = "/usr/bin/chromium";

const FLAGS = [
  ...["--headless", "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync"],
  ...["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"],
];

/** GGSL's module, and ONNX Runtime's files, of which its bundles load their own. */
const WASM = join(ROOT, "runtime", "wasm", "ggsl.wasm");
const ORT = join(ROOT, "node_modules", "onnxruntime-web", "dist");
const TYPES: Readonly<Record<string, string>> = { ".mjs": "text/javascript", ".wasm": "application/wasm" };
const PAGE =
  '<!doctype html><meta charset="utf-8"><title>Runtimes</title><script type="module" src="/page.js"></script>';

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

export interface RuntimePage extends AsyncDisposable {
  readonly page: Page;
}

/** Opens the page of `page.ts`, whose functions are those of the global `runtimes`. */
export async function openPage(): Promise<RuntimePage> {
  const script = await bundled(join(ROOT, "bench", "runtimes", "page.ts"));
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, "http://localhost");
    if (pathname === "/") send(response, "text/html; charset=utf-8", PAGE);
    else if (pathname === "/page.js") send(response, "text/javascript", script);
    else if (pathname === "/ggsl.wasm") send(response, TYPES[".wasm"]!, readFileSync(WASM));
    else sendFile(response, /^\/ort\/([\w.-]+)$/.exec(pathname)?.[1]);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const browser = await openBrowser();
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.waitForFunction("globalThis.runtimes !== undefined", undefined, { timeout: 60_000 });
  return {
    page,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await closed(server);
    },
  };
}

async function bundled(entry: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "error",
    conditions: ["@ggsl/source", "browser"],
  });
  return outputFiles[0]!.contents;
}

function sendFile(response: ServerResponse, name: string | undefined): void {
  const path = join(ORT, name ?? "");
  if (name === undefined || !existsSync(path)) return void response.writeHead(404).end();
  send(response, TYPES[extname(name)] ?? "application/octet-stream", readFileSync(path));
}

// with these headers the page's clock counts in 5 microseconds
function send(response: ServerResponse, type: string, body: string | Uint8Array): void {
  const isolation = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
  response.writeHead(200, { "content-type": type, ...isolation }).end(body);
}

const closed = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
