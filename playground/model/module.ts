/** The address of the module with llama.cpp; undefined unless it was built before the page: `npm run build:wasm -- --llama`. */
const modules = import.meta.glob<string>("../../build/wasm-llama/out/ggsl-llama.wasm", {
  query: "?url",
  import: "default",
  eager: true,
});

export const module: string | undefined = Object.values(modules)[0];
