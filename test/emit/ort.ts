/**
 * Graphs in onnxruntime-node, called synchronously: its public interface is asynchronous, and the comparisons of random programs are
 * not. The addon is what that interface itself calls. Its class of tensors refuses the arrays of another realm, and jest
 * runs each test file in a realm of its own, so the tensors here are plain; test/emit/public.test.ts uses the public interface.
 */
import { createRequire } from "node:module";
import { isMainThread } from "node:worker_threads";
import { emitOnnx } from "../../compiler/emit/onnx/emit.js";
import type { OnnxOptions } from "../../compiler/emit/onnx/options.js";
import { surfaceOf } from "../../compiler/emit/surface.js";
import type { Graph } from "../../compiler/graph/graph.js";
import type { Ort, OrtTensor } from "../../runtime/onnx/ort.js";
import { feedsOf, outputNames, outputsOf, type Feeds } from "../../runtime/onnx/values.js";
import type { Outputs } from "../../runtime/backends/reference/interpret.js";
import type { Given } from "../../runtime/chain/openSteps.js";

/** What the addon reads of a tensor that it is given, and makes of a result. */
export class PlainTensor implements OrtTensor {
  readonly location = "cpu";
  constructor(
    readonly type: string,
    readonly data: unknown,
    readonly dims: readonly number[],
  ) {}
}

interface NativeSession {
  loadModel(path: string, options: object): void;
  loadModel(buffer: ArrayBufferLike, offset: number, length: number, options: object): void;
  run(feeds: Feeds, fetches: Readonly<Record<string, null>>, options: object): Feeds;
  dispose(): void;
}

interface Addon {
  readonly InferenceSession: new () => NativeSession;
  initOrtOnce(logLevel: number, tensor: typeof PlainTensor, isMainThread: boolean): void;
}

const { platform, arch } = process;
const addon = createRequire(import.meta.url)(
  `onnxruntime-node/bin/napi-v6/${platform}/${arch}/onnxruntime_binding.node`,
) as Addon;
/** Warnings. */
const LOG_LEVEL = 2;
addon.initOrtOnce(LOG_LEVEL, PlainTensor, isMainThread);

/** What `createAppendedSampler` needs of the runtime's module. */
export const ORT: Ort = {
  Tensor: PlainTensor,
  InferenceSession: { create: () => Promise.reject(new Error("sessions are opened by `openModel`")) },
};

export interface OpenModel extends Disposable {
  readonly run: (feeds: Feeds, names: readonly string[]) => Feeds;
}

/** Opens a model, or a file of one, on one thread. */
export function openModel(model: Uint8Array | string): OpenModel {
  const session = new addon.InferenceSession();
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  if (typeof model === "string") session.loadModel(model, options);
  else session.loadModel(model.buffer, model.byteOffset, model.byteLength, options);
  return {
    run: (feeds, names) => session.run(feeds, Object.fromEntries(names.map((name) => [name, null])), {}),
    [Symbol.dispose]: () => session.dispose(),
  };
}

interface OpenOnnx extends Disposable {
  /** The outputs of some sequences. */
  readonly run: (given: readonly Given[]) => Outputs[];
}

/** Opens a graph; with `isSymbolic` it is emitted for any vocabulary. */
export function openOnnx(
  graph: Graph,
  vocabSize: number,
  { isSymbolic = false, ...options }: Omit<OnnxOptions, "vocab"> & { readonly isSymbolic?: boolean } = {},
): OpenOnnx {
  const vocab = isSymbolic ? undefined : vocabSize;
  const model = emitOnnx(graph, { ...options, vocab });
  const surface = surfaceOf(graph, vocab);
  const open = openModel(model);
  const names = outputNames(surface);
  return {
    run(given) {
      const results = open.run(feedsOf(ORT, surface, given), names);
      return given.map((_, row) => outputsOf(surface, results, row, given.length));
    },
    [Symbol.dispose]: () => open[Symbol.dispose](),
  };
}
