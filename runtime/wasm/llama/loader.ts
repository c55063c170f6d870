/** Finds and compiles the module with llama.cpp: a file of the package, or `npm run build:wasm -- --llama` in a checkout. */
import { InputError } from "../../errors.js";
import { moduleFix } from "../../fixes.js";
import { nodeModule } from "../../node.js";
import { llamaModulePath } from "../../root.js";
import { bytesOf } from "../source.js";
import { webAssembly, type WasmModule } from "../webAssembly.js";

type Source = Uint8Array | URL | string;

const compiled = new Map<string, Promise<WasmModule>>();

/**
 * The module, compiled once per location.
 * @param source its bytes, or their location; by default, Node.js finds the package's
 * @throws InputError if it cannot be loaded
 */
export function loadLlama(source: Source = builtModule()): Promise<WasmModule> {
  if (source instanceof Uint8Array) return compile(source);
  const key = String(source);
  const known = compiled.get(key) ?? compile(source);
  compiled.set(key, known);
  // a failure is not cached: the module may be there next time
  known.catch(() => compiled.delete(key));
  return known;
}

const compile = (source: Source): Promise<WasmModule> =>
  bytesOf(source)
    .then((bytes) => webAssembly.compile(bytes))
    .catch((error: unknown) => {
      throw unusable((error as Error).message, error);
    });

function builtModule(): URL {
  const url = nodeModule("node:url");
  if (!url)
    throw new InputError("expected `module`: the location of the WebAssembly module with llama.cpp", {
      code: "INVALID_ARGUMENT",
    });
  return url.pathToFileURL(llamaModulePath());
}

export const unusable = (reason: string, cause?: unknown): InputError =>
  new InputError(`The WebAssembly module with llama.cpp cannot be used: ${reason}.\n${moduleFix("ggsl-llama.wasm")}`, {
    code: "MODULE_UNAVAILABLE",
    cause,
  });
