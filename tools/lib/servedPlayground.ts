/** The playground, served on this machine. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MARK } from "@ggsl/server/routes/files.js";
import { createServer, preview, type Plugin } from "vite";
import { buildPlayground } from "./playground.js";
import { root } from "./process.js";

interface ServedPage {
  readonly address: string;
  close(): Promise<void>;
}

const CONFIG = join(root, "playground", "vite.config.ts");

/** Tells the page that the server of its model is there for it alone. */
const marked = (html: string): string => html.replace(MARK, MARK.replace("none", "own"));

/**
 * Builds the page unless it is up to date, and serves it.
 * @param port the first one to try @param model the address of the server that writes texts; undefined for none
 */
export async function servePlayground(port: number, model: string | undefined): Promise<ServedPage> {
  const outDir = await buildPlayground();
  const pages: Plugin = {
    name: "ggsl-server",
    configurePreviewServer: ({ middlewares }) =>
      void middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url!, "http://localhost");
        const file = join(outDir, pathname === "/" ? "index.html" : pathname);
        if (!file.endsWith(".html") || !existsSync(file)) return next();
        response.setHeader("content-type", "text/html; charset=utf-8");
        response.end(marked(readFileSync(file, "utf8")));
      }),
  };
  const page = await preview({
    configFile: CONFIG,
    build: { outDir },
    preview: { port, ...proxied(model) },
    plugins: model === undefined ? [] : [pages],
    logLevel: "warn",
  });
  return { address: page.resolvedUrls!.local[0]!, close: () => page.close() };
}

/** As `servePlayground`, but of the sources: a change of them shows at once. */
export async function watchPlayground(port: number, model: string | undefined): Promise<ServedPage> {
  const page = await createServer({
    configFile: CONFIG,
    server: { port, ...proxied(model) },
    plugins: model === undefined ? [] : [{ name: "ggsl-server", transformIndexHtml: marked }],
    logLevel: "warn",
  });
  try {
    await page.listen();
  } catch (error) {
    await page.close();
    throw error;
  }
  return { address: page.resolvedUrls!.local[0]!, close: () => page.close() };
}

const proxied = (model: string | undefined) => model !== undefined && { proxy: { "/v1/": model } };
