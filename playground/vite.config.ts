/** The playground as a static site. It loads nothing from other servers. */
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defaultClientConditions, defineConfig } from "vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What the page reads before it can write. */
const DOWNLOADS = ["../build/wasm-llama/out/ggsl-llama.wasm", "../examples/model/demo-q8_0.gguf"];
const sizeOf = (path: string): number => statSync(at(path), { throwIfNoEntry: false })?.size ?? 0;

export default defineConfig({
  root: at("."),
  define: { DOWNLOAD_BYTES: DOWNLOADS.reduce((sum, path) => sum + sizeOf(path), 0) },
  // the site works in any folder of a server
  base: "./",
  cacheDir: at("../build/vite"),
  // resolves this project's packages to their sources
  resolve: { conditions: ["@ggsl/source", ...defaultClientConditions] },
  // keeps earlier messages on the screen
  clearScreen: false,
  server: { host: "127.0.0.1", fs: { allow: [at("..")] } },
  preview: { host: "127.0.0.1" },
  worker: { format: "es" },
  build: {
    outDir: at("../build/playground"),
    emptyOutDir: true,
    target: "es2022",
    rolldownOptions: { input: [at("index.html"), at("compare.html")] },
    // the page contains the compiler
    chunkSizeWarningLimit: 1000,
    // the content security policy allows no data: scripts and no inline ones
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
