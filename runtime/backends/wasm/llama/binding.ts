/** A model in WebAssembly. Each model has an instance of its own, so freeing it frees all memory, even after a trap. */
import type { AutomatonBinding } from "../../native/automatonBinding.js";
import type { ModelBinding, NativeModel } from "../../native/binding.js";
import { automatonBinding } from "../automaton.js";
import { differenceOf } from "../fits.js";
import { nativeError } from "../instance.js";
import type { WasmModule } from "../webAssembly.js";
import { graphClass } from "./graph.js";
import { Llama, type Handles } from "./handle.js";
import { tailClass } from "./tail.js";
import { unusable } from "./loader.js";
import { LlamaModel } from "./model.js";

export interface LlamaBinding {
  readonly native: NativeModel;
  readonly binding: ModelBinding & AutomatonBinding;
}

/** The file and the model loaded from it are in memory at the same time, which has at most 2 GiB. */
const MAX_FILE_BYTES = 2 ** 30;

/**
 * Loads a GGUF file. Throws a `NativeError` (INVALID_MODEL, OUT_OF_MEMORY; COMPUTE_FAILED for a trap), and `InputError` for a
 * module that does not match.
 */
export function openLlama(module: WasmModule, bytes: Uint8Array): LlamaBinding {
  checkFileSize(bytes.length);
  const llama = start(module);
  const [graphs, models]: [Handles, Handles] = [new WeakMap(), new WeakMap()];
  const native = new LlamaModel(llama, bytes, models, graphs);
  return {
    native,
    binding: {
      Graph: graphClass(llama, graphs),
      Tail: tailClass(llama, models),
      ...automatonBinding({ current: () => llama, entered: () => undefined, left: () => undefined }),
    },
  };
}

/** Checks a file's size before reading it. Throws a `NativeError` (OUT_OF_MEMORY). */
export function checkFileSize(bytes: number): void {
  if (bytes <= MAX_FILE_BYTES) return;
  throw nativeError(
    "OUT_OF_MEMORY",
    `the model file has ${bytes} bytes; the maximum in WebAssembly is ${MAX_FILE_BYTES}`,
  );
}

function start(module: WasmModule): Llama {
  let llama: Llama;
  let difference: string | undefined;
  try {
    llama = new Llama(module);
    const wireVersion = llama.call((e) => {
      e.ggsl_start();
      return e.ggsl_wire_version();
    });
    llama.checked((e) => e.ggsl_op_names());
    difference = differenceOf(wireVersion, llama.given.texts());
  } catch (error) {
    throw unusable((error as Error).message, error);
  }
  if (difference !== undefined) throw unusable(difference);
  return llama;
}
