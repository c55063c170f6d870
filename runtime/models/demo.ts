/** The demo model: a small model of English that the package brings with it, for first steps and tests. */
import { InputError } from "../core/errors.js";
import { nodeModule } from "../core/node.js";
import { demoModelPath } from "../core/root.js";

/**
 * The path of the demo model, for `loadModel`; the command line uses it by default. Bundlers find the file as
 * `ggsl/model/demo-q8_0.gguf`.
 * @throws InputError in a browser, which has no files: fetch that file there, for `loadModelFromBytes`; and in a program's bundle
 * without the package
 */
export function demoModel(): string {
  const path = nodeModule("node:fs") && demoModelPath();
  if (path !== undefined) return path;
  throw new InputError(
    "the demo model is a file of the package `ggsl`, which is not here: fetch `ggsl/model/demo-q8_0.gguf` for `loadModelFromBytes`",
    { code: "UNSUPPORTED" },
  );
}
