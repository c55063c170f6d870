/** `POST /v1/samplers`: compiles a sampler and keeps it, so that requests can name it by its id. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { guarded } from "../guarded.js";
import { tidyBody } from "../request/check.js";
import { someObject, text } from "../request/schemas.js";
import { samplerJson } from "../samplers/samplers.js";
import type { Serving } from "../serving.js";
import { chooseModel, clientOf, ignore } from "./exchange.js";

interface SamplerBody {
  readonly sampler: string | object;
  readonly sampler_chain?: string;
  readonly model?: string;
}

export const SAMPLER_BODY = {
  type: "object",
  properties: { sampler: { anyOf: [{ type: "string", minLength: 1 }, someObject] }, sampler_chain: text, model: text },
  required: ["sampler"],
  additionalProperties: false,
} as const;

export function addSamplers(app: FastifyInstance, serving: Serving): void {
  const { samplers, isLenient } = serving;
  const preValidation = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const ignored: string[] = [];
    request.body = tidyBody(SAMPLER_BODY, request.body, isLenient, ignored);
    ignore(reply, ignored);
    done();
  };
  const options = { schema: { body: SAMPLER_BODY }, preValidation };
  app.post<{ Body: SamplerBody }>("/v1/samplers", options, async (request, reply) => {
    const { sampler, sampler_chain: chain, model } = request.body;
    chooseModel(serving, reply, model);
    const abort = new AbortController();
    reply.raw.once(
      "close",
      guarded("close", () => abort.abort()),
    );
    return samplerJson(await samplers.get({ sampler, chain }, { client: clientOf(request), signal: abort.signal }));
  });
}
