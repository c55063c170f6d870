/**
 * The whole native surface, typed by hand: build/Release/ggsl.node exports one `Binding`.
 *
 * Numbers cross as typed arrays. Several rows (sequences) lie one after another. Whatever fails throws, or rejects with,
 * a `NativeError`: bad input never ends the process.
 */
import type { NativeTailStage, NativeGrammar, NativeTail, Pieces } from "./samplerBinding.js";

export type * from "./samplerBinding.js";

/** `message` says what was expected and found; `code` is for programs. */
export interface NativeError extends Error {
  readonly code: NativeErrorCode;
}

export type NativeErrorCode =
  | "INVALID_GRAPH"
  | "INVALID_ARGUMENT"
  /** A logit is NaN or +inf, or a token outside the vocabulary was sampled. */
  | "INVALID_LOGITS"
  /** A host tail leaves no row. */
  | "NO_CANDIDATE"
  | "INVALID_MODEL"
  | "UNSUPPORTED_OP"
  | "NO_DEVICE"
  | "OUT_OF_MEMORY"
  | "CONTEXT_FULL"
  | "COMPUTE_FAILED"
  | "ABORTED"
  /** A context does one thing at a time. */
  | "BUSY"
  | "DISPOSED";

export interface Binding {
  /** The version of the wire form that the addon reads; see compiler/graph/wire.ts. */
  readonly wireVersion: number;
  readonly llamaVersion: string;
  /** Names of the C++ op table, in the order of their numbers. */
  opNames(): string[];
  /**
   * Loads ggml's backend libraries from a folder; from then on there are devices. Calling it again does nothing. Of the CPU backend
   * it loads the variant that the environment variable GGSL_CPU_VARIANT names, else the best for this processor.
   * INVALID_ARGUMENT for a variant that is not there, or that the processor can not run.
   */
  loadBackends(directory: string): void;
  /**
   * Loads one more backend library; its devices come to those that there are. NO_DEVICE when it does not load. A driver that
   * crashes takes the process with it: see runtime/devices/probe.ts.
   */
  loadBackend(path: string): void;
  devices(): Device[];
  /** The variants of the CPU backend in a folder, the best for this processor first. */
  cpuVariants(directory: string): CpuVariant[];
  /** How ops are built on devices where the op table's way is not right. */
  rewrites(): Rewrite[];
  /** Nodes that the device can not run at this vocabulary size; `inModel`: nor as a part of a model's graph. */
  unsupported(graph: NativeGraph, device: string, vocabSize: number, inModel: boolean): Unsupported[];
  readonly Graph: new (words: Int32Array) => NativeGraph;
  readonly Evaluator: new (graph: NativeGraph, options: EvaluatorOptions) => NativeEvaluator;
  /** Stages that need a vocabulary need the model; it stays in memory as long as the chain. */
  readonly Tail: new (stages: readonly NativeTailStage[], model?: NativeModel) => NativeTail;
  /** `root` is the rule where the grammar begins; default `root`. */
  readonly Grammar: new (model: NativeModel, text: string, root?: string) => NativeGrammar;
  /** Reads a GGUF file. Rejects with INVALID_MODEL or NO_DEVICE. */
  loadModel(path: string, options: ModelOptions): Promise<NativeModel>;
}

/** What works on models of the binding that loaded them, and on no others. */
export type ModelBinding = Pick<Binding, "Graph" | "Grammar" | "Tail">;

/** What drives a device: the rewrites are chosen by it. */
export type DeviceFamily = "cpu" | "cuda" | "vulkan" | "other";

export interface Rewrite {
  readonly name: string;
  readonly op: string;
  /** Empty: on all devices. */
  readonly families: readonly DeviceFamily[];
  readonly reason: string;
  /** The ops that are built. */
  readonly instead: string;
}

export interface Unsupported {
  /** Of the graph; its index in `Graph.nodes`. */
  readonly node: number;
  /** ggml's name of the op that is lacking. */
  readonly op: string;
}

export interface Device {
  /** ggml's name, e.g. `CPU` or `Vulkan0`. */
  readonly name: string;
  /** `cpu`, `cuda`, `vulkan`, ... */
  readonly backend: string;
  readonly description: string;
  readonly type: "cpu" | "gpu" | "integrated-gpu" | "accelerator";
  /** Bytes. */
  readonly memoryFree: number;
  readonly memoryTotal: number;
}

/** The CPU backend, compiled for one set of instructions; variants round differently. */
export interface CpuVariant {
  /** ggml's name, e.g. `haswell`. */
  readonly name: string;
  /** Whether this processor has its instructions. */
  readonly isSupported: boolean;
  readonly isLoaded: boolean;
}

/** A wire graph, decoded and verified (INVALID_GRAPH). Immutable: any number of evaluators and contexts may share it. */
export interface NativeGraph {
  readonly size: {
    readonly uniforms: number;
    readonly inputs: number;
    readonly states: number;
    readonly nodes: number;
  };
}

export interface EvaluatorOptions {
  readonly vocabSize: number;
  /** Sequences evaluated at once; default 1. */
  readonly rows?: number;
  /** A device's name; default `CPU`. UNSUPPORTED_OP when it lacks an op of the graph. */
  readonly device?: string;
  /** CPU threads; default 1, which is fastest for a single row. */
  readonly threads?: number;
  /** Builds the graph as devices of this family need it; default: the device's own. For tests. */
  readonly rewriteFor?: DeviceFamily;
}

/** A graph on plain logits, built once and run many times, synchronously. */
export interface NativeEvaluator {
  /** ggml nodes in the graph, views and reshapes among them. */
  readonly nodes: number;
  readonly nodesWithoutViews: number;
  /** Nodes of the graph that were built by a rewrite, with its name. */
  readonly rewritten: readonly { readonly node: number; readonly name: string }[];
  evaluate(values: EvaluatorValues): ChainResults;
  /** Frees the native memory; harmless when called twice. */
  dispose(): void;
}

export interface EvaluatorValues {
  /** rows x vocabSize. -inf is a token that is no candidate; NaN and +inf are INVALID_LOGITS. */
  readonly logits: Float32Array;
  /** rows x uniforms of the graph, all finite. */
  readonly uniforms: Float32Array;
  /** `Graph.inputs` from index 1 on, rows x dim each; may be left out when there are none. */
  readonly inputs?: readonly InputValues[];
}

/** f32 inputs take numbers other than NaN, i32 inputs token ids, or positions in the table that the graph uses them for. */
export type InputValues = Float32Array | Int32Array;

/** What a chain gives, row after row; a property is absent when the graph lacks that output. */
export interface ChainResults {
  /** The picked token, one a row. */
  readonly sampled?: Int32Array;
  /** Token ids of the k rows of the candidate table. */
  readonly candidates?: Int32Array;
  readonly logits?: Float32Array;
  readonly probs?: Float32Array;
  /** Next values of the states, in the order of `Graph.states`. */
  readonly states?: Float32Array;
  /** Values of the tapped nodes, row after row, in the order of the taps. */
  readonly taps?: readonly InputValues[];
}

export interface ModelOptions {
  /** Layers put on the GPU; default -1, all of them. */
  readonly gpuLayers?: number;
  /** A device's name; default: every GPU there is. */
  readonly device?: string;
}

export interface ModelInfo {
  readonly description: string;
  readonly parameters: number;
  readonly bytes: number;
  /** Tokens of context that the model was trained for. */
  readonly trainedContextSize: number;
  readonly vocabSize: number;
  /** -1 when the vocabulary has no such token. */
  readonly bos: number;
  readonly eos: number;
  /** Whether the model wants `bos` in front of a text. */
  readonly addsBos: boolean;
  /** The GGUF's metadata; arrays are left out. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface NativeModel {
  readonly info: ModelInfo;
  /** `addSpecial`: with the tokens that the model wants around a text; `parseSpecial`: `<s>` in the text is that token. */
  tokenize(text: string, addSpecial: boolean, parseSpecial: boolean): Int32Array;
  /** A token's bytes, not always whole UTF-8 characters; `special`: also those of control tokens. */
  piece(token: number, special: boolean): Uint8Array;
  /**
   * All tokens at once, each as it reads alone, control tokens included: what llama.cpp's DRY compares sequence breakers with.
   * Unlike `piece`, without a blank that the vocabulary puts in front of a text.
   */
  pieces(): Pieces;
  /** Whether the token ends a generation. */
  isEnd(token: number): boolean;
  /** Rejects with UNSUPPORTED_OP when the model's device lacks an op of a chain. */
  createContext(options: ContextOptions): Promise<NativeContext>;
  /** The memory is freed once the model's contexts are gone, too. */
  dispose(): void;
}

export interface ContextOptions {
  /** Tokens over all sequences, rounded up to a multiple of 256; default 0: what the model was trained for. */
  readonly contextSize?: number;
  /** Tokens computed at once; default 512. */
  readonly batchSize?: number;
  /** Sequences, at most 256; default 1. */
  readonly sequences?: number;
  /** CPU threads; default 0: half as many as there are processors. More than are idle make it very slow. */
  readonly threads?: number;
  /** CPU threads where more than one token is computed at once; default 0: as many as `threads`. */
  readonly batchThreads?: number;
  /** Types of the cache, as ggml names them; default `f16`. INVALID_ARGUMENT names those that there are. */
  readonly cacheTypeK?: string;
  /** A quantized one needs flash attention. */
  readonly cacheTypeV?: string;
  /** Default `auto`. */
  readonly flashAttention?: "auto" | "on" | "off";
  /** `graph` (default): chains are part of the model's graph; `host`: they run on the CPU over logits that come back. */
  readonly placement?: "graph" | "host";
  /**
   * Looks at the model's raw logits of every output, and rejects with INVALID_LOGITS when one is NaN or +inf; the tokens are in
   * the sequences then. With `graph` it costs a copy of vocabSize x 4 bytes to the host for each output, counted in
   * `readbackBytes`, and as much device memory for each sequence; `host` looks at the logits of its chains in any case.
   * Default false.
   */
  readonly checkLogits?: boolean;
  /** The chain of each sequence. Equal chains share one subgraph, which computes all sequences' rows at once. */
  readonly chains?: readonly (NativeGraph | null)[];
}

/** The memory of some sequences. One thing at a time: while `decode` runs, all but `abort` and `dispose` throw BUSY. */
export interface NativeContext {
  /** Tokens that one sequence can hold. */
  readonly contextSize: number;
  /**
   * Computes tokens on another thread and gives an output for each that wants one, in the batch's order. Longer batches
   * than `batchSize` are split. A sequence with a chain samples once a batch; its uniforms and inputs must be set.
   *
   * Rejects with INVALID_ARGUMENT, CONTEXT_FULL, BUSY or INVALID_LOGITS; with ABORTED or COMPUTE_FAILED, after which the
   * batch's sequences are empty and the context is usable.
   */
  decode(batch: Batch): Promise<DecodeOutput[]>;
  /** Gives a sequence a chain, or takes it away. The next decode builds the model's graph again, which takes time. */
  setChain(sequence: number, graph: NativeGraph | null): void;
  /** The chain's uniforms; they stay until set again. */
  setUniforms(sequence: number, values: Float32Array): void;
  /** An input of the chain, by its index in `Graph.inputs` (from 1 on); it stays until set again. */
  setInput(sequence: number, input: number, values: InputValues): void;
  /** Forgets a sequence's tokens from position `from` (default 0) on. */
  remove(sequence: number, from?: number): void;
  /** Makes `to` a copy of `from`'s tokens, sharing their memory. */
  copy(from: number, to: number): void;
  /** Makes a running decode reject with ABORTED soon (a GPU finishes its batch first). Otherwise does nothing. */
  abort(): void;
  stats(): ContextStats;
  /**
   * Every node of the model's graph, chains included, as of the latest decode: the bytes that ggml's CUDA backend compares to
   * see whether it can replay what it has recorded. Only the addon has it.
   */
  graphNodes?(): { readonly name: string; readonly bytes: Uint8Array }[];
  /** Aborts a running decode, frees the memory; harmless when called twice. */
  dispose(): void;
}

/** Four arrays of one length, an entry a token. */
export interface Batch {
  readonly tokens: Int32Array;
  /** Positions within the token's sequence; they continue what the sequence holds. */
  readonly positions: Int32Array;
  readonly sequences: Int32Array;
  /** 1 where an output is wanted, else 0. */
  readonly outputs: Uint8Array;
}

/** Without a chain, `logits` are the model's raw ones and nothing else is there. */
export interface DecodeOutput extends ChainResults {
  readonly sequence: number;
}

export interface ContextStats {
  /** Builds of the model's graph, with chains in it, while decoding; constant in steady generation. */
  readonly graphBuilds: number;
  /** The same while llama.cpp measures the worst case of a new context. */
  readonly reserveBuilds: number;
  /** Trial builds of a chain at llama.cpp's probe size, one for each chain. */
  readonly probeBuilds: number;
  /** Uploads of uniforms and inputs: one a token for all sequences with the same chain. */
  readonly setInputs: number;
  /** ggml nodes of all chains in the latest build, views and reshapes among them; sequences with the same chain share them. */
  readonly nodes: number;
  readonly nodesWithoutViews: number;
  /** Bytes copied to the host when every sequence with a chain gives one output. */
  readonly readbackBytes: number;
  /**
   * Bytes of device memory for each sequence: its row of logits, uniforms, inputs and results, and what is needed to compute
   * them; of the chain that takes most. 0 on the host.
   */
  readonly sequenceBytes: number;
  /** Bytes of the cache of keys and values of all sequences, on all devices. */
  readonly cacheBytes: number;
  readonly threads: number;
  readonly batchThreads: number;
  /** Names of the devices where the chains' nodes ran; empty before the first output. */
  readonly devices: readonly string[];
}
