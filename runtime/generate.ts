/** Generation: decode, let the chain in the graph pick, accept, again. */
import { encodeWire } from "../compiler/graph/wire.js";
import type { Chain } from "./chain.js";
import { AbortError, InputError } from "./errors.js";
import type { ContextStats, DecodeOutput, NativeContext, NativeError, NativeModel } from "./native/binding.js";
import { loadBinding } from "./native/loader.js";
import type { Feed } from "./features/feed.js";
import { modelFeed } from "./features/model.js";
import { openTail, picksOnHost } from "./tail.js";
import {
  acceptPrompt,
  acceptToken,
  featureInputs,
  restoreSequence,
  saveSequence,
  startSequence,
  uniformsOf,
  withUniforms,
  type SavedSequence,
  type UniformValues,
} from "./sequence.js";

export interface GenerateOptions {
  /** The chain that picks the tokens. */
  readonly chain: Chain;
  readonly uniforms?: UniformValues | undefined;
  readonly feed?: Feed | undefined;
  /** Tokens to generate at most; default: until the model ends the text or the context is full. */
  readonly maxTokens?: number;
  /** Tokens of prompt and text together; default: what the model was trained for. */
  readonly contextSize?: number;
  readonly threads?: number;
  /** `graph`: the chain is part of the model's graph. `host`: it runs on the CPU over logits that come back. */
  readonly placement?: "graph" | "host";
  /** Look at every logit of the model: NaN or +inf is an error then. It costs a copy of them with each token. */
  readonly checkLogits?: boolean;
  readonly signal?: AbortSignal;
  /** What `save` gave; the prompt is then the saved tokens. */
  readonly resume?: SavedSequence;
}

export interface Piece {
  readonly token: number;
  /** Whole characters only: a token that ends inside one gives its text together with a later one. */
  readonly text: string;
}

export interface GenerationStats extends ContextStats {
  readonly promptTokens: number;
  readonly generatedTokens: number;
  /** Tokens a second, the prompt apart. */
  readonly tokensPerSecond: number;
  /** Why the text ended; absent while it goes on. */
  readonly finish?: "end" | "maxTokens" | "context";
}

/** An iterator over pieces of text that can be steered while it runs. It can be iterated once. */
export interface Generation extends AsyncIterable<Piece> {
  /** New values of uniforms from the next token on; the graph stays as it is. Throws `InputError`. */
  setUniforms(values: UniformValues): void;
  /** The text so far, prompt included, and what the chain remembers: to go on later, with `resume`. */
  save(): { readonly tokens: Int32Array; readonly sequence: SavedSequence };
  /** Numbers so far; available once the first piece came. Throws `InputError` before. */
  stats(): GenerationStats;
}

export function startGeneration(model: NativeModel, prompt: string | Int32Array, options: GenerateOptions): Generation {
  const { graph } = options.chain;
  if (graph.outputs.sampled === undefined && !picksOnHost(graph)) {
    throw new InputError(
      `the chain \`${graph.name}\` picks no token: end it with a stage that does, such as dist() or greedy()`,
    );
  }
  const { vocabSize } = model.info;
  const feed = modelFeed(model, options.feed);
  let sequence = options.resume
    ? restoreSequence(graph, vocabSize, options.resume, feed)
    : startSequence(graph, vocabSize, { uniforms: options.uniforms, feed });
  let latest: GenerationStats | undefined;
  let text: Int32Array = new Int32Array();

  async function* pieces(): AsyncGenerator<Piece, void, void> {
    const tokens = typeof prompt === "string" ? model.tokenize(prompt, true, false) : prompt;
    if (tokens.length === 0) throw new InputError("the prompt is empty, and the model has no token that begins a text");
    using tail = openTail(graph.tail, sequence.params, model);
    const context = await openContext(model, options);
    const onAbort = (): void => context.abort();
    options.signal?.addEventListener("abort", onAbort);
    try {
      checkPrompt(tokens.length, context.contextSize);
      if (!options.resume) sequence = acceptPrompt(sequence, tokens);
      tail?.acceptPrompt(tokens);
      const buffer = new Int32Array(context.contextSize);
      buffer.set(tokens);
      text = buffer.subarray(0, tokens.length);
      const decoder = new TextDecoder();
      const limit = Math.min(options.maxTokens ?? Infinity, context.contextSize - tokens.length);
      let milliseconds = 0;
      const record = (count: number, finish?: GenerationStats["finish"]): void => {
        latest = { ...statsOf(context, tokens.length, count, milliseconds), ...(finish && { finish }) };
      };
      for (let [count, batch] = [0, tokens]; ; count++, batch = text.subarray(-1)) {
        record(count, count < limit ? undefined : count === options.maxTokens ? "maxTokens" : "context");
        if (count === limit) break;
        options.signal?.throwIfAborted();
        context.setUniforms(0, uniformsOf(sequence));
        featureInputs(sequence).forEach((values, i) => context.setInput(0, i + 1, values));
        const start = performance.now();
        const output = await decode(context, batch, text.length - batch.length);
        const token = tail ? tail.pick(output) : output.sampled![0]!;
        if (count > 0) milliseconds += performance.now() - start;
        sequence = acceptToken(sequence, token, output.states ?? new Float32Array());
        tail?.accept(token);
        if (model.isEnd(token)) {
          record(count, "end");
          break;
        }
        record(count + 1);
        buffer[text.length] = token;
        text = buffer.subarray(0, text.length + 1);
        yield { token, text: decoder.decode(model.piece(token, false), { stream: true }) };
      }
    } catch (error) {
      throw translate(error, options.signal);
    } finally {
      options.signal?.removeEventListener("abort", onAbort);
      context.dispose();
    }
  }

  const iterator = pieces();
  return {
    [Symbol.asyncIterator]: () => iterator,
    setUniforms(values) {
      sequence = withUniforms(sequence, values);
    },
    stats() {
      if (!latest) throw new InputError("there are no numbers before the first token");
      return latest;
    },
    save: () => ({ tokens: text.slice(), sequence: saveSequence(sequence) }),
  };
}

async function openContext(
  model: NativeModel,
  { chain, contextSize, threads, placement, checkLogits }: GenerateOptions,
): Promise<NativeContext> {
  const graph = new (loadBinding().Graph)(encodeWire(chain.graph));
  try {
    return await model.createContext({
      chains: [graph],
      ...(contextSize !== undefined && { contextSize }),
      ...(threads !== undefined && { threads }),
      ...(placement !== undefined && { placement }),
      ...(checkLogits !== undefined && { checkLogits }),
    });
  } catch (error) {
    throw translate(error, undefined);
  }
}

function checkPrompt(length: number, contextSize: number): void {
  if (length >= contextSize) {
    throw new InputError(
      `the prompt has ${length} tokens, and the context holds ${contextSize} together with what is generated: shorten the prompt or set a larger context size`,
    );
  }
}

/** Decodes tokens of the one sequence; only the last one's output is wanted. */
async function decode(context: NativeContext, tokens: Int32Array, position: number): Promise<DecodeOutput> {
  const [output] = await context.decode({
    tokens,
    positions: tokens.map((_, i) => position + i),
    sequences: new Int32Array(tokens.length),
    outputs: Uint8Array.from(tokens, (_, i) => (i === tokens.length - 1 ? 1 : 0)),
  });
  return output!;
}

function statsOf(
  context: NativeContext,
  promptTokens: number,
  generatedTokens: number,
  milliseconds: number,
): GenerationStats {
  const tokensPerSecond = milliseconds > 0 ? ((generatedTokens - 1) * 1000) / milliseconds : 0;
  return { ...context.stats(), promptTokens, generatedTokens, tokensPerSecond };
}

/** Errors of the native runtime in the words of this one. */
function translate(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return new AbortError();
  const { code, message } = error as NativeError;
  return code === undefined ? error : new InputError(message, { cause: error });
}
