/// <reference lib="esnext.disposable" preserve="true" />
/** The page's side of a model in a worker. */
import { writeSpec } from "@ggsl/compiler/graph/json.js";
import type { OptionNames } from "@ggsl/compiler/core/optionNames.js";
import { tracedGraph, type Chain } from "../../chain/chain.js";
import * as is from "../../core/check.js";
import type { ChatMessage } from "../../chat/messages.js";
import { InputError, invalid } from "../../core/errors.js";
import { oneLoop } from "../../core/oneLoop.js";
import { Requests, webPort, type WebPort } from "../../core/requests.js";
import { chain as checkChain } from "../../core/sharedOptions.js";
import type { ModelInfo } from "../../backends/native/binding.js";
import type { TokenizeOptions } from "../../sequence/prompt.js";
import type { UniformValues } from "../../sequence/sequence.js";
import { moduleSource, sendable, type ModuleSource, type SendableModule } from "../../backends/wasm/source.js";
import { unusable } from "../../backends/wasm/llama/loader.js";
import type { ChatRequest, GenerateRequest, GenerationEnd, LogitsRequest, Reply, Request, Token } from "./messages.js";

/** The used part of a browser's `Worker`. */
interface WorkerPort extends WebPort {
  onerror: ((event: { readonly message?: string }) => void) | null;
  terminate(): void;
}
declare const Worker: new (url: URL, options: { type: "module" }) => WorkerPort;

function sent(module: ModuleSource): SendableModule {
  try {
    return sendable(module);
  } catch (error) {
    throw unusable((error as Error).message, error);
  }
}

/** Options of a generation in a worker. */
export interface WorkerGenerateOptions extends Omit<GenerateRequest, "prompt" | "spec" | "rowsSpec"> {
  readonly chain: Chain;
}

/** Options of an answer to a conversation in a worker. */
export interface WorkerChatOptions extends Omit<ChatRequest, "messages" | "spec" | "rowsSpec"> {
  readonly chain: Chain;
}

/** Options of the logits of a prompt in a worker. */
type WorkerLogitsOptions = Omit<LogitsRequest, "prompt">;

const ANY: OptionNames<Omit<WorkerGenerateOptions, "special" | "heal">> = {
  chain: true,
  seed: true,
  uniforms: true,
  guides: true,
  maxTokens: true,
  minTokens: true,
  ignoreEnd: true,
  stop: true,
  bannedPhrases: true,
  maxRewinds: true,
  contextSize: true,
  logprobs: true,
  alternatives: true,
  states: true,
  trace: true,
  speculate: true,
};
const generateNames = is.named<WorkerGenerateOptions>({ ...ANY, special: true, heal: true });
const chatNames = is.named<WorkerChatOptions>({
  ...ANY,
  tools: true,
  toolChoice: true,
  addGenerationPrompt: true,
  continueFinalMessage: true,
  template: true,
  variables: true,
  reasoning: true,
});
const logitsNames = is.named<WorkerLogitsOptions>({ special: true, contextSize: true, last: true });
const tokenizeNames = is.named<TokenizeOptions>({ special: true });

/** A stream of tokens that one loop can read, as `Generation`. Leaving the loop early cancels the generation. */
export interface WorkerGeneration extends AsyncIterable<Token> {
  /** How it ended; rejects if it failed. */
  readonly end: Promise<GenerationEnd>;
  /** Sets uniforms from the next token on. Rejects with `InputError` for invalid values, or after the end. */
  setUniforms(values: UniformValues): Promise<void>;
  /** Ends it before its next token, or before it starts; harmless after the end. */
  cancel(): void;
}

/**
 * A worker that loads a model and generates with it. Requests are queued and run in order, at most 16 at a time; more are an
 * error.
 */
export class ModelWorker implements Disposable {
  private readonly requests: Requests<Request, Reply, Token>;

  /** Starts the worker (browsers only). */
  static start(): ModelWorker {
    return new ModelWorker(new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
  }

  /** @param port a worker that was started elsewhere, or a port of a channel whose other end runs `serve` */
  constructor(private readonly port: WebPort & Partial<WorkerPort>) {
    this.requests = new Requests(webPort(port));
    // only for a worker that cannot be loaded, or that ran out of memory
    if ("terminate" in port)
      port.onerror = ({ message }) => this.fail(`the worker failed: ${message || "it did not load"}`);
  }

  /**
   * Loads a model, which replaces the one loaded before.
   * @param bytes a GGUF file; the bytes are copied
   * @param module the WebAssembly module with llama.cpp; a location is relative to the page
   * @throws InputError as `loadModelFromBytes` does
   */
  async load(bytes: Uint8Array, module: ModuleSource): Promise<ModelInfo> {
    is.bytes(bytes, "bytes");
    moduleSource(module, "module");
    const reply = await this.requests.ask({ type: "load", bytes, module: sent(module) });
    return (reply as Reply & { type: "loaded" }).info;
  }

  /** Generates text after a prompt; the loop over the tokens throws errors in the arguments. */
  generate(prompt: string | Int32Array, request: WorkerGenerateOptions): WorkerGeneration {
    return this.start(request, generateNames, (options) => ({ type: "generate", prompt, ...options }));
  }

  /** Generates the answer to a conversation: see `Model.chat`. The loop over the tokens throws errors in the arguments. */
  chat(messages: readonly ChatMessage[], request: WorkerChatOptions): WorkerGeneration {
    return this.start(request, chatNames, (options) => ({ type: "chat", messages, ...options }));
  }

  private start<T extends WorkerGenerateOptions | WorkerChatOptions>(
    request: T,
    names: is.Check,
    messageOf: (options: Omit<T, "chain"> & { readonly spec: string }) => Request,
  ): WorkerGeneration {
    is.someObject(request, "options");
    refuseUnsent(request);
    names(request, "options");
    checkChain(request.chain, "chain");
    const { chain, ...options } = request;
    const specs = {
      spec: writeSpec(options.trace ? tracedGraph(chain) : chain.graph),
      ...(options.alternatives && chain.rowsGraph !== chain.graph && { rowsSpec: writeSpec(chain.rowsGraph) }),
    };
    const tokens: Token[] = [];
    let wake = (): void => undefined;
    let [isOver, isRead] = [false, false];
    let id = 0;
    const end = new Promise<GenerationEnd>((resolve, reject) => {
      id = this.requests.send({
        request: messageOf({ ...options, ...specs }),
        onNote(token) {
          tokens.push(token);
          wake();
        },
        resolve: ({ type: _, ...rest }) => resolve(rest as GenerationEnd),
        reject,
      });
    });
    const over = (): void => {
      isOver = true;
      wake();
    };
    end.then(over, over);

    // the answer does not matter: the generation ends soon
    const cancel = (): void => {
      if (!isOver) this.requests.ask({ type: "cancel", generation: id }).catch(() => undefined);
    };
    async function* each(): AsyncGenerator<Token, void, void> {
      try {
        for (;;) {
          const token = tokens.shift();
          if (token) yield token;
          else if (isOver) break;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
        await end;
      } finally {
        isRead = true;
        cancel();
      }
    }
    return {
      [Symbol.asyncIterator]: oneLoop(each(), () => isRead),
      end,
      setUniforms: async (values) => {
        await this.requests.ask({ type: "setUniforms", generation: id, values });
      },
      cancel,
    };
  }

  /**
   * The model's raw logits of the token after a prompt, one for each token of the vocabulary; see `Model.logits`. It waits for
   * earlier requests.
   * @throws InputError for a prompt that does not fit, and for more rows than it has tokens
   */
  async logits(prompt: string | Int32Array, options: WorkerLogitsOptions = {}): Promise<Float32Array> {
    logitsNames(options, "options");
    const reply = await this.requests.ask({ type: "logits", prompt, ...options });
    return (reply as Reply & { type: "logits" }).logits;
  }

  /** The text of each token, also during a generation. Throws `InputError` for a token outside the vocabulary. */
  async textsOf(tokens: Int32Array): Promise<readonly string[]> {
    const reply = await this.requests.ask({ type: "texts", tokens });
    return (reply as Reply & { type: "texts" }).texts;
  }

  /** Token ids of a text, also during a generation; see `Model.tokenize`. */
  async tokenize(text: string, options: TokenizeOptions = {}): Promise<Int32Array> {
    tokenizeNames(options, "options");
    const reply = await this.requests.ask({ type: "tokenize", text, ...options });
    return (reply as Reply & { type: "tokens" }).tokens;
  }

  /** Stops the worker at once; pending requests fail. */
  dispose(): void {
    this.port.terminate?.();
    this.fail("the worker was disposed");
  }
  /** As `dispose()`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  private fail(message: string): void {
    this.requests.fail(new InputError(message, { code: "ENGINE_FAILED" }));
  }
}

/** Options of a model's generations that a worker does not have, and what to do. */
const UNSENT: Readonly<Record<string, string>> = {
  signal: "call `cancel()` of the generation",
  onPromptProgress: "use a model from `loadModelFromBytes` for it",
  feed: "use a model from `loadModelFromBytes` for it",
};

/** Throws `InputError` for an option that cannot be sent. */
function refuseUnsent(request: object): void {
  const given = request as Readonly<Record<string, unknown>>;
  for (const [name, advice] of Object.entries(UNSENT))
    if (given[name] !== undefined) throw invalid(`\`${name}\` cannot be given to a worker: ${advice}`);
  const { draft } = (given["speculate"] ?? {}) as { readonly draft?: unknown };
  if (draft !== undefined)
    throw invalid("`speculate.draft` cannot be given to a worker: it has one model; use `ngram`");
}
