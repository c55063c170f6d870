import { defineConfig } from "vite";

export default defineConfig({
  root: "examples/onnx",
  base: "./",
  // `npm run example:onnx` writes the model there
  publicDir: "../../build/onnx-model",
  // it loads its WebAssembly module from beside itself
  optimizeDeps: { exclude: ["onnxruntime-web"] },
  build: {
    outDir: "../../build/onnx-page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
  },
});
