/** The worker's backend: the WebAssembly module, or if it does not load, the reference interpreter, with a note. */
import { loadWasm } from "ggsl/backends/wasm/loader.js";
import type { Evaluated } from "./messages.js";

export interface Backend extends Evaluated {
  readonly backend: "wasm" | "reference";
}

let opened: Promise<Backend> | undefined;

export const openBackend = (): Promise<Backend> => (opened ??= load());

async function load(): Promise<Backend> {
  try {
    await loadWasm();
    return { backend: "wasm" };
  } catch (error) {
    const reason = (error as Error).message;
    return { backend: "reference", note: `${reason}\nThe slower reference interpreter is used instead.` };
  }
}
