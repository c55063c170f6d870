/** Finds and compiles the module with llama.cpp: a file of the package, or `npm run build:wasm -- --llama` in a checkout. */
import { InputError, invalid } from "../../../core/errors.js";
import { moduleFix } from "../../../core/fixes.js";
import { nodeModule } from "../../../core/node.js";
import { llamaModulePath } from "../../../core/root.js";
import { compiledOf, locationOf, type ModuleSource } from "../source.js";
import type { WasmModule } from "../webAssembly.js";

const compiled = new Map<string, Promise<WasmModule>>();

/**
 * The module, compiled once per location.
 * @param source by default, Node.js finds the package's
 * @throws InputError if it cannot be loaded
 */
export async function loadLlama(source: ModuleSource = builtModule()): Promise<WasmModule> {
  try {
    const url = locationOf(source);
    return await (url ? compiledOnce(url) : compiledOf(source));
  } catch (error) {
    throw unusable((error as Error).message, error);
  }
}

function compiledOnce(url: URL): Promise<WasmModule> {
  const module = compiled.get(url.href) ?? compiledOf(url);
  compiled.set(url.href, module);
  // a failure is not cached: the module may be there next time
  module.catch(() => compiled.delete(url.href));
  return module;
}

function builtModule(): URL {
  const url = nodeModule("node:url");
  if (!url) throw invalid("expected `module`: the location of the WebAssembly module with llama.cpp");
  return url.pathToFileURL(llamaModulePath());
}

export const unusable = (reason: string, cause?: unknown): InputError =>
  new InputError(`The WebAssembly module with llama.cpp cannot be used: ${reason}.\n${moduleFix("ggsl-llama.wasm")}`, {
    code: "MODULE_UNAVAILABLE",
    cause,
  });
