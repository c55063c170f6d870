/** The Fastify application: what all requests have in common, and the routes. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Asked, ErrorForm } from "./apis/api.js";
import { errorsFor } from "./apis/errors.js";
import { inClientsNames } from "./apis/read.js";
import type { Usage } from "./engine/texts.js";
import { refusalFor } from "./faults.js";
import { guarded } from "./guarded.js";
import { addBodies, checkEncoding, type ReadBytes } from "./http/body.js";
import { checkUrl, clientRefusal, refuseOn, refuseOthers } from "./http/faults.js";
import type { Connections } from "./http/connections.js";
import { setHeaders } from "./http/headers.js";
import type { HeldBytes } from "./http/held.js";
import { addHosts, type Hosts } from "./http/hosts.js";
import { LOOK_EVERY, most, REQUEST_TIMES } from "./http/limits.js";
import { pathOf } from "./http/path.js";
import { REQUEST_ID, requestIdOf } from "./http/requestId.js";
import type { ApiKey } from "./keys/keys.js";
import { KEY_HEADER } from "./keys/ring.js";
import type { Proxies } from "./lanes/proxies.js";
import { schemaRefusal } from "./request/check.js";
import type { FieldSchema } from "./request/schemas.js";
import { Refusal, type RefusalReason } from "./refusal.js";
import { addCors } from "./routes/cors.js";
import { addCountTokens } from "./routes/countTokens.js";
import { addFiles, filePaths, type StaticFiles } from "./routes/files.js";
import { addGenerate } from "./routes/generate.js";
import { addLogits } from "./routes/logits.js";
import { addModels } from "./routes/models.js";
import { addOllama } from "./routes/ollama.js";
import { addOpenApi } from "./routes/openapi.js";
import { methodsOf, unknownRoute } from "./routes/paths.js";
import { addSamplers } from "./routes/samplers.js";
import { addStatus } from "./routes/status.js";
import { addTemplate } from "./routes/template.js";
import { addTokens } from "./routes/tokens.js";
import type { Serving } from "./serving.js";

/** What the log and the metrics tell of a request. */
interface Facts {
  usage?: Usage;
  /** The name of the chain. */
  sampler?: string;
  user?: string | undefined;
  /** Seconds in the queue. */
  waited?: number;
  error?: Refusal;
  /** Fields that had no effect. */
  ignored?: readonly string[];
  /** The id of the answer. */
  answer?: string;
  /** The process of a model has answered, and has told it. */
  isPassed?: boolean;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route for the log and the metrics, where many have one; default: its pattern. */
    label?: string;
    /** Of its refusals; default: OpenAI's. */
    errors?: ErrorForm;
  }
  interface FastifyRequest {
    /** Of paths that need a key. */
    key: ApiKey;
    /** What is sent to the client. */
    answer: ServerResponse;
    /** When it came, as of `performance.now`. */
    started: number;
    facts: Facts;
    /** Of paths that write texts, once the body was read. */
    asked: Asked | undefined;
  }
}

/** A request that was answered, or whose client has gone. */
export interface Answered {
  /** Of the request. */
  readonly id: string;
  /** The address of the client. */
  readonly client: string;
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
  readonly serving: Pick<Serving, "keys" | "metrics">;
  /** Adds the paths, but for those of files. */
  readonly addRoutes: (app: FastifyInstance) => void;
  /** A folder of static files for `/`. */
  readonly files: StaticFiles;
  /** By which names it may be asked for. */
  readonly hosts: Hosts;
  /** Whose pages may read answers. */
  readonly cors: readonly string[];
  /** Whose word about the addresses of clients is taken. */
  readonly proxies: Proxies;
  readonly connections: Connections;
  readonly held: HeldBytes;
  /** What bodies are made into; default: what their JSON says. */
  readonly readBytes?: ReadBytes;
  readonly onAnswered: (answered: Answered) => void;
}

const GONE = 499;

/** The body of a request that is refused for these may not have been read to its end. */
const CLOSING: ReadonlySet<RefusalReason> = new Set([
  ...(["request_too_large", "request_timeout", "too_many_connections", "too_many_bytes", "server_full"] as const),
]);

/** Paths that need no key: others do. */
const OPEN: ReadonlySet<string> = new Set(["/health", "/ready", "/openapi.json", ...["/", "/index.html", "/*"]]);

export function buildApp(options: AppOptions): FastifyInstance {
  const { serving, addRoutes, files, hosts, cors, proxies, connections, held, readBytes, onAnswered } = options;
  const { metrics } = serving;
  const paths = filePaths({ ...files, needsKey: serving.keys.isRequired });
  const methods = methodsOf({ has: (path) => paths.has(decoded(path)) });
  const app = Fastify({
    bodyLimit: most("bodyBytes"),
    genReqId: ({ headers }) => requestIdOf(headers[REQUEST_ID]),
    // there is one for each address of a name
    serverFactory(handler) {
      const server: Server = createServer(
        {
          maxHeaderSize: most("headerBytes"),
          keepAliveTimeout: REQUEST_TIMES.idle,
          // a request without a host gets a refusal in the form of the others
          requireHostHeader: false,
          headersTimeout: REQUEST_TIMES.headers,
          requestTimeout: REQUEST_TIMES.request,
          connectionsCheckingInterval: LOOK_EVERY,
        },
        handler,
      );
      connections.watch(server);
      refuseOthers(server, ({ reason }) => metrics.refused(reason));
      return server;
    },
    // one that goes away ends its own text; those that are idle need not be waited for
    forceCloseConnections: "idle",
    return503OnClosing: false,
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, allowUnionTypes: true } },
    clientErrorHandler: guarded("clientError", (error: Error, socket: Socket) => {
      const refusal = clientRefusal(error);
      if (refusal) metrics.refused(refusal.reason);
      refuseOn(socket, refusal);
    }),
    // addresses that no route can have: hooks do not run for them
    frameworkErrors(error, request, reply) {
      begin(request, reply);
      refuse(error, request, reply);
    },
  });
  addBodies(app, held, readBytes);
  app.decorateRequest("key");
  app.decorateRequest("client", "");
  app.decorateRequest("started", 0);
  app.decorateRequest("answer");
  app.decorateRequest("facts");
  app.decorateRequest("asked");

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = reply;
    setHeaders(reply, { [REQUEST_ID]: request.id });
    request.started = performance.now();
    request.answer = raw;
    request.client = proxies.clientOf(request.socket.remoteAddress, request.headers);
    request.facts = {};
    raw.once(
      "close",
      guarded("close", () => onAnswered(answeredOf(request, raw))),
    );
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const refusal = refusalOf(error, request);
    request.facts.error = refusal;
    metrics.refused(refusal.reason);
    setHeaders(reply, { connection: CLOSING.has(refusal.reason) ? "close" : undefined });
    void setHeaders(reply, refusal.headers).code(refusal.status).send(formOf(request)(refusal, request.id));
  }

  /** The form of errors of a path. */
  const formOf = ({ routeOptions, url }: FastifyRequest): ErrorForm =>
    routeOptions.config?.errors ?? errorsFor(pathOf(url));

  app.addHook("onRequest", (request, reply, done) => {
    begin(request, reply);
    const refusal = connections.refusalOf(request.socket);
    if (refusal) throw refusal;
    checkUrl(request.url);
    done();
  });
  addHosts(app, hosts);
  addCors(app, cors);
  // before the body is read
  app.addHook("onRequest", (request, reply, done) => {
    const { url } = request.routeOptions;
    if (request.is404) throw notFound(request, reply);
    if (url !== undefined && !OPEN.has(url)) request.key = identify(request);
    checkEncoding(request.headers["content-encoding"]);
    done();
  });

  const identify = (request: FastifyRequest): ApiKey =>
    serving.keys.identify(authorizationOf(request), request.headers[KEY_HEADER]);

  function notFound({ url, method }: FastifyRequest, reply: FastifyReply): Refusal {
    const path = pathOf(url);
    const taken = methods(path);
    if (taken.length === 0) return unknownRoute(path);
    setHeaders(reply, { allow: taken.join(", ") });
    return new Refusal("method_not_allowed", `${path} takes ${taken.join(", ")}, found ${method}`);
  }

  app.setErrorHandler(refuse);
  app.setNotFoundHandler((request, reply) => {
    throw notFound(request, reply);
  });

  addRoutes(app);
  addFiles(app, paths, notFound);
  return app;
}

/** The paths of a server with a model. */
export function addModelRoutes(app: FastifyInstance, serving: Serving): void {
  addGenerate(app, serving);
  addCountTokens(app, serving);
  addLogits(app, serving);
  addSamplers(app, serving);
  addTokens(app, serving);
  addTemplate(app, serving);
  addModels(app, serving);
  addOllama(app, serving);
  addStatus(app, serving);
  addOpenApi(app);
}

/** The key is in either header; that of Anthropic's API counts where the other is absent. */
function authorizationOf({ headers: { authorization, "x-api-key": apiKey } }: FastifyRequest): string | undefined {
  return authorization ?? (typeof apiKey === "string" ? `Bearer ${apiKey}` : undefined);
}

/** What became of a request whose connection is closed, or whose answer is sent. */
function answeredOf(request: FastifyRequest, raw: ServerResponse): Answered {
  const { id, client, method, key, facts, body, routeOptions } = request;
  const isKnown = facts.error?.reason !== "unknown_route" && facts.error?.reason !== "method_not_allowed";
  const route = isKnown ? (routeOptions.config?.label ?? routeOptions.url) : undefined;
  return {
    id,
    client,
    method,
    route: route ?? "unknown",
    status: raw.writableFinished ? raw.statusCode : GONE,
    milliseconds: performance.now() - request.started,
    key: key?.name,
    facts,
    body,
  };
}

/** The refusal of any error: also of one that cannot be told. */
function refusalOf(error: unknown, { routeOptions, body, asked }: FastifyRequest): Refusal {
  try {
    const { validation } = (error ?? {}) as { readonly validation?: Parameters<typeof schemaRefusal>[0] };
    if (validation) return schemaRefusal(validation, routeOptions.schema?.body as FieldSchema, body);
    const refusal = refusalFor(error);
    return asked ? inClientsNames(refusal, asked.origins) : refusal;
  } catch (fault) {
    return refusalFor(fault);
  }
}

/** A path without its escapes; as it is, if they are broken. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
