/** Evaluates a graph on plain logits, step by step, on any backend. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { bindDim, encodeWire } from "@ggsl/compiler/graph/wire.js";
import { chooseDeviceSync } from "./devices/choose.js";
import { DEVICE_BACKENDS, type DeviceBackend } from "./devices/locate.js";
import { placeGraph, type Split } from "./devices/place.js";
import { InputError, translated } from "./errors.js";
import * as is from "./check.js";
import * as checks from "./optionChecks.js";
import type { ChainResults } from "./native/binding.js";
import { isNativeThere, loadBinding } from "./native/loader.js";
import { columnsOf, varying, type Feed } from "./features/feed.js";
import { textsOf, vocabularyFrom } from "./features/vocabulary.js";
import { interpret, type Outputs } from "./reference/interpret.js";
import type { Vector } from "./reference/kernels.js";
import { openTail } from "./tail.js";
import { isWasmThere, loadedWasm, loadWasm } from "./wasm/loader.js";
import {
  acceptPrompt,
  acceptToken,
  featureInputs,
  measuresOf,
  startSequence,
  statesOf,
  uniformsOf,
  withUniforms,
  type SequenceState,
  type UniformValues,
} from "./sequence.js";

export const EVALUATE_BACKENDS = ["auto", "reference", "wasm", ...DEVICE_BACKENDS] as const;
export type EvaluateBackend = (typeof EVALUATE_BACKENDS)[number];

/** Options for evaluating a chain on plain logits. */
export interface EvaluateOptions {
  /** `auto`: the first available of `cpu` (the native runtime), `wasm` and `reference`; the result names it. */
  readonly backend?: EvaluateBackend;
  /** One of the backend's devices, by its index or its name; default: the first. */
  readonly device?: number | string | undefined;
  /** A chain that the device cannot run as a whole is an error; without this, the rest of it runs on the CPU. */
  readonly strict?: boolean | undefined;
  readonly uniforms?: UniformValues | undefined;
  /** Draws in [0, 1], one per step, that replace the chain's own. */
  readonly draws?: readonly number[] | undefined;
  /** Tokens before the first picked one, for chains that read the text so far. */
  readonly history?: readonly number[] | undefined;
  /** Logit biases, and the columns that the chain declares with `input`. */
  readonly feed?: Feed | undefined;
}

/** A remaining row: the token's id, its logit, and its probability among the remaining rows. */
export interface Candidate {
  readonly token: number;
  readonly logit: number;
  readonly prob: number;
}

/** The result of one step. */
export interface Evaluation {
  readonly backend: Exclude<EvaluateBackend, "auto">;
  /** The picked token; null if the chain picks none. */
  readonly token: number | null;
  /** The remaining rows in table order; their probabilities sum to 1. */
  readonly candidates: readonly Candidate[];
  /** The values of the chain's measures by name; absent if it has none. */
  readonly measures?: Readonly<Record<string, number>>;
}

/** Runs a chain on plain logits, token by token. Dispose it with `using` or `dispose()`. */
export interface Evaluator extends Disposable {
  readonly backend: Evaluation["backend"];
  /** Why the chain does not run on its device as a whole; absent if it does. */
  readonly split?: Split | undefined;
  /** Evaluates without accepting the token: the same logits give the same token again. */
  evaluate(logits: Float32Array | readonly number[]): Evaluation;
  /** Accepts a token, by default that of the last evaluation: advances draws, states and history. */
  accept(token?: number): void;
  /** The present values of the states by name. */
  readonly states: Readonly<Record<string, number>>;
  /** New values of uniforms, from the next evaluation on. */
  setUniforms(values: UniformValues): void;
  /** Frees the native memory; harmless when called twice. */
  dispose(): void;
}

type Run = (logits: Float32Array, uniforms: Float32Array, inputs: readonly Vector[]) => Outputs;

const OPTIONS: is.Checks<EvaluateOptions> = {
  backend: is.oneOf(...EVALUATE_BACKENDS),
  device: checks.device,
  strict: is.flag,
  uniforms: checks.uniformValues,
  draws: is.listOf(
    "a list of numbers",
    is.that("a number in [0, 1]", (x) => typeof x === "number" && x >= 0 && x <= 1),
  ),
  history: checks.tokenList(),
  feed: checks.feed,
};
export const checkEvaluateOptions = is.options(OPTIONS);

/** Prepares a graph for a vocabulary. Throws `InputError` for an unavailable backend or invalid uniforms. */
export function createEvaluator(graph: Graph, vocabSize: number, options: EvaluateOptions = {}): Evaluator {
  checks.graph(graph, "graph");
  if (vocabSize === 0) throw new InputError("expected a logit for each token of the vocabulary, found none");
  is.integer(1, checks.MAX_VOCAB)(vocabSize, "vocabSize");
  checkEvaluateOptions(options, "options");
  const { history = [] } = options;
  checks.tokenList(vocabSize - 1)(history, "history");
  checkSize(graph, vocabSize);
  checkVocabulary(options.feed, vocabSize);
  let sequence: SequenceState = acceptPrompt(startSequence(graph, vocabSize, options), history);
  const {
    backend,
    run,
    split,
    dispose: close,
  } = openBackend(graph, vocabSize, options, columnsOf(graph, sequence.features));
  const tail = openTail(graph.tail, sequence.params);
  tail?.acceptPrompt(history);
  let isDisposed = false;
  const dispose = (): void => {
    isDisposed = true;
    close();
    tail?.[Symbol.dispose]();
  };
  const checkOpen = (): void => {
    if (isDisposed) throw new InputError("this evaluator is disposed", { code: "DISPOSED" });
  };
  let latest: Outputs | undefined;
  let picked: number | undefined;
  return {
    backend,
    split,
    evaluate(values) {
      checkOpen();
      const logits = checkLogits(values, vocabSize);
      const outputs = run(logits, uniformsOf(sequence), featureInputs(sequence));
      checkTokens(outputs, vocabSize);
      latest = outputs;
      picked = outputs.sampled;
      const measured = measuresOf(graph, outputs.states);
      if (!tail) return { backend, token: outputs.sampled ?? null, candidates: rowsOf(outputs), ...measured };
      const rows = tail.apply({ candidates: outputs.candidates, logits: outputs.logits });
      picked = rows.selected < 0 ? undefined : rows.selected;
      return { backend, token: picked ?? null, candidates: rowsOf({ ...rows, candidates: rows.tokens }), ...measured };
    },
    accept(token = picked) {
      checkOpen();
      if (token !== undefined) is.integer(0, vocabSize - 1)(token, "token");
      if (!latest || token === undefined) throw new InputError("there is no token to accept");
      const next = acceptToken(sequence, token, latest.states);
      tail?.accept(token); // may refuse the token
      sequence = next;
      latest = undefined;
    },
    get states() {
      return statesOf(sequence);
    },
    setUniforms(values) {
      checks.uniformValues(values, "values");
      sequence = withUniforms(sequence, values);
    },
    dispose,
    [Symbol.dispose]: dispose,
  };
}

export interface OpenBackend {
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
    if (options.device !== undefined) throw new InputError(`the backend \`${backend}\` has no devices to choose from`);
    return backend === "wasm" ? openWasm(graph, vocabSize, columns) : openReference(graph);
  }
  return openDevice(graph, vocabSize, backend, options, columns);
}

function openReference(graph: Graph): OpenBackend {
  const run: Run = (logits, uniforms, inputs) => interpret(graph, [logits, ...inputs], uniforms);
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

/** Resolves `auto` to a backend. */
export function chosenBackend(wanted: EvaluateBackend): Evaluation["backend"] {
  if (wanted !== "auto") return wanted;
  if (isNativeThere()) return "cpu";
  return isWasmThere() ? "wasm" : "reference";
}

/**
 * Loads a backend's module. Browsers need this, because they cannot load synchronously; Node.js loads on demand.
 * `auto` tolerates a missing module.
 */
export async function prepareBackend(wanted: EvaluateBackend = "auto"): Promise<void> {
  if (wanted === "wasm") await loadWasm();
  if (wanted === "auto" && !isNativeThere() && !isWasmThere()) await loadWasm().catch(() => undefined);
}

function checkLogits(values: Float32Array | readonly number[], vocabSize: number): Float32Array {
  checks.logitList(values, "logits");
  if (values.length !== vocabSize)
    throw new InputError(`expected ${vocabSize} logits, one for each token of the vocabulary, found ${values.length}`);
  const logits = Float32Array.from(values);
  const bad = logits.findIndex((x) => Number.isNaN(x) || x === Infinity);
  if (bad >= 0) throw new InputError(`the logit of token ${bad} is ${logits[bad]}; expected a finite number or -inf`);
  if (logits.every((x) => x === -Infinity)) throw new InputError("every logit is -inf, so there is no candidate");
  return logits;
}

/** The most numbers that a graph may need at once: 2 GiB. The reference interpreter keeps all intermediate results. */
const MAX_NUMBERS = 2 ** 29;

function checkSize({ nodes, name }: Graph, vocabSize: number): void {
  const numbers = nodes.reduce((sum, { dim }) => sum + bindDim(dim, vocabSize), 0);
  if (numbers > MAX_NUMBERS)
    throw new InputError(
      `the chain \`${name}\` needs ${numbers} numbers for a vocabulary of ${vocabSize}; at most ${MAX_NUMBERS} are allowed`,
    );
}

function checkVocabulary({ vocabulary }: Feed = {}, vocabSize: number): void {
  const { length } = vocabulary ? textsOf(vocabularyFrom(vocabulary)) : { length: vocabSize };
  if (length < vocabSize)
    throw new InputError(
      `the vocabulary has the texts of ${length} tokens, expected at least ${vocabSize}, one for each logit`,
    );
}

/** A graph that does not come from the compiler can compute any number as a token. */
function checkTokens({ sampled, candidates }: Outputs, vocabSize: number): void {
  const isToken = (token: number): boolean => token >= 0 && token < vocabSize;
  const stray = sampled !== undefined && !isToken(sampled) ? sampled : candidates?.find((token) => !isToken(token));
  if (stray !== undefined)
    throw new InputError(`the graph returned ${stray}, which is not a token of a vocabulary of ${vocabSize}`);
}

function rowsOf({ candidates, logits, probs }: Pick<Outputs, "candidates" | "logits" | "probs">): Candidate[] {
  if (!logits || !probs) return [];
  const rows = Array.from(logits, (logit, i) => ({ token: candidates?.[i] ?? i, logit, prob: probs[i]! }));
  return rows.filter(({ logit }) => logit !== -Infinity);
}
