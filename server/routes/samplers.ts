/** `POST /v1/samplers`: compiles a sampler and keeps it, so that requests can name it by its id. */
import type { FastifyInstance } from "fastify";
import { someObject, text } from "../openai/schemas.js";
import { Refusal } from "../refusal.js";
import { samplerJson } from "../samplers/samplers.js";
import type { Serving } from "../serving.js";

interface SamplerBody {
  readonly sampler: string | object;
  readonly sampler_chain?: string;
}

export const SAMPLER_BODY = {
  type: "object",
  properties: { sampler: { anyOf: [{ type: "string", minLength: 1 }, someObject] }, sampler_chain: text },
  required: ["sampler"],
} as const;

export function addSamplers(app: FastifyInstance, { samplers, isLenient }: Serving): void {
  app.post<{ Body: SamplerBody }>("/v1/samplers", { schema: { body: SAMPLER_BODY } }, async (request, reply) => {
    const { sampler, sampler_chain: chain, ...others } = request.body;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined && !isLenient)
      throw new Refusal("unknown_parameter", `unknown parameter \`${unknown}\` of /v1/samplers`, { param: unknown });
    const abort = new AbortController();
    reply.raw.once("close", () => abort.abort());
    return samplerJson(await samplers.get({ sampler, chain }, { client: request.key, signal: abort.signal }));
  });
}
