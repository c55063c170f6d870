/// <reference lib="esnext.disposable" preserve="true" />
/** Evaluates a graph on plain logits, step by step, on any backend. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import { chooseDeviceSync } from "../backends/devices/choose.js";
import { DEVICE_BACKENDS, type DeviceBackend } from "../backends/devices/locate.js";
import { placeGraph, type Split } from "../backends/devices/place.js";
import { invalid, translated } from "../core/errors.js";
import * as is from "../core/check.js";
import * as checks from "../core/sharedOptions.js";
import type { ChainResults } from "../backends/native/binding.js";
import { hasNative, isNativeThere, loadBinding } from "../backends/native/loader.js";
import { columnsOf, varying } from "../sequence/features/feed.js";
import { interpret, type Outputs } from "../backends/reference/interpret.js";
import type { Vector } from "../backends/reference/kernels.js";
import type { UniformValues } from "../sequence/sequence.js";
import {
  checkLogits,
  openSteps,
  STEP_OPTIONS,
  type LogitValues,
  type StepOptions,
  type StepResult,
  type Steps,
} from "./openSteps.js";
import { isWasmThere, loadedWasm, loadWasm } from "../backends/wasm/loader.js";

export type { Candidate } from "./openSteps.js";

export const EVALUATE_BACKENDS = ["auto", "reference", "wasm", ...DEVICE_BACKENDS] as const;
/** What can evaluate a chain on plain logits. */
export type EvaluateBackend = (typeof EVALUATE_BACKENDS)[number];

/** Options for evaluating a chain on plain logits. */
export interface EvaluateOptions extends StepOptions {
  /** `auto`: the first available of `cpu` (the native runtime), `wasm` and `reference`; the result names it. */
  readonly backend?: EvaluateBackend | undefined;
  /**
   * One of the backend's devices, by its index or its name.
   * @default the first
   */
  readonly device?: number | string | undefined;
  /** A chain that the device cannot run as a whole is an error; without this, the rest of it runs on the CPU. */
  readonly strict?: boolean | undefined;
}

/** The result of one step. */
export interface Evaluation extends StepResult {
  readonly backend: Exclude<EvaluateBackend, "auto">;
}

/** Runs a chain on plain logits, token by token. Dispose it with `using` or `dispose()`. */
export interface Evaluator extends Disposable {
  readonly backend: Evaluation["backend"];
  /** Why the chain does not run on its device as a whole; absent if it does. */
  readonly split?: Split | undefined;
  /** Evaluates without accepting the token: the same logits give the same token again. */
  evaluate(logits: LogitValues): Evaluation;
  /**
   * Accepts a token, by default that of the last evaluation: advances draws, states and history. States that are computed from the picked
   * row are those of this token's row.
   * @throws InputError (NOT_A_CANDIDATE) if there are such states and the chain has dropped the token
   */
  accept(token?: number): void;
  /** The present values of the states by name. */
  readonly states: Readonly<Record<string, number>>;
  /**
   * How many of the accepted tokens a grammar was asked about and did not allow: it waits at them.
   * @unit tokens
   */
  readonly disallowedTokens: number;
  /** New values of uniforms, from the next evaluation on. */
  setUniforms(values: UniformValues): void;
  /**
   * The text was taken back to this place because of phrases that begin with these tokens: they are `rejected` in the next evaluation.
   * A program that takes texts back makes a new evaluator, and accepts again what is left.
   */
  reject(tokens: readonly number[]): void;
  /** Frees the native memory; harmless when called twice. */
  dispose(): void;
}

type Run = (logits: Float32Array, uniforms: Float32Array, inputs: readonly Vector[]) => Outputs;

export const EVALUATE: is.Checks<EvaluateOptions> = {
  ...STEP_OPTIONS,
  backend: is.oneOf(...EVALUATE_BACKENDS),
  device: checks.device,
  strict: is.flag,
};
export const checkEvaluateOptions = is.options(EVALUATE);

/** Prepares a graph for a vocabulary. Throws `InputError` for an unavailable backend or invalid uniforms. */
export function createEvaluator(graph: Graph, vocabSize: number, options: EvaluateOptions = {}): Evaluator {
  checkEvaluateOptions(options, "options");
  const steps = openSteps(graph, vocabSize, options);
  const { backend, run, split, dispose: close } = openBackendOf(steps, graph, vocabSize, options);
  const dispose = (): void => {
    steps.close();
    close();
  };
  return {
    backend,
    split,
    evaluate(values) {
      const { logits, uniforms, inputs } = steps.begin(values);
      return { backend, ...steps.end(checked(logits, () => run(logits, uniforms, inputs))) };
    },
    accept: (token) => steps.accept(token),
    get states() {
      return steps.states;
    },
    get disallowedTokens() {
      return steps.disallowedTokens;
    },
    setUniforms: (values) => steps.setUniforms(values),
    reject: (tokens) => steps.reject(tokens),
    dispose,
    [Symbol.dispose]: dispose,
  };
}

function openBackendOf(steps: Steps, graph: Graph, vocabSize: number, options: EvaluateOptions): OpenBackend {
  try {
    return openBackend(graph, vocabSize, options, columnsOf(graph, steps.sequence.features));
  } catch (error) {
    steps.close();
    throw error;
  }
}

/** Runtimes in C++ check logits faster than JavaScript can; an error of theirs is told in the words of this package. */
function checked<T>(logits: Float32Array, run: () => T): T {
  try {
    return run();
  } catch (error) {
    checkLogits(logits);
    throw error;
  }
}

interface OpenBackend {
  readonly backend: Evaluation["backend"];
  readonly run: Run;
  readonly split?: Split | undefined;
  readonly dispose: () => void;
}

type Columns = readonly Float32Array[];

/** A graph on a backend, ready to run. */
export function openBackend(graph: Graph, vocabSize: number, options: EvaluateOptions, columns: Columns): OpenBackend {
  const wanted = options.backend ?? "auto";
  const backend = chosenBackend(wanted);
  if (backend === "reference" || backend === "wasm") {
    if (options.device !== undefined) throw invalid(`the backend \`${backend}\` has no devices to choose from`);
    return backend === "wasm" ? openWasm(graph, vocabSize, columns) : openReference(graph);
  }
  return openDevice(graph, vocabSize, backend, options, columns);
}

function openReference(graph: Graph): OpenBackend {
  const run: Run = (logits, uniforms, inputs) => {
    checkLogits(logits);
    return interpret(graph, [logits, ...inputs], uniforms);
  };
  return { backend: "reference", run, dispose: () => undefined };
}

function openWasm(graph: Graph, vocabSize: number, columns: Columns): OpenBackend {
  const binding = loadedWasm();
  const evaluator = translated(
    () => new binding.Evaluator(new binding.Graph(encodeWire(graph), columns), { vocabSize }),
  );
  const run: Run = (logits, uniforms, inputs) =>
    outputsOf(translated(() => evaluator.evaluate({ logits, uniforms, inputs: varying(graph, inputs) })));
  return { backend: "wasm", run, dispose: () => evaluator.dispose() };
}

const outputsOf = ({ sampled, states = new Float32Array(), ...rows }: ChainResults): Outputs => ({
  ...rows,
  ...(sampled && { sampled: sampled[0]! }),
  states,
});

function openDevice(
  graph: Graph,
  vocabSize: number,
  backend: DeviceBackend,
  options: EvaluateOptions,
  columns: Columns,
): OpenBackend {
  const { device } = chooseDeviceSync({ backend, device: options.device });
  const placed = placeGraph(graph, vocabSize, { device, columns, strict: options.strict });
  const binding = loadBinding();
  const native = translated(
    () => new binding.Evaluator(new binding.Graph(placed.words, columns), { vocabSize, device }),
  );
  const run: Run = (logits, uniforms, vectors) => {
    const inputs = varying(graph, vectors);
    return translated(() => outputsOf(placed.finish(native.evaluate({ logits, uniforms, inputs }), uniforms, inputs)));
  };
  const dispose = (): void => {
    native.dispose();
    placed[Symbol.dispose]();
  };
  return { backend, run, split: placed.split, dispose };
}

const INSTEAD = {
  wasm: "chains run in WebAssembly, which is slower",
  reference: "chains run in the reference interpreter, which is much slower",
};

/** Resolves `auto` to a backend. */
export function chosenBackend(wanted: EvaluateBackend): Evaluation["backend"] {
  if (wanted !== "auto") return wanted;
  const instead = isWasmThere() ? "wasm" : "reference";
  return hasNative(INSTEAD[instead]) ? "cpu" : instead;
}

/**
 * Loads a backend's module. Browsers need this, because they cannot load synchronously; Node.js loads on demand.
 * `auto` tolerates a missing module.
 */
export async function prepareBackend(wanted: EvaluateBackend = "auto"): Promise<void> {
  if (wanted === "wasm") await loadWasm();
  if (wanted === "auto" && !isNativeThere() && !isWasmThere()) await loadWasm().catch(() => undefined);
}
