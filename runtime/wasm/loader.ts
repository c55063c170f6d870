/** Finds and loads the WebAssembly module next to this file, in Node.js and in browsers. */
import { InputError } from "../errors.js";
import { nodeModule } from "../node.js";
import { moduleSource } from "../optionChecks.js";
import { wasmBinding, type WasmBinding } from "./binding.js";
import { differenceOf } from "./fits.js";
import { bytesOf, isFile } from "./source.js";
import { webAssembly, type WasmModule } from "./webAssembly.js";

/** In the form that bundlers recognise: they emit the file and rewrite the URL. */
const MODULE = new URL("./ggsl.wasm", import.meta.url);

let loaded: WasmBinding | undefined;

/**
 * Loads the module. Browsers need this before the first evaluator on `wasm`; Node.js only for a module in another location.
 * @param source the module's bytes, or their location
 * @throws InputError if it cannot be loaded, or has another version
 */
export async function loadWasm(source: Uint8Array | URL | string = MODULE): Promise<void> {
  moduleSource(source, "source");
  if (loaded && source === MODULE) return;
  const bytes = await bytesOf(source).catch(refuse);
  loaded = bind(await webAssembly.compile(bytes).catch(refuse));
}

/** The loaded module; Node.js loads it on demand. Throws an `InputError` that says how to build it. */
export function loadedWasm(): WasmBinding {
  loaded ??= bind(compileNow());
  return loaded;
}

/** Whether there is a module for `loadedWasm`. A module that exists but does not load is an error, not a reason for a fallback. */
export const isWasmThere = (): boolean =>
  loaded !== undefined || (isFile(MODULE) && nodeModule("node:fs")!.existsSync(MODULE));

function compileNow(): WasmModule {
  if (!isFile(MODULE)) throw new InputError("the WebAssembly module is not loaded yet: call `await loadWasm()` first");
  const bytes = readModule(MODULE);
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
  new InputError(`The WebAssembly module cannot be used: ${reason}.\nTo build it: npm run build:wasm`, { cause });
