/** The engine of grammars of this process or page, for evaluators; a model has its own. */
import type { AnyAutomatonBinding } from "../backends/native/automatonBinding.js";
import { isNativeThere, loadBinding } from "../backends/native/loader.js";
import { loadedWasm, loadWasm } from "../backends/wasm/loader.js";

/** The addon's, where it is there, else that of the WebAssembly module. Throws `InputError` in a page before `loadGrammars`. */
export const engineHere = (): AnyAutomatonBinding => (isNativeThere() ? loadBinding() : loadedWasm());

/**
 * Loads the engine of grammars, the WebAssembly module. Browsers need this, or `loadWasm`, before an evaluator of a chain with a grammar;
 * models and Node.js load it on demand.
 */
export async function loadGrammars(): Promise<void> {
  if (!isNativeThere()) await loadWasm();
}
