/** The Fastify application: what all requests have in common, and the routes. */
import Fastify, { type FastifyInstance } from "fastify";
import type { Usage } from "./engine/texts.js";
import { refusalFor } from "./faults.js";
import type { ApiKey } from "./keys/keys.js";
import { schemaRefusal } from "./openai/check.js";
import type { Schema } from "./openai/schemas.js";
import { Refusal } from "./refusal.js";
import { addCors } from "./routes/cors.js";
import { addFiles, type StaticFiles } from "./routes/files.js";
import { addGenerate } from "./routes/generate.js";
import { addLogits } from "./routes/logits.js";
import { addOpenApi } from "./routes/openapi.js";
import { addSamplers } from "./routes/samplers.js";
import { addStatus } from "./routes/status.js";
import type { Serving } from "./serving.js";

/** What the log and the metrics tell of a request. */
export interface Facts {
  usage?: Usage;
  /** The name of the chain. */
  sampler?: string;
  user?: string | undefined;
  /** Seconds in the queue. */
  waited?: number;
  error?: Refusal;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route for the log and the metrics, where many have one; default: its pattern. */
    label?: string;
  }
  interface FastifyRequest {
    /** Of paths that need a key. */
    key: ApiKey;
    /** When it came, as of `performance.now`. */
    started: number;
    facts: Facts;
  }
}

/** A request that was answered, or whose client has gone. */
export interface Answered {
  readonly method: string;
  /** The pattern of the path; never one that a client chose. */
  readonly route: string;
  /** 499 if the client has gone before. */
  readonly status: number;
  readonly milliseconds: number;
  /** The name of the key. */
  readonly key: string | undefined;
  readonly facts: Facts;
  readonly body: unknown;
}

export interface AppOptions {
  readonly serving: Serving;
  /** A folder of static files for `/`. */
  readonly files: StaticFiles;
  /** Whose pages may read answers. */
  readonly cors: readonly string[];
  readonly onAnswered: (answered: Answered) => void;
}

/** Milliseconds for a whole request to arrive; against clients that send slowly. */
const REQUEST_TIMEOUT = 60_000;
const GONE = 499;

/** Paths that need a key. */
const isGuarded = (path: string): boolean => /^\/(v1\/|metrics$)/.test(path);

export function buildApp({ serving, files, cors, onAnswered }: AppOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: serving.bodyLimit,
    requestTimeout: REQUEST_TIMEOUT,
    // one that goes away ends its own text; those that are idle need not be waited for
    forceCloseConnections: "idle",
    return503OnClosing: false,
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, allowUnionTypes: true } },
    clientErrorHandler: (_, socket) => {
      if (socket.writable) socket.write("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      socket.destroy();
    },
  });
  // bodies are JSON
  app.removeContentTypeParser("text/plain");
  app.decorateRequest("key");
  app.decorateRequest("started", 0);
  app.decorateRequest("facts");

  app.addHook("onRequest", (request, reply, done) => {
    request.started = performance.now();
    request.facts = {};
    const { raw } = reply;
    raw.once("close", () =>
      onAnswered({
        ...{
          method: request.method,
          route: request.routeOptions.config.label ?? request.routeOptions.url ?? "unknown",
        },
        ...{ status: raw.writableFinished ? raw.statusCode : GONE, milliseconds: performance.now() - request.started },
        ...{ key: request.key?.name, facts: request.facts, body: request.body },
      }),
    );
    done();
  });
  addCors(app, cors);
  app.addHook("onRequest", (request, _, done) => {
    const { url } = request.routeOptions;
    if (url !== undefined && isGuarded(url)) request.key = serving.keys.identify(request.headers.authorization);
    done();
  });

  app.setErrorHandler((error, request, reply) => {
    const { validation } = error as { readonly validation?: Parameters<typeof schemaRefusal>[0] };
    const refusal = validation
      ? schemaRefusal(validation, request.routeOptions.schema?.body as Schema, request.body)
      : refusalFor(error);
    request.facts.error = refusal;
    serving.metrics.refused(refusal.reason);
    // a body that was not read to its end
    if (refusal.status === 413 || refusal.status === 408) void reply.header("connection", "close");
    void reply.code(refusal.status).headers(refusal.headers).send(refusal.body);
  });

  app.setNotFoundHandler((request, reply) => {
    const [path = "/"] = request.url.split("?");
    const methods = (["GET", "POST"] as const).filter((method) => app.hasRoute({ method, url: path }));
    if (methods.length === 0) throw new Refusal("unknown_route", `there is no ${path}: /openapi.json lists the paths`);
    void reply.header("allow", methods.join(", "));
    throw new Refusal("method_not_allowed", `${path} takes ${methods.join(", ")}, found ${request.method}`);
  });

  addGenerate(app, serving);
  addLogits(app, serving);
  addSamplers(app, serving);
  addStatus(app, serving);
  addOpenApi(app);
  addFiles(app, { ...files, needsKey: serving.keys.isRequired });
  return app;
}
