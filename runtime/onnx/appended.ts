/// <reference lib="esnext.disposable" preserve="true" />
/** One sequence of a model that has a chain at its end: what the chain is given for each token, and what it gave. */
import { refuseTail } from "@ggsl/compiler/emit/emitError.js";
import { appendedSurfaceOf } from "@ggsl/compiler/emit/surface.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import * as is from "../core/check.js";
import { invalid } from "../core/errors.js";
import * as checks from "../core/sharedOptions.js";
import type { UniformValues } from "../sequence/sequence.js";
import { openSteps, STEP_OPTIONS, type StepOptions, type StepResult } from "../chain/openSteps.js";
import { checkOrt, type Ort, type OrtTensor } from "./ort.js";
import { feedsBesideLogits, outputNames, outputsOf, type Feeds } from "./values.js";

export interface AppendedSamplerOptions<Tensor extends OrtTensor = OrtTensor> extends StepOptions {
  /** ONNX Runtime, as the calling program has imported it. */
  readonly ort: Ort<Tensor>;
}

/** Goes from token to token beside the calling program's own session. */
export interface AppendedSampler<Tensor extends OrtTensor = OrtTensor> extends Disposable {
  /** The chain's inputs for the next token, with a batch of 1; `session.run` takes them together with the model's own. */
  feeds(): Readonly<Record<string, Tensor>>;
  /** The names of the chain's outputs, to be fetched by `session.run`. */
  readonly outputs: readonly string[];
  /** Reads what a run gave for the chain; the tensors must be in the memory of this process. */
  read(results: Feeds): StepResult;
  /**
   * Accepts a token, by default that of the last run: advances draws, states and history.
   * @throws InputError (NOT_A_CANDIDATE) for another token if states are computed from the picked row: the logits are not here
   */
  accept(token?: number): void;
  /** The present values of the states by name. */
  readonly states: Readonly<Record<string, number>>;
  /** New values of uniforms, from the next token on. */
  setUniforms(values: UniformValues): void;
  /** Refuses further calls. */
  dispose(): void;
}

const OPTIONS: is.Checks<AppendedSamplerOptions> = { ...STEP_OPTIONS, ort: checkOrt };
const checkOptions = is.options(OPTIONS);

/**
 * Opens a sequence for a model that `appendOnnx` gave.
 * @param graph the one that was appended
 * @param vocabSize of the model
 * @throws EmitError for a host tail, InputError for invalid options
 */
export function createAppendedSampler<Tensor extends OrtTensor>(
  graph: Graph,
  vocabSize: number,
  options: AppendedSamplerOptions<Tensor>,
): AppendedSampler<Tensor> {
  checks.graph(graph, "graph");
  is.integer(1, checks.MAX_VOCAB)(vocabSize, "vocabSize");
  checkOptions(options, "options");
  OPTIONS.ort(options.ort, "ort");
  refuseTail(graph, "ONNX");
  const { ort, ...stepOptions } = options;
  const steps = openSteps(graph, vocabSize, stepOptions);
  const surface = appendedSurfaceOf(graph, vocabSize);
  const outputs = outputNames(surface);
  return {
    feeds: () => feedsBesideLogits(ort, surface, [steps.beginWithoutLogits()]),
    outputs,
    read(results) {
      const missing = outputs.find((name) => results[name] === undefined);
      if (missing !== undefined)
        throw invalid(
          `expected the output \`${missing}\` among the results, which is missing: fetch all of \`outputs\`, from the model with this chain`,
        );
      return steps.end(outputsOf(surface, results, 0, 1));
    },
    accept: (token) => steps.accept(token),
    get states() {
      return steps.states;
    },
    setUniforms: (values) => steps.setUniforms(values),
    dispose: () => steps.close(),
    [Symbol.dispose]: () => steps.close(),
  };
}
