/** Where generations run: a model, a context and its scheduler, and the device of a chain. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { MAX_CONTEXT } from "@ggsl/compiler/llama/contexts.js";
import { contextSettings, type ContextSettings } from "../backends/contextOptions.js";
import type { ChosenDevice } from "../backends/devices/choose.js";
import type { DeviceBackend } from "../backends/devices/locate.js";
import { placeGraph, wholeGraph, type PlacedGraph } from "../backends/devices/place.js";
import { InputError, translated } from "../core/errors.js";
import type { ModelBinding, NativeModel } from "../backends/native/binding.js";
import type { RemoteKind } from "../backends/devices/servers.js";
import type { Open, SchedulerOptions } from "../decode/scheduler/options.js";
import { Scheduler } from "../decode/scheduler/scheduler.js";
import { costsOf } from "../decode/scheduler/costs.js";
import { checkRun, type RunOptions } from "./request.js";

/** A model in the memory of its device. */
export interface LoadedModel {
  readonly native: NativeModel;
  readonly binding: ModelBinding;
  readonly chosen: Pick<ChosenDevice, "device" | "skipped"> & {
    readonly backend: DeviceBackend | "wasm" | "rpc";
    /** The kind of a device of another machine. */
    readonly kind?: RemoteKind;
  };
  /** False if all layers, and therefore the logits, are on the CPU. */
  readonly isOnDevice: boolean;
  /** Resolves if the process with the model ends. */
  readonly lost?: Promise<InputError>;
  /** Default settings of contexts. */
  readonly settings: ContextSettings;
}

/** Throws `InputError` for invalid settings. */
export function openScheduler(
  { native, binding, settings }: LoadedModel,
  sequences: number,
  options: RunOptions,
  given: SchedulerOptions = {},
): Scheduler {
  checkRun(options, "options");
  const { promptBatch = PROMPT_BATCH, ...merged } = contextSettings(options, settings);
  const { contextSize = translated(() => native.info).trainedContextSize } = merged;
  const total = { contextSize: contextSize * sequences };
  if (total.contextSize > MAX_CONTEXT)
    throw new InputError(
      `${sequences} sequences of ${contextSize} tokens need a context of ${total.contextSize} tokens, and the maximum is ${MAX_CONTEXT}: set a smaller context size`,
      { code: "LIMIT_EXCEEDED" },
    );
  const { placement, checkLogits } = options;
  const batchSize = Math.max(BATCH_SIZE, promptBatch);
  const open: Open = (given) =>
    native.createContext({
      ...given,
      ...merged,
      ...total,
      batchSize,
      ...(placement !== undefined && { placement }),
      ...(checkLogits !== undefined && { checkLogits }),
    });
  const { contextSize: _, ...costly } = merged;
  const costs = costsOf(native, JSON.stringify([sequences, placement, costly]));
  return new Scheduler(sequences, binding.Graph, open, { contextSize, batchSize, promptBatch }, costs, given);
}

/** Tokens that a context computes at once, as llama.cpp's default of n_ubatch. */
const BATCH_SIZE = 512;
/** docs/performance.md has the measurements. */
const PROMPT_BATCH = 128;

/** The scheduler that gives a generation its slot. */
export interface Room {
  readonly scheduler: Pick<Scheduler, "acquire" | "companion" | "sequences" | "shared">;
  readonly model: LoadedModel;
  readonly options: RunOptions;
}

/** On the host, and on the CPU, every chain runs as a whole. */
export function place(
  graph: Graph,
  { model: { native, chosen, isOnDevice }, options }: Room,
  columns: readonly Float32Array[],
): PlacedGraph {
  if (!isOnDevice || options.placement === "host") return wholeGraph(graph);
  const { strict } = options;
  const { device, kind } = chosen;
  return placeGraph(graph, native.info.vocabSize, { device, kind, columns, inModel: true, strict });
}
