import ggsl from "ggsl/vite";
import { defineConfig } from "vite";

export default defineConfig({
  root: "examples/typed-app/page",
  base: "./",
  plugins: [ggsl()],
  build: {
    outDir: "../../../build/typed-app/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
  },
});
