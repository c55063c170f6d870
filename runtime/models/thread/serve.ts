/** The worker's side: a model that handles one request at a time. */
import { readSpec } from "@ggsl/compiler/graph/json.js";
import { chainOf, type Chain } from "../../chain/chain.js";
import { AbortError, InputError } from "../../core/errors.js";
import type { GenerateOptions, Generation, Piece } from "../../generation/generate.js";
import { tokenList } from "../../core/sharedOptions.js";
import { loadModelFromBytes, type Model } from "../model.js";
import type { GenerationEnd, Port, Reply, Request, Token } from "./messages.js";

/** The maximum number of queued and running requests. */
const MAX_REQUESTS = 16;

/** A requested generation that has not ended. */
interface Running {
  readonly cancel: AbortController;
  /** Absent until its turn. */
  generation?: Generation;
}

export function serve(port: Port): void {
  let model: Model | undefined;
  let last = Promise.resolve();
  let waiting = 0;
  const running = new Map<number, Running>();
  const reply = (message: Reply): void =>
    port.postMessage(message, message.type === "logits" ? [message.logits.buffer] : []);

  /** Runs `work` after all earlier requests. */
  function inTurn(id: number, work: () => Promise<Reply>): void {
    if (waiting === MAX_REQUESTS)
      throw new InputError(`${MAX_REQUESTS} requests are already waiting: wait for one of them`, {
        code: "LIMIT_EXCEEDED",
      });
    waiting++;
    last = last.then(work).then(reply, (error: unknown) => reply(failure(id, error)));
    last = last.finally(() => waiting--);
  }

  function loaded(): Model {
    if (!model) throw new InputError("no model is loaded: load one first", { code: "NOT_READY" });
    return model;
  }

  async function load({ id, bytes, module }: Of<"load">): Promise<Reply> {
    model?.dispose();
    model = undefined;
    model = await loadModelFromBytes(bytes, { module });
    return { type: "loaded", id, info: model.info };
  }

  async function generate(request: Of<"generate"> | Of<"chat">, own: Running): Promise<Reply> {
    const { id, spec, rowsSpec } = request;
    const { signal } = own.cancel;
    try {
      const from = loaded();
      if (signal.aborted) return { type: "done", id, finish: "cancelled" };
      const chain = chainOf(readSpec(spec), rowsSpec === undefined ? undefined : readSpec(rowsSpec));
      own.generation = started(from, request, { chain, signal });
      for await (const piece of own.generation) reply({ type: "token", id, ...tokenOf(piece, from) });
      const stats = own.generation.stats();
      return { type: "done", id, finish: stats.finish!, stats };
    } catch (error) {
      if (!(error instanceof AbortError)) throw error;
      return { type: "done", id, ...cancelled(own.generation) };
    } finally {
      running.delete(id);
    }
  }

  async function logits({ id, prompt, contextSize, special, last: rows }: Of<"logits">): Promise<Reply> {
    return { type: "logits", id, logits: await loaded().logits(prompt, { contextSize, special, last: rows }) };
  }

  function texts({ id, tokens }: Of<"texts">): void {
    const from = loaded();
    tokenList(from.info.vocabSize - 1)(tokens, "tokens");
    reply({ type: "texts", id, texts: Array.from(tokens, (token) => from.textOf(token)) });
  }

  const tokenize = ({ id, text, special }: Of<"tokenize">): void =>
    reply({ type: "tokens", id, tokens: loaded().tokenize(text, { special }) });

  function runningOf(generation: number): Running {
    const found = running.get(generation);
    if (found) return found;
    throw new InputError(`there is no generation ${generation}: it has ended, or was never requested`, {
      code: "ENDED",
    });
  }

  function setUniforms({ id, generation, values }: Of<"setUniforms">): void {
    const own = runningOf(generation);
    if (!own.generation)
      throw new InputError(`generation ${generation} has not started: it is waiting for others`, { code: "NOT_READY" });
    own.generation.setUniforms(values);
    reply({ type: "accepted", id });
  }

  function handle(request: Request): void {
    switch (request.type) {
      case "load":
        return inTurn(request.id, () => load(request));
      case "generate":
      case "chat": {
        const own: Running = { cancel: new AbortController() };
        if (running.has(request.id))
          throw new InputError(`generation ${request.id} already exists`, { code: "INVALID_ARGUMENT" });
        inTurn(request.id, () => generate(request, own));
        return void running.set(request.id, own);
      }
      case "logits":
        return inTurn(request.id, () => logits(request));
      case "texts":
        return texts(request);
      case "tokenize":
        return tokenize(request);
      case "setUniforms":
        return setUniforms(request);
      case "cancel":
        runningOf(request.generation).cancel.abort();
        return reply({ type: "accepted", id: request.id });
      default:
        throw new InputError(`unknown request \`${String((request as { type?: unknown }).type)}\``, {
          code: "INVALID_ARGUMENT",
        });
    }
  }

  port.onmessage = ({ data }) => {
    const request = (data ?? {}) as Request;
    try {
      handle(request);
    } catch (error) {
      reply(failure(request.id ?? 0, error));
    }
  };
}

type Of<Type extends Request["type"]> = Request & { readonly type: Type };

function started(
  model: Model,
  request: Of<"generate"> | Of<"chat">,
  own: Pick<GenerateOptions, "signal"> & { readonly chain: Chain },
): Generation {
  if (request.type === "chat") {
    const { type: _, id: __, spec: ___, rowsSpec: ____, messages, ...options } = request;
    return model.chat(messages, { ...options, ...own });
  }
  const { type: _, id: __, spec: ___, rowsSpec: ____, prompt, ...options } = request;
  return model.generate(prompt, { ...options, ...own });
}

function tokenOf({ alternatives, logprobs, ...piece }: Piece, model: Model): Token {
  const named = <T extends { readonly token: number }>(one: T): T & { text: string } => ({
    ...one,
    text: model.textOf(one.token),
  });
  return {
    ...piece,
    ...(logprobs && { logprobs: logprobs.map(named) }),
    ...(alternatives && { alternatives: alternatives.map(named) }),
  };
}

function cancelled(generation: Generation | undefined): GenerationEnd {
  try {
    return { finish: "cancelled", ...(generation && { stats: generation.stats() }) };
  } catch {
    return { finish: "cancelled" }; // there are no statistics before the first token
  }
}

function failure(id: number, error: unknown): Reply {
  const { name, message, code }: Error & { code?: unknown } = error instanceof Error ? error : new Error(String(error));
  return { type: "error", id, name, message, ...(typeof code === "string" && { code }) };
}
