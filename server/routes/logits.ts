/** `POST /v1/logits`: the model's logits after a prompt; `GET /v1/tokens`: what its tokens are. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { promptOf } from "../engine/plan.js";
import { openUsage } from "../engine/texts.js";
import { setHeaders } from "../http/headers.js";
import { laneOf } from "../lanes/lane.js";
import { usageOf } from "../apis/openai/answers.js";
import type { LogitsBody } from "../request/bodies.js";
import type { Serving } from "../serving.js";
import { addPost, admit, answered, chooseModel, takeQuota } from "./exchange.js";

const OCTETS = "application/octet-stream";

export function addLogits(app: FastifyInstance, serving: Serving): void {
  const inTurn = turns();
  addPost(app, serving, "logits", (request, reply) => answer(serving, inTurn, request, reply));

  let texts: string | undefined;
  app.get("/v1/tokens", (_, reply) => {
    const { model } = serving.engine;
    texts ??= JSON.stringify({
      object: "list",
      model: serving.engine.name,
      data: Array.from({ length: model.info.vocabSize }, (_, token) => model.textOf(token)),
    });
    void reply.type("application/json; charset=utf-8");
    return texts;
  });
}

type InTurn = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs tasks one after the other: each opens a context, which takes memory. */
function turns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const own = last.then(task);
    last = own.catch(() => undefined);
    return own;
  };
}

function answer(serving: Serving, inTurn: InTurn, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { engine, metrics } = serving;
  const body = request.body as LogitsBody;
  const { name } = chooseModel(serving, reply, body.model);
  request.facts.user = body.user;
  return answered(serving, reply, async (signal) => {
    const prompt = await promptOf(engine, body, { lane: laneOf(request), signal });
    using _quota = takeQuota(serving, request, reply, [prompt]);
    using _ticket = await admit(serving, request, { texts: [prompt.length], signal });
    const logits = await inTurn(() => {
      signal.throwIfAborted();
      return engine.model.logits(prompt, { contextSize: prompt.length, signal });
    });
    const usage = (request.facts.usage = { ...openUsage(), promptTokens: prompt.length });
    metrics.tokens("prompt", prompt.length);
    const vary = reply.getHeader("vary");
    setHeaders(reply, { vary: typeof vary === "string" ? `${vary}, accept` : "accept" });
    if (wantsOctets(request)) return await reply.type(OCTETS).send(octetsOf(logits));
    return await reply.send({
      object: "logits",
      model: name,
      logits: Array.from(logits, finite),
      usage: usageOf(usage),
    });
  });
}

const wantsOctets = ({ headers: { accept = "" } }: FastifyRequest): boolean =>
  accept.split(",").some((one) => one.split(";")[0]!.trim().toLowerCase() === OCTETS);

/** JSON has no infinity. */
const finite = (logit: number): number | null => (Number.isFinite(logit) ? logit : null);

/** 32-bit floats, the least significant octet first. */
function octetsOf(logits: Float32Array): Buffer {
  const octets = Buffer.alloc(4 * logits.length);
  logits.forEach((logit, token) => octets.writeFloatLE(logit, 4 * token));
  return octets;
}
