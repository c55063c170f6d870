/** The playground as a static site. It loads nothing from other servers. */
import { fileURLToPath } from "node:url";
import { defaultClientConditions, defineConfig } from "vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("."),
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
