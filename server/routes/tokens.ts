/** `POST /tokenize` and `POST /detokenize`, in the form of llama-server: texts as tokens, and tokens as a text. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { nextTask } from "ggsl/core/nextTask.js";
import type { Model } from "ggsl/models/model.js";
import { checkTokens, inField } from "../engine/plan.js";
import { most } from "../http/limits.js";
import { laneOf } from "../lanes/lane.js";
import type { DetokenizeBody, TokenizeBody } from "../request/bodies.js";
import { Refusal } from "../refusal.js";
import type { Serving } from "../serving.js";
import { addPost, answered, chooseModel } from "./exchange.js";

/** Tokens whose texts are looked up before others are answered. */
const PART = 4096;

export function addTokens(app: FastifyInstance, serving: Serving): void {
  addPost(app, serving, "tokenize", (request, reply) => tokenize(serving, request, reply));
  addPost(app, serving, "detokenize", (request, reply) => detokenize(serving, request, reply));
}

function tokenize(serving: Serving, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { model: name, content, ...options } = request.body as TokenizeBody;
  const { add_special: addSpecial = false, parse_special: special = true, with_pieces: withPieces = false } = options;
  chooseModel(serving, reply, name);
  const { model } = serving.engine;
  return answered(serving, reply, async (signal) => {
    const given = { addSpecial, special, mostTokens: most("items"), lane: laneOf(request), signal };
    const tokens = await inField("content", model.tokenizeLater(content, given)).catch(tooMany);
    if (!withPieces) return reply.send({ tokens: Array.from(tokens) });
    const texts = await inParts(tokens, (part) => JSON.stringify(Array.from(part, pieces(model))).slice(1, -1));
    return reply.type("application/json; charset=utf-8").send(`{"tokens":[${texts.join(",")}]}`);
  });
}

/** A list of them would be too long for a request. */
function tooMany(error: unknown): never {
  if (!(error instanceof Refusal) || error.reason !== "context_length_exceeded") throw error;
  throw new Refusal("request_too_complex", error.message, { param: "content" });
}

/** A token with its text, or with its bytes, if they are no text. */
function pieces(model: Model): (token: number) => object {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (id) => {
    const bytes = model.bytesOf(id);
    try {
      return { id, piece: decoder.decode(bytes) };
    } catch {
      return { id, piece: Array.from(bytes) };
    }
  };
}

function detokenize(serving: Serving, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { model: name, tokens } = request.body as DetokenizeBody;
  chooseModel(serving, reply, name);
  const { model } = serving.engine;
  checkTokens(serving.engine, tokens, "tokens");
  return answered(serving, reply, async () => {
    const bytes = await inParts(tokens, (part) => Buffer.concat(Array.from(part, (token) => model.bytesOf(token))));
    return reply.send({ content: new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(bytes)) });
  });
}

/** Converts a list piece by piece; others are answered between. */
async function inParts<T>(
  tokens: Int32Array | readonly number[],
  convert: (part: Int32Array | readonly number[]) => T,
): Promise<T[]> {
  const parts: T[] = [];
  for (let i = 0; i < tokens.length; i += PART) {
    if (i > 0) await nextTask();
    parts.push(convert(tokens.slice(i, i + PART)));
  }
  return parts;
}
