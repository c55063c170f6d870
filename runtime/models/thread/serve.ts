/** The worker's side: a model that handles one request at a time. */
import { readSpec } from "@ggsl/compiler/graph/json.js";
import { chainOf, type Chain } from "../../chain/chain.js";
import { AbortError, InputError, invalid } from "../../core/errors.js";
import type { GenerateOptions, Generation, Piece } from "../../generation/generate.js";
import { tokenList } from "../../core/sharedOptions.js";
import { loadModelFromBytes, type Model } from "../model.js";
import { answerRequests, webPort, type WebPort } from "../../core/requests.js";
import type { GenerationEnd, Reply, Request, Token } from "./messages.js";

/** The maximum number of queued and running requests. */
const MAX_REQUESTS = 16;

/** A requested generation that has not ended. */
interface Running {
  readonly cancel: AbortController;
  /** Absent until its turn. */
  generation?: Generation;
}

export function serve(port: WebPort): void {
  let model: Model | undefined;
  let last = Promise.resolve();
  let waiting = 0;
  const running = new Map<number, Running>();

  /** Runs `work` after all earlier requests. */
  function inTurn(work: () => Promise<Reply>): Promise<Reply> {
    if (waiting === MAX_REQUESTS)
      throw new InputError(`${MAX_REQUESTS} requests are already waiting: wait for one of them`, {
        code: "LIMIT_EXCEEDED",
      });
    waiting++;
    const reply = last.then(work).finally(() => waiting--);
    last = reply.then(
      () => undefined,
      () => undefined,
    );
    return reply;
  }

  function loaded(): Model {
    if (!model) throw new InputError("no model is loaded: load one first", { code: "NOT_READY" });
    return model;
  }

  async function load({ bytes, module }: Of<"load">): Promise<Reply> {
    model?.dispose();
    model = undefined;
    model = await loadModelFromBytes(bytes, { module });
    return { type: "loaded", info: model.info };
  }

  async function generate(id: number, request: Generated, note: (token: Token) => void): Promise<Reply> {
    const { spec, rowsSpec } = request;
    const own = runningOf(id);
    const { signal } = own.cancel;
    try {
      const from = loaded();
      if (signal.aborted) return { type: "done", finish: "cancelled" };
      const chain = chainOf(readSpec(spec), rowsSpec === undefined ? undefined : readSpec(rowsSpec));
      own.generation = started(from, request, { chain, signal });
      for await (const piece of own.generation) note(tokenOf(piece, from));
      const stats = own.generation.stats();
      return { type: "done", finish: stats.finish!, stats };
    } catch (error) {
      if (!(error instanceof AbortError)) throw error;
      return { type: "done", ...cancelled(own.generation) };
    } finally {
      running.delete(id);
    }
  }

  async function logits({ prompt, contextSize, special, last: rows }: Of<"logits">): Promise<Reply> {
    return { type: "logits", logits: await loaded().logits(prompt, { contextSize, special, last: rows }) };
  }

  function texts({ tokens }: Of<"texts">): Reply {
    const from = loaded();
    tokenList(from.info.vocabSize - 1)(tokens, "tokens");
    return { type: "texts", texts: Array.from(tokens, (token) => from.textOf(token)) };
  }

  const tokenize = ({ text, special }: Of<"tokenize">): Reply => ({
    type: "tokens",
    tokens: loaded().tokenize(text, { special }),
  });

  function runningOf(generation: number): Running {
    const found = running.get(generation);
    if (found) return found;
    throw new InputError(`there is no generation ${generation}: it has ended, or was never requested`, {
      code: "ENDED",
    });
  }

  function setUniforms({ generation, values }: Of<"setUniforms">): Reply {
    const own = runningOf(generation);
    if (!own.generation)
      throw new InputError(`generation ${generation} has not started: it is waiting for others`, { code: "NOT_READY" });
    own.generation.setUniforms(values);
    return { type: "accepted" };
  }

  function handle(request: Request, note: (token: Token) => void, id: number): Reply | Promise<Reply> {
    switch (request?.type) {
      case "load":
        return inTurn(() => load(request));
      case "generate":
      case "chat": {
        if (running.has(id)) throw invalid(`generation ${id} already exists`);
        const reply = inTurn(() => generate(id, request, note));
        running.set(id, { cancel: new AbortController() });
        return reply;
      }
      case "logits":
        return inTurn(() => logits(request));
      case "texts":
        return texts(request);
      case "tokenize":
        return tokenize(request);
      case "setUniforms":
        return setUniforms(request);
      case "cancel":
        runningOf(request.generation).cancel.abort();
        return { type: "accepted" };
      default:
        throw invalid(`unknown request \`${String((request as { type?: unknown } | undefined)?.type)}\``);
    }
  }

  answerRequests(webPort(port), handle, {
    transfer: (reply) => (reply.type === "logits" ? [reply.logits.buffer] : []),
  });
}

type Generated = Of<"generate"> | Of<"chat">;
type Of<Type extends Request["type"]> = Request & { readonly type: Type };

function started(
  model: Model,
  request: Generated,
  own: Pick<GenerateOptions, "signal"> & { readonly chain: Chain },
): Generation {
  if (request.type === "chat") {
    const { type: _, spec: __, rowsSpec: ___, messages, ...options } = request;
    return model.chat(messages, { ...options, ...own });
  }
  const { type: _, spec: __, rowsSpec: ___, prompt, ...options } = request;
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
