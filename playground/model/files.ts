/** The files of the model in the page. */
export { default as demoModel } from "../../examples/model/demo-q8_0.gguf?url";

/** Present if it was built before the page: `npm run build:wasm -- --llama`. */
const modules = import.meta.glob<string>("../../build/wasm-llama/out/ggsl-llama.wasm", {
  query: "?url",
  import: "default",
  eager: true,
});

/** The address of the WebAssembly module with llama.cpp; undefined in a build without it. */
export const llamaModule = Object.values(modules)[0];
