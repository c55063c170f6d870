/** A model whose batches are written down: which tokens are computed, for which sequences, with how many outputs. */
import { openBatch, type BatchOptions, type GenerationBatch } from "../../runtime/models/batch.js";
import { contextSettings, type ContextSettings } from "../../runtime/backends/contextOptions.js";
import type { LoadedModel } from "../../runtime/generation/generate.js";
import type { Batch, ModelBinding, NativeContext, NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";

export interface Recorded {
  readonly native: NativeModel;
  readonly batches: Batch[];
  /** Other calls of the context. */
  readonly calls: string[];
  /** Called before a batch is decoded. */
  onBatch: ((batch: Batch) => void) | undefined;
  /** The latest context. */
  context: NativeContext | undefined;
  open(options: BatchOptions): GenerationBatch;
}

const NOTED: readonly (keyof NativeContext)[] = ["copy", "remove", "setChain"];

/** @param binding default: the addon's, with which `native` was loaded */
export function recorded(
  native: NativeModel,
  settings: ContextSettings = {},
  binding: ModelBinding = loadBinding(),
  backend: "cpu" | "wasm" = "cpu",
): Recorded {
  const made: Recorded = {
    native,
    batches: [],
    calls: [],
    onBatch: undefined,
    context: undefined,
    open: (options) => openBatch(model, options),
  };
  const watch = (context: NativeContext): NativeContext =>
    new Proxy(context, {
      get(target, name: keyof NativeContext) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => {
          if (name === "decode") {
            made.batches.push(given[0] as Batch);
            made.onBatch?.(given[0] as Batch);
          }
          if (NOTED.includes(name))
            made.calls.push(`${name} ${given.filter((value) => typeof value === "number").join(" ")}`);
          return (member as (...values: unknown[]) => unknown).apply(target, given);
        };
      },
    });
  const createContext = native.createContext.bind(native);
  const watched: NativeModel["createContext"] = async (options) => (made.context = watch(await createContext(options)));
  Object.defineProperty(native, "createContext", { value: watched });
  const model: LoadedModel = {
    native,
    binding,
    chosen: { backend, device: "CPU", skipped: [] },
    isOnDevice: false,
    settings: contextSettings(settings),
  };
  return made;
}
