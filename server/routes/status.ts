/** `GET /health`, `/ready`, `/metrics`. */
import type { FastifyInstance } from "fastify";
import type { Serving } from "../serving.js";

export function addStatus(app: FastifyInstance, { queue, metrics }: Serving): void {
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
