/** Options of loaded models: how they are loaded, and how they make tokens of texts and prepare grammars. */
import { MAX_LAYERS } from "@ggsl/compiler/llama/contexts.js";
import { CONTEXT_SETTINGS, type ContextSettings } from "../backends/contextOptions.js";
import { DEVICE_BACKENDS } from "../backends/devices/locate.js";
import type { DeviceChoice } from "../backends/devices/several.js";
import { moduleSource, type ModuleSource } from "../backends/wasm/source.js";
import { CHAT, type ChatOptions } from "../chat/render.js";
import * as is from "../core/check.js";
import * as checks from "../core/sharedOptions.js";
import type { TokenizeOptions } from "../sequence/prompt.js";

export const MODEL_BACKENDS = ["auto", ...DEVICE_BACKENDS, "wasm"] as const;
/** Where a model can run. */
export type ModelBackend = (typeof MODEL_BACKENDS)[number];

/** The settings of contexts are defaults for every generation and batch. */
export interface LoadModelOptions extends ContextSettings {
  /**
   * Where the model runs; `auto`: the first CUDA or Vulkan GPU, else the CPU, or `wasm` where the native addon cannot
   * be loaded, with a line on standard error; `Model.backend` says which. `wasm` runs the module of the package.
   * @default `auto`
   */
  readonly backend?: ModelBackend | undefined;
  /**
   * One of the backend's devices, by its index or its name. A list: devices of this machine that share the layers,
   * in their order, the CPU among them by its name `CPU`; chains run where the output layer is, the last one.
   * @default the first
   */
  readonly device?: DeviceChoice | undefined;
  /**
   * Workers of other machines that share the layers, in their order: `HOST:PORT`, or `HOST:PORT=KIND` with the kind of its devices: `cpu`,
   * `vulkan`, `cuda` or `other`. Chains run on the last one. Without a kind, what some kind cannot run is left to this machine.
   * @default none
   */
  readonly servers?: readonly string[] | undefined;
  /**
   * The parts of the layers of each device of the list or the workers, in any unit.
   * @default by their free memory
   */
  readonly split?: readonly number[] | undefined;
  /**
   * Layers on the GPU; the others are on the CPU. With 0, chains also run on the CPU.
   * @default `all`
   */
  readonly gpuLayers?: number | "all" | undefined;
  /**
   * Loads the model in a child process first, on the CPU: for files from strangers. A damaged file that makes llama.cpp end its
   * process is a `ModelError` then. The backend `wasm` does not need it.
   * @default false
   */
  readonly probe?: boolean | undefined;
  /**
   * Called with the part of the file that is loaded, from 0 to 1, and with 1 before the promise resolves. WebAssembly reports the
   * file that is read, then computes without reports. An error that it throws ends the load.
   * @default none
   */
  readonly onProgress?: ((fraction: number) => void) | undefined;
  /**
   * Ends the load, which then rejects with the signal's reason; in WebAssembly only while the file is read.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
}

const LOAD: is.Checks<LoadModelOptions> = {
  ...CONTEXT_SETTINGS,
  backend: is.oneOf(...MODEL_BACKENDS),
  device: is.either("a device's number or name, or a list of them", checks.device, is.listOf("a list", checks.device)),
  servers: is.listOf("a list of addresses", is.text),
  split: is.listOf("a list of numbers", checks.finite),
  gpuLayers: is.either(`an integer from 0 to ${MAX_LAYERS} or "all"`, is.oneOf("all"), is.integer(0, MAX_LAYERS)),
  probe: is.flag,
  onProgress: is.callback,
  signal: checks.signal,
};
export const checkLoad = is.options(LOAD);

/** Options of `loadModelFromBytes`. The settings of contexts are defaults, as in `LoadModelOptions`. */
export interface BytesOptions extends ContextSettings {
  /** Where the model runs. */
  readonly backend?: "wasm" | undefined;
  /**
   * The WebAssembly module with llama.cpp, `dist/wasm/ggsl-llama.wasm` of the package: see `ModuleSource`. Node.js finds it by
   * itself.
   */
  readonly module?: ModuleSource | undefined;
}

const BYTES: is.Checks<BytesOptions> = {
  ...CONTEXT_SETTINGS,
  backend: is.that("`wasm`, where a model in memory runs", (value) => value === "wasm"),
  module: moduleSource,
};
export const checkBytes = is.options(BYTES);

const TOKENIZE: is.Checks<TokenizeOptions> = { special: is.flag };
export const checkTokenize = is.options(TOKENIZE);

/** The most tokens that a text may have. One that has too many bytes for them is refused before it is tokenized. */
interface Most {
  /**
   * The most tokens that the caller can use.
   * @default any number
   */
  readonly mostTokens?: number | undefined;
}

/** Who waits for threads that several share. */
interface Client {
  /**
   * Whose it is: those of each lane take turns.
   * @default one lane for all without
   */
  readonly lane?: string | undefined;
  /**
   * Gives up waiting.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
}

/** How a text becomes tokens on another thread. */
export interface TokenizeLaterOptions extends TokenizeOptions, Most, Client {
  /**
   * With the special tokens that the model adds around a text, such as the one that begins it.
   * @default true
   */
  readonly addSpecial?: boolean | undefined;
}

/** How a conversation becomes a prompt. */
export interface RenderChatOptions extends ChatOptions, Client {}

/** How a conversation becomes tokens. */
export interface TokenizeChatOptions extends ChatOptions, Most, Client {}

/** How a grammar is prepared. */
export type PrepareGrammarOptions = Client;

const CLIENT: is.Checks<Client> = { lane: is.text, signal: checks.signal };
const PREPARE: is.Checks<PrepareGrammarOptions> = CLIENT;
export const checkPrepare = is.options(PREPARE);

const MOST: is.Checks<Most> = { mostTokens: is.integer(1, 2 ** 26) };
const TOKENIZE_LATER: is.Checks<TokenizeLaterOptions> = { ...TOKENIZE, ...MOST, ...CLIENT, addSpecial: is.flag };
export const checkTokenizeLater = is.options(TOKENIZE_LATER);
const RENDER_CHAT: is.Checks<RenderChatOptions> = { ...CHAT, ...CLIENT };
export const checkRenderChat = is.options(RENDER_CHAT);
const TOKENIZE_CHAT: is.Checks<TokenizeChatOptions> = { ...CHAT, ...MOST, ...CLIENT };
export const checkTokenizeChat = is.options(TOKENIZE_CHAT);
