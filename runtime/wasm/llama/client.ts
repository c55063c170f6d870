/** A model in a worker, as a page has it. */
import { writeSpec } from "@ggsl/compiler/graph/json.js";
import type { Chain } from "../../chain.js";
import { InputError } from "../../errors.js";
import type { ModelInfo } from "../../native/binding.js";
import type { UniformValues } from "../../sequence.js";
import type { GenerateRequest, GenerationEnd, LogitsRequest, Port, Reply, Request, Token } from "./messages.js";

/** A browser's `Worker`, of which only this is used. */
interface WorkerPort extends Port {
  onerror: ((event: { readonly message?: string }) => void) | null;
  terminate(): void;
}
declare const Worker: new (url: URL, options: { type: "module" }) => WorkerPort;

/** What a generation in a worker takes. */
export interface WorkerGenerateOptions extends Omit<GenerateRequest, "prompt" | "spec"> {
  readonly chain: Chain;
}

/** Tokens as they come; it can be iterated once. Leaving the loop early cancels the generation. */
export interface WorkerGeneration extends AsyncIterable<Token> {
  /** How it ended; rejects with what went wrong. */
  readonly end: Promise<GenerationEnd>;
  /** New values of uniforms from the next token on. Rejects with `InputError` for values that do not fit, or after the end. */
  setUniforms(values: UniformValues): Promise<void>;
  /** Ends it before its next token, or before it has begun; harmless after the end. */
  cancel(): void;
}

/**
 * A worker that loads a model and generates with it. Requests that wait for each other are done in the order in which they were
 * made, at most 16 at a time; more are an error.
 */
export class ModelWorker implements Disposable {
  private next = 1;
  private readonly listeners = new Map<number, (reply: Reply) => void>();
  private failure: InputError | undefined;

  /** Starts the worker; in browsers. */
  static start(): ModelWorker {
    return new ModelWorker(new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
  }

  /** @param port a worker that was started elsewhere, or a port of a channel at whose other end is `serve` */
  constructor(private readonly port: Port & Partial<WorkerPort>) {
    port.onmessage = ({ data }) => {
      const reply = data as Reply;
      this.listeners.get(reply.id)?.(reply);
    };
    // only a worker that can not be loaded, or that ran out of memory, gets here
    if ("terminate" in port)
      port.onerror = ({ message }) => this.fail(`the worker failed: ${message || "it did not load"}`);
  }

  /**
   * Loads a model, in the place of the one that was loaded before.
   * @param bytes a GGUF file; they are copied
   * @param module the WebAssembly module with llama.cpp in it, or its whole address
   * @throws InputError as `loadModelFromBytes` does
   */
  async load(bytes: Uint8Array, module: Uint8Array | URL | string): Promise<ModelInfo> {
    const reply = await this.ask({ type: "load", bytes, module: module instanceof URL ? module.href : module });
    return (reply as Reply & { type: "loaded" }).info;
  }

  /** Generates text after a prompt; what is wrong with what was given is thrown by the loop over its tokens. */
  generate(prompt: string | Int32Array, { chain, ...options }: WorkerGenerateOptions): WorkerGeneration {
    const spec = writeSpec(options.alternatives ? chain.rowsGraph : chain.graph);
    const tokens: Token[] = [];
    let wake = (): void => undefined;
    let isOver = false;
    const { id, answer } = this.send({ type: "generate", prompt, spec, ...options }, (reply) => {
      tokens.push(tokenOf(reply));
      wake();
    });
    const end = answer.then(({ id: _, type: __, ...rest }) => rest as unknown as GenerationEnd);
    const over = (): void => {
      isOver = true;
      wake();
    };
    end.then(over, over);

    // whatever it answers, the generation is at its end soon
    const cancel = (): void => {
      if (!isOver) this.ask({ type: "cancel", generation: id }).catch(() => undefined);
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
        cancel();
      }
    }
    const iterator = each();
    return {
      [Symbol.asyncIterator]: () => iterator,
      end,
      setUniforms: async (values) => {
        await this.ask({ type: "setUniforms", generation: id, values });
      },
      cancel,
    };
  }

  /**
   * The model's own logits of the token after a prompt, one for each token of the vocabulary; see `Model.logits`. It waits for
   * what was asked for before.
   * @throws InputError for a prompt that does not fit
   */
  async logits(prompt: string | Int32Array, options: Omit<LogitsRequest, "prompt"> = {}): Promise<Float32Array> {
    const reply = await this.ask({ type: "logits", prompt, ...options });
    return (reply as Reply & { type: "logits" }).logits;
  }

  /** Texts of tokens, each alone, also while others are generated. Throws `InputError` for a token that is none. */
  async textsOf(tokens: Int32Array): Promise<readonly string[]> {
    const reply = await this.ask({ type: "texts", tokens });
    return (reply as Reply & { type: "texts" }).texts;
  }

  /** Stops the worker, whatever it does; what is waited for fails. */
  dispose(): void {
    this.port.terminate?.();
    this.fail("the worker was disposed");
  }
  /** As `dispose()`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  private ask(request: Unnumbered): Promise<Reply> {
    return this.send(request).answer;
  }

  /** @param onToken takes what comes before the answer */
  private send(request: Unnumbered, onToken?: (reply: Reply) => void): { id: number; answer: Promise<Reply> } {
    const id = this.next++;
    const answer = new Promise<Reply>((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      this.listeners.set(id, (reply) => {
        if (reply.type === "token") return onToken?.(reply);
        this.listeners.delete(id);
        if (reply.type === "error") reject(errorOf(reply));
        else resolve(reply);
      });
      this.port.postMessage({ ...request, id });
    });
    return { id, answer };
  }

  private fail(message: string): void {
    this.failure ??= new InputError(message);
    const { message: reason } = this.failure;
    for (const [id, listener] of [...this.listeners])
      listener({ type: "error", id, name: "InputError", message: reason });
  }
}

/** `Omit` of each kind of request. */
type Unnumbered = Request extends infer R ? (R extends Request ? Omit<R, "id"> : never) : never;

function tokenOf(reply: Reply): Token {
  const { type: _, id: __, ...token } = reply as Reply & { type: "token" };
  return token;
}

const errorOf = ({ name, message }: Reply & { type: "error" }): Error =>
  name === "InputError" ? new InputError(message) : Object.assign(new Error(message), { name });
