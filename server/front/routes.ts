/** The paths of a front: most are answered by the process of the model that a request names. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { guarded } from "../guarded.js";
import { pathOf } from "../http/path.js";
import { ignore } from "../routes/exchange.js";
import { unknownModel } from "../routes/models.js";
import { addOpenApi, ROUTES } from "../routes/openapi.js";
import type { Fronting } from "./fronting.js";
import { addLists } from "./lists.js";
import { PassedBody } from "./passedBody.js";
import { pass } from "./proxy.js";

/** Of the front itself. */
const OWN: ReadonlySet<string> = new Set([
  ...["/", "/health", "/ready", "/metrics", "/openapi.json", "/v1/models"],
  ...["/api/tags", "/api/ps", "/api/version"],
]);

export function addFront(app: FastifyInstance, front: Fronting): void {
  for (const route of Object.keys(ROUTES)) {
    const [method = "", url = ""] = route.split(" ");
    if (!OWN.has(url)) app.route({ method, url, handler: (request, reply) => answer(front, request, reply) });
  }
  addOwn(app, front);
  addLists(app, front);
  addOpenApi(app);
}

function addOwn(app: FastifyInstance, { models, metrics }: Fronting): void {
  app.get("/health", () => ({ status: "ok" }));
  app.get("/ready", (_, reply) => {
    void reply.code(models.isOpen ? 200 : 503);
    return { status: models.isOpen ? "ready" : "shutting down", waiting: models.waiting, models: models.states };
  });
  app.get("/metrics", async (_, reply) => {
    void reply.type(metrics.contentType);
    return metrics.text();
  });
}

async function answer(front: Fronting, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const name = nameOf(front, request, reply);
  const gone = new AbortController();
  const leave = guarded("close", () => gone.abort());
  reply.raw.once("close", leave);
  try {
    using lease = await front.models.use(front.modelOf.get(name)!, gone.signal);
    reply.raw.off("close", leave);
    await pass({ request, reply, process: lease.process });
  } catch (error) {
    if (reply.raw.destroyed) return void reply.hijack();
    throw error;
  }
}

/** The name that a request gives, in its body or after `?model=`. Throws a `Refusal` for one that the front does not have. */
function nameOf({ names, modelOf, isLenient }: Fronting, request: FastifyRequest, reply: FastifyReply): string {
  const path = pathOf(request.url);
  const inBody = request.body instanceof PassedBody ? request.body.modelOn(path) : undefined;
  const { model: inUrl } = (request.query ?? {}) as { readonly model?: unknown };
  const named = [inBody, inUrl].find((one) => typeof one === "string" && one !== "") as string | undefined;
  // as Ollama's clients write it
  const given = path.startsWith("/api/") ? named?.replace(/:latest$/, "") : named;
  const [first] = names;
  if (given === undefined) return first;
  if (modelOf.has(given)) return given;
  if (!isLenient) throw unknownModel(names, given, "model");
  if (inBody === named) ignore(reply, ["model"]);
  return first;
}
