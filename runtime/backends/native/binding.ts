/**
 * The types of the native addon, written by hand: ggsl.node exports one `Binding`.
 *
 * Numbers are passed as typed arrays; several rows (sequences) are contiguous. Every failure throws, or rejects with, a
 * `NativeError`: bad input never ends the process.
 */
import type { NativeErrorCode } from "../../core/codes.js";
import type { AnyAutomatonBinding, ThreadedAutomatonBinding } from "./automatonBinding.js";
import type { CpuVariant, Device, DeviceFamily, Rewrite, Unsupported, WorkerOptions } from "./deviceBinding.js";
import type { Ahead, NativeChain, NativeText, OnTokens, TextOptions } from "./textBinding.js";
import type { NativeTailStage, NativeTail, Pieces } from "./samplerBinding.js";

export type { NativeErrorCode } from "../../core/codes.js";
export type * from "./deviceBinding.js";
export type * from "./samplerBinding.js";
export type * from "./textBinding.js";

/** `message` says what was expected and found; `code` is for programs. */
export interface NativeError extends Error {
  readonly code: NativeErrorCode;
}

export interface Binding extends ThreadedAutomatonBinding, TextBinding {
  /** The version of the wire form that the addon reads; see compiler/graph/wire.ts. */
  readonly wireVersion: number;
  readonly llamaVersion: string;
  /** The folder of llama.cpp's libraries, which the addon was linked with; it also contains ggml's backends for the CPU. */
  readonly libraries: string;
  /** Op names of the C++ op table, in order. */
  opNames(): string[];
  /**
   * Loads ggml's backend libraries, and with them the devices, from a folder. Calling it again does nothing. The environment
   * variable GGSL_CPU_VARIANT chooses the variant of the CPU backend; default: the best for this processor.
   * INVALID_ARGUMENT for a variant that does not exist, or that the processor cannot run.
   */
  loadBackends(directory: string): void;
  /**
   * Loads another backend library and adds its devices. NO_DEVICE if it does not load. A driver that crashes ends the process:
   * see runtime/backends/devices/probe.ts.
   */
  loadBackend(path: string): void;
  devices(): Device[];
  /** The variants of the CPU backend in a folder, the best for this processor first. */
  cpuVariants(directory: string): CpuVariant[];
  /** How ops are built on devices where the op table's form is missing or wrong. */
  rewrites(): Rewrite[];
  /**
   * Nodes that the device cannot run at this vocabulary size; with `inModel`, as part of a model's graph. `kind`: it is a device of
   * another machine, of this kind, and need not be known here.
   */
  unsupported(
    graph: NativeGraph,
    device: string,
    vocabSize: number,
    inModel: boolean,
    kind?: DeviceFamily,
  ): Unsupported[];
  /** `columns`: one for each constant input, in their order; without them a graph can only be examined. */
  readonly Graph: new (words: Int32Array, columns?: readonly Float32Array[]) => NativeGraph;
  readonly Evaluator: new (graph: NativeGraph, options: EvaluatorOptions) => NativeEvaluator;
  /** Stages that need a vocabulary need the model; it stays in memory as long as the chain. */
  readonly Tail: new (stages: readonly NativeTailStage[], model?: NativeModel) => NativeTail;
  /** Reads a GGUF file. Rejects with INVALID_MODEL, NO_DEVICE or ABORTED. */
  loadModel(path: string, options: ModelOptions): Promise<NativeModel>;
  /**
   * Connects to a worker at `HOST:PORT` by ggml's RPC backend, and adds its devices, all of one kind; returns their names. A worker that
   * does not answer as the protocol says, now or later, ends the process: only for a process of its own.
   */
  addWorker(library: string, endpoint: string, kind: DeviceFamily): string[];
  /** Lends devices to other machines, until the process ends. Resolves if it cannot listen. */
  runWorker(options: WorkerOptions): Promise<void>;
}

/** What writes texts on by itself. */
interface TextBinding {
  /**
   * @param spec the text of a spec file
   * Throws INVALID_SPEC, INVALID_ARGUMENT.
   */
  readonly Chain: new (model: NativeModel, spec: string) => NativeChain;
  /**
   * @param saved a saved sequence of the chain as JSON, without its grammars and their tokens
   * Throws INVALID_ARGUMENT, LIMIT_EXCEEDED.
   */
  readonly Text: new (chain: NativeChain, saved: string, options: TextOptions) => NativeText;
}

/** The classes that work only with models of the same binding. */
export type ModelBinding = Pick<Binding, "Graph" | "Tail"> & AnyAutomatonBinding & Partial<TextBinding>;

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
  /** Applies the rewrites of this family; default: the device's own. For tests. */
  readonly rewriteFor?: DeviceFamily;
  /** False: the CPU computes each op for itself, as other devices do, instead of wide columns in one pass. For tests, and for counting nodes. */
  readonly fuse?: boolean;
  /** Whether the CPU computes small ops in bundles, each on one thread; default: as `fuse`. For tests. */
  readonly bundles?: boolean;
}

/** A graph on plain logits, built once and run many times, synchronously. */
export interface NativeEvaluator {
  /** ggml nodes in the graph, including views and reshapes. */
  readonly nodes: number;
  readonly nodesWithoutViews: number;
  /** Nodes of the graph that a rewrite built, with its name. */
  readonly rewritten: readonly { readonly node: number; readonly name: string }[];
  evaluate(values: EvaluatorValues): ChainResults;
  /** Frees the native memory; harmless when called twice. */
  dispose(): void;
}

export interface EvaluatorValues {
  /** rows x vocabSize. -inf marks a token that is not a candidate; NaN and +inf are INVALID_LOGITS. */
  readonly logits: Float32Array;
  /** rows x uniforms of the graph, all finite. */
  readonly uniforms: Float32Array;
  /** `Graph.inputs` from index 1 on, rows x dim each; may be omitted if there are none. Those of constant inputs are not read. */
  readonly inputs?: readonly InputValues[];
}

/** f32 inputs take any numbers except NaN; i32 inputs take token ids, or indices into the table that the graph uses them for. */
export type InputValues = Float32Array | Int32Array;

/** The results of a chain, row by row; a property is absent if the graph lacks that output. */
export interface ChainResults {
  /** The picked token of each row. */
  readonly sampled?: Int32Array;
  /** Token ids of the k rows of the candidate table. */
  readonly candidates?: Int32Array;
  readonly logits?: Float32Array;
  readonly probs?: Float32Array;
  /** Next values of the states, the measures, the stops, in the graph's order. */
  readonly states?: Float32Array;
  /** Values of the tapped nodes, row by row, in the order of the taps. */
  readonly taps?: readonly InputValues[];
}

export interface ModelOptions {
  /** Layers on the GPU; default -1, all of them. */
  readonly gpuLayers?: number;
  /** Names of devices, in the order of the layers; default: all GPUs. */
  readonly devices?: readonly string[];
  /** The devices' parts of the layers, in any unit; default: by their free memory. */
  readonly split?: Float32Array;
  /** Without the weights: it tokenizes, and has no contexts. Also for files without weights. Default false. */
  readonly vocabOnly?: boolean;
  /** Called with the part that is loaded, from 0 to 1; it must not throw. It may be called once more after the promise settles. */
  readonly onProgress?: (fraction: number) => void;
  /** Called before the load starts, with a function that makes it reject with ABORTED soon. */
  readonly onStart?: (abort: () => void) => void;
}

/** What a model file says about its model. */
export interface ModelInfo {
  readonly description: string;
  readonly parameters: number;
  readonly bytes: number;
  /** Tokens of context that the model was trained for. */
  readonly trainedContextSize: number;
  readonly vocabSize: number;
  /** -1 if the vocabulary has no such token. */
  readonly bos: number;
  readonly eos: number;
  /** Whether tokenizing puts `bos` before a text. */
  readonly addsBos: boolean;
  /** Recurrent models, and those with recurrent layers: tokens cannot be removed from the end of a sequence. */
  readonly isRecurrent: boolean;
  /** ggml's name of the device with the output layer, where chains run; empty without weights. */
  readonly outputDevice: string;
  /** The GGUF file's metadata without arrays. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface NativeModel {
  readonly info: ModelInfo;
  /** `addSpecial`: add the model's special tokens around the text; `parseSpecial`: parse `<s>` in the text as that token. */
  tokenize(text: string, addSpecial: boolean, parseSpecial: boolean): Int32Array;
  /**
   * The same on another thread: a long text keeps short ones waiting neither here nor there. `mostTokens`: how many the caller can
   * use, 0 for any number. Rejects with LIMIT_EXCEEDED as `tokenize` throws it, and with CONTEXT_FULL for a text that has too many
   * bytes for them.
   */
  tokenizeLater(text: string, addSpecial: boolean, parseSpecial: boolean, mostTokens?: number): Promise<Int32Array>;
  /** A token's bytes, not always whole UTF-8 characters; `special`: also of control tokens. */
  piece(token: number, special: boolean): Uint8Array;
  /**
   * The bytes of all tokens, including control tokens, each detokenized alone: what llama.cpp's DRY compares sequence breakers
   * with. Unlike `piece`, without a space that the vocabulary puts before a text.
   */
  pieces(): Pieces;
  /** The bytes that each token adds to a text, control tokens with theirs. */
  texts(): Pieces;
  /** For each token: 1 for a control token, plus 2 for one that ends a generation. */
  classes(): Uint8Array;
  /** Whether the token ends a generation. */
  isEnd(token: number): boolean;
  /** Rejects with UNSUPPORTED_OP when the model's device lacks an op of a chain. */
  createContext(options: ContextOptions): Promise<NativeContext>;
  /** The memory is freed once the model's contexts are also freed. */
  dispose(): void;
}

export interface ContextOptions {
  /** Tokens over all sequences, rounded up to a multiple of 256 for each cache; default 0: the model's training context. */
  readonly contextSize?: number;
  /** Tokens computed at once; default 512. */
  readonly batchSize?: number;
  /** Sequences, at most 256; default 1. */
  readonly sequences?: number;
  /** The most outputs of a sequence that one graph can have; default 1. */
  readonly rows?: number;
  /** The outputs of all sequences together; default: `rows` of one sequence, and one of each other. */
  readonly outputs?: number;
  /** CPU threads; default 0: half the number of processors. More threads than idle processors are very slow. */
  readonly threads?: number;
  /** CPU threads for batches of more than one token; default 0: the same as `threads`. */
  readonly batchThreads?: number;
  /** Types of the cache, by ggml's names; default `f16`. INVALID_ARGUMENT lists the valid ones. */
  readonly cacheTypeK?: string;
  /** A quantized one needs flash attention. */
  readonly cacheTypeV?: string;
  /**
   * `auto` (default): a cache for each sequence, but one for all where the model needs it, from the first guide on, and of few sequences from the second row on;
   * `shared`: one for all.
   */
  readonly cache?: "auto" | "shared";
  /** Default `auto`. */
  readonly flashAttention?: "auto" | "on" | "off";
  /** Default true. */
  readonly bundles?: boolean;
  /** `graph` (default): chains are part of the model's graph; `host`: they run on the CPU on logits that are read back. */
  readonly placement?: "graph" | "host";
  /**
   * Checks the model's raw logits of every output, and rejects with INVALID_LOGITS if one is NaN or +inf; the sequences then
   * still contain the tokens. With `graph` it costs a readback of vocabSize x 4 bytes per output, counted in `readbackBytes`; `host` always checks the logits of its chains.
   * Default false.
   */
  readonly checkLogits?: boolean;
  /** The chain of each sequence. Equal chains share one subgraph, which computes all sequences' rows at once. */
  readonly chains?: readonly (NativeGraph | null)[];
  /** For each sequence of `chains` 1 if it is a guide, as in `setChain`; default: none is. */
  readonly guides?: Uint8Array;
}

/** The memory of several sequences. While `decode` runs, everything except `abort`, `stats` and `dispose` throws BUSY. */
export interface NativeContext {
  /** Tokens that all sequences can hold. */
  readonly contextSize: number;
  /**
   * Decodes tokens on another thread and returns the requested outputs in the batch's order. Batches longer than `batchSize`
   * are split, and so are those with more outputs than one graph can have (`rows`); with a cache for each sequence, also those of
   * sequences with different numbers of tokens. The outputs of a sequence with a chain are its
   * rows, counted from 0; the uniforms and inputs of each must be set.
   *
   * Rejects with INVALID_ARGUMENT, CONTEXT_FULL, BUSY or INVALID_LOGITS; with ABORTED or COMPUTE_FAILED, after which the
   * batch's sequences are empty and the context is usable.
   */
  decode(batch: Batch): Promise<DecodeOutput[]>;
  /**
   * Decodes a batch as `decode` does, with the last tokens that `ahead` has of its texts, then one with the tokens that their chains picked, and
   * so on, until each text has as many tokens as it may have, or one that ends it, or cannot go on by itself, or `pause` was called. Tokens that are the
   * only ones that may come are read with the next. The texts have accepted what `onTokens` gets of each batch. Resolves to the outputs of
   * the first batch that are of no text. Rejects as `decode`, after `onTokens` of the batches before. Only in the addon.
   */
  write?(batch: Batch, ahead: Ahead, onTokens: OnTokens): Promise<DecodeOutput[]>;
  /** Makes a running `write` resolve after its present batch. Otherwise does nothing. Only in the addon. */
  pause?(): void;
  /** Lets the texts of a running `write` have so many tokens more, as far as they have room. Otherwise does nothing. Only in the addon. */
  allow?(more: number): void;
  /**
   * Sets or removes the chain of a sequence. The next decode rebuilds the model's graph, which takes time. A guide has a chain
   * only so that chains equal to it can read its logits: it gives no results, and needs no uniforms and inputs.
   */
  setChain(sequence: number, graph: NativeGraph | null, isGuide?: boolean): void;
  /**
   * Input `input` of a sequence's chain, the logits of another sequence, is the logits of the guide `guide`, which has an equal
   * chain. Each batch with an output for the sequence needs one for its guides. INVALID_ARGUMENT for a model that computes one
   * sequence at a time.
   */
  setGuide(sequence: number, input: number, guide: number): void;
  /** Sets the chain's uniforms of a row (default 0); they are kept until set again. */
  setUniforms(sequence: number, values: Float32Array, row?: number): void;
  /**
   * Sets an input of the chain that is not constant, by its index in `Graph.inputs` (from 1 on), of a row (default 0); it is kept
   * until set again.
   */
  setInput(sequence: number, input: number, values: InputValues, row?: number): void;
  /** Sets the uniforms and inputs for the next token of a text. Only in the addon. */
  setText?(sequence: number, text: NativeText): void;
  /**
   * More rows and outputs, as in `ContextOptions`; fewer than before change nothing. It makes a new context of llama.cpp, which
   * takes time; the sequences keep their tokens.
   */
  setRows(rows: number, outputs: number): void;
  /** Removes a sequence's tokens from position `from` (default 0) on. */
  remove(sequence: number, from?: number): void;
  /** Makes `to` a copy of `from`'s tokens, sharing their memory where there is one cache for all. */
  copy(from: number, to: number): void;
  /**
   * Exchanges the tokens of two sequences; their chains stay. Throws COMPUTE_FAILED, after which both may be empty. Only in the addon.
   */
  swap?(a: number, b: number): void;
  /** Whether batches may have `followers`. Only in the addon, also of another process. */
  readonly hasFollowers?: boolean;
  /** Whether each sequence has a cache of its own now. Only in the addon. */
  readonly hasOwnCaches?: boolean;
  /**
   * Whether a sequence can go on after its first `count` tokens once the others are removed: all of them can always be kept, a part
   * not by recurrent models, nor where a layer's sliding window has left what the tokens before `count` attend to.
   */
  canKeep(sequence: number, count: number): boolean;
  /** For each sequence how many tokens it holds, and the least number, besides 0, that `canKeep` holds for. Only in the addon. */
  extents?(): Int32Array;
  /** Makes a running decode reject with ABORTED soon (a GPU finishes its batch first). Otherwise does nothing. */
  abort(): void;
  /** While `decode` runs, those before it. */
  stats(): ContextStats;
  /**
   * Every node of the model's graph, including chains, as of the latest decode: the bytes that ggml's CUDA backend compares to
   * decide whether it can replay a captured CUDA graph. Only in the addon.
   */
  graphNodes?(): { readonly name: string; readonly bytes: Uint8Array }[];
  /** Aborts a running decode and frees the memory; harmless when called twice. */
  dispose(): void;
}

/** Four arrays of equal length with one entry per token, and sequences without tokens. */
export interface Batch {
  readonly tokens: Int32Array;
  /** Positions within the token's sequence; they continue the sequence. */
  readonly positions: Int32Array;
  readonly sequences: Int32Array;
  /** 1 where an output is wanted, 2 where the model's own logits are wanted with it, else 0. */
  readonly outputs: Uint8Array;
  /**
   * Pairs: a sequence without a token, and one of the batch with the same text, its source, which has one output, after its last token. The chain
   * of the first gets the logits of that, as if its text had been read, and then it holds a copy of the source's tokens; one that holds as many
   * keeps its own. Their chains have no guides. Where `hasFollowers`.
   */
  readonly followers?: Int32Array;
}

/** Without a chain, only `logits` are present, the model's raw ones. */
export interface DecodeOutput extends ChainResults {
  readonly sequence: number;
  /** The model's own logits beside a chain's results, where the batch asks for them. Reading them needs no other graph. */
  readonly raw?: Float32Array;
}

/** Statistics of a context, of all its sequences. */
export interface ContextStats {
  /** Builds of the model's graph, including chains, while decoding; constant in steady generation. */
  readonly graphBuilds: number;
  /** The same while llama.cpp reserves memory for the worst case of a new context. */
  readonly reserveBuilds: number;
  /** Trial builds of chains at llama.cpp's probe size, one per chain. */
  readonly probeBuilds: number;
  /** Uploads of uniforms and inputs that can change: one per token for all sequences with the same chain. */
  readonly setInputs: number;
  /**
   * Bytes of all these uploads, and of the columns that stay on the devices, which are uploaded once.
   * @unit bytes
   */
  readonly uploadBytes: number;
  /**
   * Bytes of device memory of columns that never change, such as sets of tokens: those of equal chains are shared.
   * @unit bytes
   */
  readonly columnBytes: number;
  /** ggml nodes of all chains in the latest build, including views and reshapes; sequences with equal chains share them. */
  readonly nodes: number;
  /** The same without views and reshapes. */
  readonly nodesWithoutViews: number;
  /**
   * Bytes read back when every sequence with a chain has one output.
   * @unit bytes
   */
  readonly readbackBytes: number;
  /** Reads that bring the results of a batch to the host: one per chain on a device; on the CPU, which shares its memory, one per output. */
  readonly reads: number;
  /**
   * Bytes of device memory per sequence: logits, uniforms, inputs, results and intermediate values, for the largest chain.
   * 0 on the host.
   * @unit bytes
   */
  readonly sequenceBytes: number;
  /**
   * Bytes of the KV cache of all sequences on all devices.
   * @unit bytes
   */
  readonly cacheBytes: number;
  /** CPU threads for one token. */
  readonly threads: number;
  /** CPU threads for batches of more than one token. */
  readonly batchThreads: number;
  /** Names of the devices where the chains' nodes ran; empty before the first output. */
  readonly devices: readonly string[];
}
