/** `GET /v1/models`, `/health`, `/ready`, `/metrics`. */
import type { FastifyInstance } from "fastify";
import { Refusal } from "../refusal.js";
import type { Serving } from "../serving.js";

export function addStatus(app: FastifyInstance, { engine, samplers, slots, queue, metrics }: Serving): void {
  const model = {
    id: engine.name,
    object: "model",
    created: engine.created,
    owned_by: "ggsl",
    context_length: engine.contextSize,
    samplers: samplers.named.map(({ name }) => name),
    slots: Object.fromEntries(slots),
  };
  app.get("/v1/models", () => ({ object: "list", data: [model] }));
  app.get<{ Params: { "*": string } }>("/v1/models/*", (request) => {
    const name = request.params["*"];
    if (name !== engine.name)
      throw new Refusal("unknown_model", `the model \`${name}\` does not exist: this server has \`${engine.name}\``);
    return model;
  });
  app.get("/health", () => ({ status: "ok" }));
  app.get("/ready", (_, reply) => {
    const { isOpen, isPaused, running, waiting, places } = queue;
    void reply.code(isOpen && !isPaused ? 200 : 503);
    const status = isOpen ? (isPaused ? "loading" : "ready") : "shutting down";
    return { status, running, waiting, places };
  });
  app.get("/metrics", async (_, reply) => {
    void reply.type(metrics.contentType);
    return metrics.text();
  });
}
