/** The paths of a front: most are answered by the process of the model that a request names. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { guarded } from "../guarded.js";
import type { Metrics } from "../metrics/metrics.js";
import { ignore } from "../routes/exchange.js";
import { unknownModel } from "../routes/models.js";
import { addOpenApi, ROUTES } from "../routes/openapi.js";
import type { Models } from "./models.js";
import { pass } from "./proxy.js";

interface Fronting {
  readonly models: Models;
  /** The models, and those with one of the server's samplers as `NAME:SAMPLER`; the first one is that of requests without a name. */
  readonly names: readonly [string, ...string[]];
  /** The model of each of these names. */
  readonly modelOf: ReadonlyMap<string, string>;
  readonly metrics: Metrics;
  /** Names of other models are those of the first one. */
  readonly isLenient: boolean;
  /** In seconds since 1970. */
  readonly created: number;
}

/** Of the front itself. */
const OWN: ReadonlySet<string> = new Set(["/", "/health", "/ready", "/metrics", "/openapi.json", "/v1/models"]);

export function addFront(app: FastifyInstance, front: Fronting): void {
  for (const route of Object.keys(ROUTES)) {
    const [method = "", url = ""] = route.split(" ");
    if (!OWN.has(url)) app.route({ method, url, handler: (request, reply) => answer(front, request, reply) });
  }
  addOwn(app, front);
  addOpenApi(app);
}

function addOwn(app: FastifyInstance, { models, names, modelOf, metrics, created }: Fronting): void {
  const entryOf = (name: string): object => {
    const own = modelOf.get(name)!;
    const { state } = models.states.find((model) => model.name === own)!;
    return { id: name, object: "model", created, owned_by: "ggsl", state };
  };
  app.get("/v1/models", () => ({ object: "list", data: names.map(entryOf) }));
  app.get<{ Params: { "*": string } }>("/v1/models/*", ({ params: { "*": name } }) => {
    if (!modelOf.has(name)) throw unknownModel(names, name, "model");
    return entryOf(name);
  });
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
  const { model: inBody } = (request.body ?? {}) as { readonly model?: unknown };
  const { model: inUrl } = (request.query ?? {}) as { readonly model?: unknown };
  const given = [inBody, inUrl].find((one) => typeof one === "string" && one !== "") as string | undefined;
  const [first] = names;
  if (given === undefined) return first;
  if (modelOf.has(given)) return given;
  if (!isLenient) throw unknownModel(names, given, "model");
  if (inBody === given) ignore(reply, ["model"]);
  return first;
}
