/// <reference lib="esnext.disposable" preserve="true" />
/** Models: loads GGUF files and generates text with a chain in the model's graph. */
import type { SamplingAdvice } from "@ggsl/settings/from/advice.js";
import { SAMPLING_KEYS } from "@ggsl/settings/from/formats/samplingKeys.js";
import { openBatch, type BatchOptions, type GenerationBatch } from "./batch.js";
import type { AnyChainTypes, ChainTypes } from "../chain/chainTypes.js";
import { contextSettings, type GivenSettings } from "../backends/contextOptions.js";
import * as is from "../core/check.js";
import type { Skipped } from "../backends/devices/choose.js";
import { chooseDevices } from "../backends/devices/several.js";
import { InputError, invalid, ModelError, translate, translated } from "../core/errors.js";
import { startGeneration, type GenerateOptions, type Generation, type LoadedModel } from "../generation/generate.js";
import { grammarSource } from "../sequence/features/grammars.js";
import { grammarPlace, vocabularyOf } from "../sequence/features/model.js";
import type { Vocabulary } from "../core/vocabulary.js";
import { remember } from "../generation/loaded.js";
import { chatPrompt, KeptContext, startChat } from "./chats.js";
import { toldConversation, type AnswerLimits, type AnswerParts } from "./answers.js";
import type { ChatMessage } from "../chat/messages.js";
import { openConversation, renderConversation, type ChatOptions } from "../chat/render.js";
import { tokenText, tokensLater, tokensOf, type TokenizeOptions } from "../sequence/prompt.js";
import { nextLogits, type LogitsOptions } from "./logits.js";
import type { ModelInfo, ModelOptions, NativeError, NativeModel } from "../backends/native/binding.js";
import { LoadWatch, readWatched } from "./loadWatch.js";
import { probeModel } from "./modelProbe.js";
import { prepareGrammar } from "../grammars/open.js";
import type { GrammarSource } from "../grammars/types.js";
import { hasNative, loadBinding } from "../backends/native/loader.js";
import { nodeModule } from "../core/node.js";
import { openRemote, type Remote } from "../backends/remote/model.js";
import { readServers } from "../backends/devices/servers.js";
import { loadLlama } from "../backends/wasm/llama/loader.js";
import { checkFileSize, openLlama } from "../backends/wasm/llama/binding.js";
import type { WasmModule } from "../backends/wasm/webAssembly.js";
import type { GenerateOptionsOf, GenerationOf } from "../generation/typed.js";
import {
  checkBytes,
  checkLoad,
  checkPrepare,
  checkRenderChat,
  checkTokenize,
  checkTokenizeChat,
  checkTokenizeLater,
  type BytesOptions,
  type LoadModelOptions,
  type PrepareGrammarOptions,
  type RenderChatOptions,
  type TokenizeChatOptions,
  type TokenizeLaterOptions,
} from "./options.js";

/** A model in memory, from `loadModel`. Dispose it with `using` or `dispose()`. */
export interface Model extends Disposable {
  readonly backend: LoadedModel["chosen"]["backend"];
  /** ggml's name of the device, e.g. `Vulkan0`. */
  readonly device: string;
  /** Backends that `auto` skipped, and why. */
  readonly skipped: readonly Skipped[];
  /** Resolves if the process with a model on workers ends, with why: `LOST_SERVER`. The model is of no use then. */
  readonly lost?: Promise<InputError>;
  readonly info: ModelInfo;
  /** The texts and classes of its tokens, for `Feed.vocabulary`. */
  readonly vocabulary: Vocabulary;
  /** The chain that the `general.sampling.*` keys of the model file advise, as a program. */
  readonly advice: SamplingAdvice;
  /**
   * Generates text after a prompt, given as text or as tokens, one token at a time, off the main thread. WebAssembly computes on
   * the calling thread and yields to other tasks between tokens; browsers should use a `ModelWorker`.
   * @throws InputError for a chain that picks no token, a prompt that does not fit the context, or invalid uniforms
   */
  generate<T extends ChainTypes = AnyChainTypes>(
    prompt: string | Int32Array,
    options: GenerateOptionsOf<T>,
  ): GenerationOf<T>;
  /** A context for several generations at once; equal chains share one subgraph. Throws `InputError`. */
  batch(options: BatchOptions): GenerationBatch;
  /**
   * The model's raw logits of the token after a prompt, one f32 for each token of the vocabulary, as input of `Chain.evaluate`
   * and `createEvaluator`; with `last`, a row for each of the prompt's last tokens. Each call decodes the whole prompt in a context
   * of its own.
   * @throws InputError for a prompt that does not fit the context, and for a logit that is NaN or +inf
   * @throws AbortError when `signal` is aborted
   */
  logits(prompt: string | Int32Array, options?: LogitsOptions): Promise<Float32Array>;
  /**
   * Token ids of a text, including the special tokens that the model adds around it. It waits for them: `tokenizeLater` is for texts
   * of strangers, which may be long.
   * @throws InputError LIMIT_EXCEEDED for a text that takes too much time or memory
   */
  tokenize(text: string, options?: TokenizeOptions): Int32Array;
  /**
   * The same on another thread; a long text does not keep short ones waiting. WebAssembly has one thread, and computes before it
   * returns. Rejects as `tokenize` throws, and with CONTEXT_FULL for more than `mostTokens`.
   * @throws InputError BUSY if too many texts wait
   * @throws AbortError when `signal` is aborted
   */
  tokenizeLater(text: string, options?: TokenizeLaterOptions): Promise<Int32Array>;
  /**
   * Generates the answer to a conversation, which the model's chat template turns into a prompt. Special tokens that the template
   * writes are read as such; in messages and tools they are letters. Calls with equal settings of the context share one, one after the other, which stays open until the model is disposed or
   * other settings come; a call while it is in use has one of its own.
   * @throws InputError as `generate` does, and for messages that are not valid; the loop over the pieces throws those of the
   * template: NO_TEMPLATE, INVALID_TEMPLATE, TEMPLATE_REFUSED, TEMPLATE_FAILED, LIMIT_EXCEEDED. Its pieces are the text as the model writes it; `parts` has thoughts,
   * content and calls of tools
   */
  chat<T extends ChainTypes = AnyChainTypes>(
    messages: readonly ChatMessage[],
    options: GenerateOptionsOf<T> & ChatOptions & AnswerLimits,
  ): GenerationOf<T> & AnswerParts;
  /**
   * The prompt that `chat` makes of a conversation. Rejects as `chat` does.
   * @throws AbortError when `signal` is aborted while the conversation waits for a thread
   */
  renderChat(messages: readonly ChatMessage[], options?: RenderChatOptions): Promise<string>;
  /** The tokens of that prompt, with which `generate` and a batch write the answer that `chat` would. Rejects as `chat` and `tokenizeLater` do. */
  tokenizeChat(messages: readonly ChatMessage[], options?: TokenizeChatOptions): Promise<Int32Array>;
  /**
   * Reads a grammar, and prepares it for the model's vocabulary on other threads: a text that is given it does not wait for it, if it
   * begins soon. Grammars that a client has not prepared are prepared with their first text. WebAssembly in a page reads it before it
   * returns.
   * @throws InputError for a source that is not right (INVALID_ARGUMENT, UNENFORCED_KEYWORD), that exceeds a limit (LIMIT_EXCEEDED), and
   * if too many wait (BUSY)
   * @throws AbortError when `signal` is aborted
   */
  prepareGrammar(source: GrammarSource, options?: PrepareGrammarOptions): Promise<void>;
  /** The bytes of one token, which may be a part of a character. Throws as `textOf` does. */
  bytesOf(token: number): Uint8Array;
  /** The text of one token; U+FFFD replaces a partial character. Throws for a token outside the vocabulary. */
  textOf(token: number): string;
  /** Frees the model once its generations and batches have ended; harmless when called twice. */
  dispose(): void;
}

/**
 * Loads a GGUF file. Throws `ModelError` for a file that is damaged or not supported; `InputError` for a path that is no file, for
 * a backend or a device that is not available (with what is available and how to fix it), and for settings that are invalid or
 * not supported by the backend; what a signal gives as its reason when it is aborted.
 */
export async function loadModel(path: string, options: LoadModelOptions = {}): Promise<Model> {
  const fs = checkModelFile(path);
  checkLoad(options, "options");
  const { backend = "auto", device, servers, gpuLayers = "all", probe = false, onProgress, signal } = options;
  const settings = contextSettings(options);
  const watch = new LoadWatch(onProgress, signal);
  if (servers !== undefined) return loadOnServers(path, { ...options, servers, gpuLayers }, settings, watch);
  if (backend === "wasm" || (backend === "auto" && device === undefined && !hasNative(IN_WASM))) {
    const unused = device === undefined ? options.split && "split" : "device";
    if (unused !== undefined) throw invalid(`the backend \`wasm\` has no devices to choose from: omit \`${unused}\``);
    layersOn("wasm", gpuLayers);
    translated(() => checkFileSize(fs.statSync(path).size));
    const bytes = await readWatched(fs, path, watch);
    return openInWasm(await loadLlama(), bytes, settings);
  }
  const chosen = await chooseDevices({ backend, device, split: options.split });
  const devices = chosen.map((one) => one.device);
  const layers = layersOn(devices.length > 1 ? "several" : chosen[0].backend, gpuLayers);
  if (probe) await probeModel(path, fs.statSync(path).size);
  const placed = { devices, ...(options.split && { split: Float32Array.from(options.split) }) };
  const native = await openModel(path, { gpuLayers: layers, ...placed }, watch);
  const owner = chosen.find((one) => one.device === native.info.outputDevice) ?? chosen[0];
  return modelOf({ native, binding: loadBinding(), chosen: owner, settings, isOnDevice: layers !== 0 });
}

/** Options that a model on workers does not take, and why. */
const NOT_REMOTE = {
  backend: "the workers have devices of their own",
  device: "a device of this machine can be a worker too, at 127.0.0.1",
  probe: "the model is in a process of its own anyway",
} as const;

interface OnServers {
  readonly servers: readonly string[];
  readonly gpuLayers: number | "all";
}

async function loadOnServers(
  path: string,
  { servers, split, gpuLayers, ...options }: Omit<LoadModelOptions, "servers" | "gpuLayers"> & OnServers,
  settings: GivenSettings,
  watch: LoadWatch,
): Promise<Model> {
  for (const name of ["backend", "device", "probe"] as const)
    if (options[name] !== undefined && options[name] !== "auto" && options[name] !== false)
      throw invalid(`\`${name}\` cannot be given with \`servers\`: ${NOT_REMOTE[name]}`);
  const layers = layersOn("several", gpuLayers);
  if (layers === 0) throw invalid("`gpuLayers` is 0, and the workers would have no layers: omit it, or `servers`");
  const given = { servers: readServers(servers), split, gpuLayers: layers };
  let remote: Remote | undefined;
  const load = async (watching: Watching): Promise<NativeModel> =>
    (remote = await openRemote(path, given, watching)).native;
  const native = await watched(load, watch);
  const { binding, place, lost } = remote!;
  const chosen = { backend: "rpc", device: place.device, kind: place.server.kind, skipped: [] } as const;
  return modelOf({ native, binding, chosen, settings, isOnDevice: true, lost });
}

const IN_WASM = "models run in WebAssembly, which is slower";

/**
 * The vocabulary of a GGUF file, for `Feed.vocabulary`, without its weights; the file need not have any. Throws as `loadModel`
 * does.
 */
export async function loadVocabulary(path: string): Promise<Vocabulary> {
  const fs = checkModelFile(path);
  if (!hasNative(IN_WASM)) {
    translated(() => checkFileSize(fs.statSync(path).size));
    const module = await loadLlama();
    return vocabularyOf(translated(() => openLlama(module, fs.readFileSync(path)).native));
  }
  const native = await openModel(path, { gpuLayers: 0, vocabOnly: true });
  return vocabularyOf(native);
}

/**
 * Loads a GGUF file from memory into WebAssembly, in browsers and in Node.js. The bytes are copied. Each model has its own
 * memory of at most 2 GiB, which includes all that it computes. Throws `InputError` for bytes that are not a model or too
 * large, and for a module that cannot be used. After a trap in the module, every use of the model is an error; load it again.
 */
export async function loadModelFromBytes(bytes: Uint8Array, options: BytesOptions = {}): Promise<Model> {
  is.that("the bytes of a GGUF file, as a Uint8Array", (value) => is.isArrayOf("Uint8Array", value))(bytes, "bytes");
  is.someObject(options, "options");
  const unused = ["onProgress", "signal", "device", "servers", "split", "gpuLayers", "probe"].find(
    (name) => (options as Readonly<Record<string, unknown>>)[name] !== undefined,
  );
  if (unused !== undefined)
    throw invalid(`\`${unused}\` cannot be given for a model in memory: \`loadModel\` has it, for files`);
  checkBytes(options, "options");
  const { backend: _, module, ...settings } = options;
  return openInWasm(await loadLlama(module), bytes, contextSettings(settings));
}

function openInWasm(module: WasmModule, bytes: Uint8Array, settings: GivenSettings): Promise<Model> {
  const chosen = { backend: "wasm" as const, device: "CPU", skipped: [] };
  return modelOf({ ...translated(() => openLlama(module, bytes)), chosen, settings, isOnDevice: false });
}

const NO_ADVICE: SamplingAdvice = { notes: [] };

/** What reads advice is loaded where a file has any. */
async function adviceOf(metadata: Readonly<Record<string, string>>): Promise<() => SamplingAdvice> {
  if (!Object.keys(metadata).some((key) => key.startsWith(SAMPLING_KEYS))) return () => NO_ADVICE;
  const { readSamplingAdvice } = await import("@ggsl/settings/from/advice.js");
  return () => readSamplingAdvice(metadata);
}

async function modelOf(model: LoadedModel): Promise<Model> {
  const { native, chosen } = model;
  const { info } = native;
  const readAdvice = await adviceOf(info.metadata);
  // the types check names only at compile time; here all names are checked
  const generate = (prompt: string | Int32Array, options: GenerateOptions): Generation =>
    startGeneration(model, prompt, options);
  const kept = new KeptContext();
  const chat = (messages: readonly ChatMessage[], options: GenerateOptions & ChatOptions & AnswerLimits): Generation =>
    startChat(model, kept, messages, options);
  const dispose = (): void => {
    kept.dispose();
    native.dispose();
  };
  let advice: SamplingAdvice | undefined;
  const opened: Model = {
    backend: chosen.backend,
    device: chosen.device,
    skipped: chosen.skipped,
    ...(model.lost && { lost: model.lost }),
    info,
    // prepared on first use
    get vocabulary() {
      return translated(() => vocabularyOf(native));
    },
    // computed on first use, because it checks a program
    get advice() {
      return (advice ??= readAdvice());
    },
    generate: generate as Model["generate"],
    chat: chat as Model["chat"],

    async renderChat(messages, options = {}) {
      checkRenderChat(options, "options");
      const { lane, signal, ...chosen } = options;
      const conversation = openConversation(messages, chosen);
      try {
        const told = await toldConversation(native, conversation, chosen.reasoning);
        return (await renderConversation(native, told, { lane, signal })).text;
      } catch (error) {
        throw translate(error, signal);
      }
    },
    async tokenizeChat(messages, options = {}) {
      checkTokenizeChat(options, "options");
      const { mostTokens, ...chosen } = options;
      return chatPrompt(native, messages, chosen, { mostTokens }).tokens();
    },
    batch: (options) => openBatch(model, options),
    logits: (prompt, options = {}) => nextLogits(model, prompt, options),
    tokenize(text, options = {}) {
      is.text(text, "text");
      checkTokenize(options, "options");
      return translated(() => tokensOf(native, text, options));
    },
    async tokenizeLater(text, options = {}) {
      is.text(text, "text");
      checkTokenizeLater(options, "options");
      return tokensLater(native, text, options);
    },
    async prepareGrammar(source, options = {}) {
      grammarSource(source, "source");
      checkPrepare(options, "options");
      await prepareGrammar(source, grammarPlace(native, model.binding, options.lane), options.signal);
    },
    textOf(token) {
      is.integer(0, info.vocabSize - 1)(token, "token");
      return tokenText(native, token);
    },
    bytesOf(token) {
      is.integer(0, info.vocabSize - 1)(token, "token");
      return translated(() => native.piece(token, true));
    },
    dispose,
    [Symbol.dispose]: dispose,
  };
  remember(opened, model);
  return opened;
}

/** The number of layers on the GPU, or on other devices; -1 for all of them. */
function layersOn(backend: Model["backend"] | "several", gpuLayers: number | "all"): number {
  if (backend !== "cpu" && backend !== "wasm") return gpuLayers === "all" ? -1 : gpuLayers;
  if (gpuLayers === "all" || gpuLayers === 0) return 0;
  throw invalid(
    `\`gpuLayers\` is ${gpuLayers}, and the model runs on the CPU: omit it, or choose a GPU (\`ggsl devices\` lists them)`,
  );
}

const nodeFiles = () => nodeModule("node:fs");

/** Throws `InputError` if the path is not that of a file. */
function checkModelFile(path: string): NonNullable<ReturnType<typeof nodeFiles>> {
  is.that("the path of a model file", (value) => typeof value === "string" && value !== "")(path, "path");
  const fs = nodeFiles();
  if (!fs)
    throw new InputError("loading a model file needs Node.js: use `loadModelFromBytes` here", { code: "UNSUPPORTED" });
  if (!fs.existsSync(path))
    throw new InputError(`the model file "${path}" does not exist: give the path of a GGUF file`, {
      code: "UNREADABLE_FILE",
    });
  if (!fs.statSync(path).isFile())
    throw new InputError(`"${path}" is not a file; expected a model in GGUF format`, { code: "UNREADABLE_FILE" });
  return fs;
}

const openModel = (path: string, options: ModelOptions, watch = new LoadWatch()): Promise<NativeModel> =>
  watched((watching) => loadBinding().loadModel(path, { ...options, ...watching }), watch);

type Watching = Pick<ModelOptions, "onProgress" | "onStart">;

async function watched(load: (watching: Watching) => Promise<NativeModel>, watch: LoadWatch): Promise<NativeModel> {
  try {
    return await watch.during(load);
  } catch (error) {
    if (watch.isEnded) throw watch.reason();
    const { code, message } = error as NativeError;
    throw code === "INVALID_MODEL" ? new ModelError(code, message, { cause: error }) : translate(error);
  }
}
