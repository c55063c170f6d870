/** The playground as a static site. Nothing in it comes from another host. */
import { fileURLToPath } from "node:url";
import { defaultClientConditions, defineConfig } from "vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("."),
  // the site works in any folder of a server
  base: "./",
  cacheDir: at("../build/vite"),
  // the sources of this project's own packages
  resolve: { conditions: ["@ggsl/source", ...defaultClientConditions] },
  // messages stay on the screen
  clearScreen: false,
  server: { host: "127.0.0.1", fs: { allow: [at("..")] } },
  preview: { host: "127.0.0.1" },
  worker: { format: "es" },
  build: {
    outDir: at("../build/playground"),
    emptyOutDir: true,
    target: "es2022",
    // the compiler reads specs on the page, too
    chunkSizeWarningLimit: 1000,
    // the content security policy allows no data: scripts and no inline ones
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
