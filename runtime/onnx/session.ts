/** A graph in an ONNX Runtime session, for any number of sequences at once. */
import { emitOnnx } from "@ggsl/compiler/emit/onnx/emit.js";
import type { OnnxOptions } from "@ggsl/compiler/emit/onnx/options.js";
import { surfaceOf } from "@ggsl/compiler/emit/surface.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { InputError } from "../core/errors.js";
import type { Outputs } from "../backends/reference/interpret.js";
import type { Given } from "../chain/openSteps.js";
import type { Ort, OrtSession } from "./ort.js";
import { feedsOf, outputsOf, type Feeds } from "./values.js";

export interface SessionOptions extends Omit<OnnxOptions, "vocab"> {
  /** ONNX Runtime, as the calling program has imported it. */
  readonly ort: Ort;
  /** Options of `InferenceSession.create`, such as `executionProviders`; by default one thread, which is fastest for most chains. */
  readonly session?: object | undefined;
}

interface OnnxSession {
  /** The outputs of each sequence. */
  run(given: readonly Given[]): Promise<Outputs[]>;
  release(): Promise<void>;
}

/** Emits a graph and opens it. Throws `EmitError` for a host tail, `InputError` if ONNX Runtime refuses the model. */
export async function openSession(graph: Graph, vocabSize: number, options: SessionOptions): Promise<OnnxSession> {
  const { ort, session: settings, ...emitOptions } = options;
  const model = emitOnnx(graph, { ...emitOptions, vocab: vocabSize });
  const surface = surfaceOf(graph, vocabSize);
  const session = await opened(ort, model, { intraOpNumThreads: 1, interOpNumThreads: 1, ...settings });
  return {
    async run(given) {
      const results = await computed(session, feedsOf(ort, surface, given));
      return given.map((_, row) => outputsOf(surface, results, row, given.length));
    },
    release: () => session.release(),
  };
}

async function opened(ort: Ort, model: Uint8Array, settings: object): Promise<OrtSession> {
  try {
    return await ort.InferenceSession.create(model, settings);
  } catch (error) {
    throw new InputError(`ONNX Runtime cannot run the chain: ${(error as Error).message}`, {
      code: "UNSUPPORTED",
      cause: error,
    });
  }
}

async function computed(session: OrtSession, feeds: Feeds): Promise<Feeds> {
  try {
    return await session.run(feeds);
  } catch (error) {
    throw new InputError(`ONNX Runtime failed: ${(error as Error).message}`, { code: "COMPUTE_FAILED", cause: error });
  }
}
