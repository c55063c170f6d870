/** Writes one file: scripts, styles, the model and the WebAssembly module are parts of it. */
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig({
  root: "examples/browser",
  plugins: [viteSingleFile()],
  // browsers start no module as a worker of a page that comes from a disk
  worker: { format: "iife" },
  build: {
    outDir: "../../build/browser",
    emptyOutDir: true,
    target: "es2022",
    // addresses of files become data: addresses
    assetsInlineLimit: Infinity,
    chunkSizeWarningLimit: Infinity,
  },
});
