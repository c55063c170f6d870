/** Tests of models in WebAssembly, whose module is built separately from the package. */
import { test } from "@jest/globals";
import { existsSync } from "node:fs";
import { llamaModulePath } from "../../runtime/root.js";

export const isBuilt = existsSync(llamaModulePath());
const reason = "npm run build:wasm -- --llama";

/** A test that needs the module: without it, skipped with a reason, or failed if emscripten is required. */
export function llamaTest(title: string, run: () => void | Promise<void>, timeout?: number): void {
  if (isBuilt) test(title, run, timeout);
  else if (process.env["GGSL_NEED_EMSCRIPTEN"] === "1")
    test(title, () => Promise.reject(new Error(`the module is not built: ${reason}`)));
  else test.skip(`${title} (the module is not built: ${reason})`, run);
}
