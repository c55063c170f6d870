/// <reference lib="esnext.disposable" preserve="true" />
/** Evaluates a graph on plain logits in ONNX Runtime, step by step. */
import { refuseTail } from "@ggsl/compiler/emit/emitError.js";
import { SUMS } from "@ggsl/compiler/emit/onnx/options.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import * as is from "../core/check.js";
import { InputError } from "../core/errors.js";
import * as checks from "../core/sharedOptions.js";
import type { Outputs } from "../backends/reference/interpret.js";
import type { UniformValues } from "../sequence/sequence.js";
import {
  checkLogits,
  openSteps,
  STEP_OPTIONS,
  type LogitValues,
  type StepOptions,
  type StepResult,
} from "../chain/openSteps.js";
import { checkOrt } from "./ort.js";
import { openSession, type SessionOptions } from "./session.js";

/** Options for evaluating a chain in ONNX Runtime. */
export interface OnnxEvaluateOptions extends StepOptions, SessionOptions {}

/** Runs a chain on plain logits in ONNX Runtime, token by token. Dispose it with `await using` or `dispose()`. */
export interface OnnxEvaluator extends AsyncDisposable {
  /** Evaluates without accepting the token: the same logits give the same token again. One call at a time. */
  evaluate(logits: LogitValues): Promise<StepResult>;
  /**
   * Accepts a token, by default that of the last evaluation: advances draws, states and history. States that are computed from the picked
   * row are those of this token's row.
   * @throws InputError (NOT_A_CANDIDATE) if there are such states and the chain has dropped the token
   */
  accept(token?: number): void;
  /** The present values of the states by name. */
  readonly states: Readonly<Record<string, number>>;
  /** New values of uniforms, from the next evaluation on. */
  setUniforms(values: UniformValues): void;
  /** Releases the session; harmless when called twice. */
  dispose(): Promise<void>;
}

const OPTIONS: is.Checks<OnnxEvaluateOptions> = {
  ...STEP_OPTIONS,
  ort: checkOrt,
  session: is.someObject,
  sums: is.oneOf(...SUMS),
  opset: is.integer(1),
};
const checkOptions = is.options(OPTIONS);

/**
 * Opens a graph in ONNX Runtime. Throws `EmitError` for a host tail, `OptionError` for an opset that is not supported,
 * `InputError` if ONNX Runtime refuses the model, or for invalid uniforms.
 */
export async function createOnnxEvaluator(
  graph: Graph,
  vocabSize: number,
  options: OnnxEvaluateOptions,
): Promise<OnnxEvaluator> {
  checks.graph(graph, "graph");
  is.integer(1, checks.MAX_VOCAB)(vocabSize, "vocabSize");
  checkOptions(options, "options");
  OPTIONS.ort(options.ort, "ort");
  const { ort, session: settings, sums, opset, ...stepOptions } = options;
  refuseTail(graph, "ONNX");
  const steps = openSteps(graph, vocabSize, stepOptions);
  const session = await openSession(graph, vocabSize, { ort, session: settings, sums, opset });
  let running: Promise<Outputs[]> | undefined;
  let released: Promise<void> | undefined;
  // a session that runs cannot be released
  const release = async (): Promise<void> => {
    await running?.catch(() => undefined);
    await session.release();
  };
  const dispose = (): Promise<void> => {
    steps.close();
    return (released ??= release());
  };
  return {
    async evaluate(values) {
      const given = steps.begin(values);
      if (running) throw new InputError("another evaluation is not done yet: await it first", { code: "BUSY" });
      checkLogits(given.logits);
      try {
        running = session.run([given]);
        const [outputs] = await running;
        return steps.end(outputs!);
      } finally {
        running = undefined;
      }
    },
    accept: (token) => steps.accept(token),
    get states() {
      return steps.states;
    },
    setUniforms: (values) => steps.setUniforms(values),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}
