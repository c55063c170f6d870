/** Finds and loads the WebAssembly module of the package, in Node.js and in browsers. */
import { InputError } from "../../core/errors.js";
import { moduleFix } from "../../core/fixes.js";
import { nodeModule } from "../../core/node.js";
import { wasmModulePath } from "../../core/root.js";
import { wasmBinding, type WasmBinding } from "./binding.js";
import { differenceOf } from "./fits.js";
import { moduleBeside } from "../../wasm/location.js";
import { compiledOf, moduleSource, type ModuleSource } from "./source.js";
import { webAssembly, type WasmModule } from "./webAssembly.js";

/** In Node.js, a file of the package. For browsers, the form that bundlers recognise: they emit the file and rewrite the URL. */
const moduleUrl = (): URL => nodeModule("node:url")?.pathToFileURL(wasmModulePath()) ?? moduleBeside();

let loaded: WasmBinding | undefined;

/**
 * Loads the module. Browsers need this before the first evaluator on `wasm`; Node.js only for a module in another location.
 * @param source the module: see `ModuleSource`
 * @throws InputError if it cannot be loaded, or has another version
 */
export async function loadWasm(source?: ModuleSource): Promise<void> {
  if (source !== undefined) moduleSource(source, "source");
  if (loaded && source === undefined) return;
  loaded = bind(await compiledOf(source ?? moduleUrl()).catch(refuse));
}

/** The loaded module; Node.js loads it on demand. Throws an `InputError` that says how to build it. */
export function loadedWasm(): WasmBinding {
  loaded ??= bind(compileNow());
  return loaded;
}

/** Whether there is a module for `loadedWasm`. A module that exists but does not load is an error, not a reason for a fallback. */
export const isWasmThere = (): boolean =>
  loaded !== undefined || nodeModule("node:fs")?.existsSync(moduleUrl()) === true;

function compileNow(): WasmModule {
  if (!nodeModule("node:fs"))
    throw new InputError("the WebAssembly module is not loaded yet: call `await loadWasm()` first", {
      code: "NOT_READY",
    });
  const bytes = readModule(moduleUrl());
  try {
    return new webAssembly.Module(bytes);
  } catch (error) {
    return refuse(error as Error);
  }
}

function bind(module: WasmModule): WasmBinding {
  const binding = start(module);
  const difference = differenceOf(binding.wireVersion, binding.opNames());
  if (difference !== undefined) throw unusable(difference);
  return binding;
}

function start(module: WasmModule): WasmBinding {
  try {
    return wasmBinding(module);
  } catch (error) {
    return refuse(error as Error);
  }
}

function readModule(file: URL): Uint8Array {
  try {
    return nodeModule("node:fs")!.readFileSync(file);
  } catch (error) {
    return refuse(error as Error);
  }
}

const refuse = (error: Error): never => {
  throw unusable(error.message, error);
};

const unusable = (reason: string, cause?: Error): InputError =>
  new InputError(`The WebAssembly module cannot be used: ${reason}.\n${moduleFix("ggsl.wasm")}`, {
    code: "MODULE_UNAVAILABLE",
    cause,
  });
