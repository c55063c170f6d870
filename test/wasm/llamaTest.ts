/** Tests of models in WebAssembly, whose module is built separately from the package. */
import { existsSync } from "node:fs";
import { llamaModulePath } from "../../runtime/core/root.js";
import { needing, isSet, type Need } from "../needs.js";

export const isBuilt = existsSync(llamaModulePath());
export const LLAMA_MODULE: Need = {
  what: "the WebAssembly module with llama.cpp",
  isThere: isBuilt,
  fix: "apt-get install emscripten; npm run build:wasm -- --llama",
  isRequired: isSet("GGSL_NEED_EMSCRIPTEN"),
};

/** A test that needs the module. */
export const { test: llamaTest } = needing(LLAMA_MODULE);
