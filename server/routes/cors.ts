/** Pages of other origins: the headers by which browsers let them read answers (CORS). Keys are headers, so no cookies are allowed. */
import type { FastifyInstance } from "fastify";
import { setHeaders } from "../http/headers.js";
import { REQUEST_ID } from "../http/requestId.js";
import { QUOTA_HEADERS } from "../keys/quotas.js";
import { IGNORED } from "./exchange.js";

/** Seconds that a browser remembers what it may send. */
const REMEMBERED = "600";
const METHODS = "GET, POST";
/** Any other headers that a client's library adds are allowed by name. */
const HEADERS = "authorization, content-type";
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;
/** Characters of their list. */
const MOST_ASKED = 1000;
/** Beyond those that pages can always read. */
const READABLE = ["retry-after", IGNORED, REQUEST_ID, ...Object.values(QUOTA_HEADERS)].join(", ");

/** @param origins that may read answers; `*`: all */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const isAll = origins.includes("*");
  const allowed = new Set(origins);
  // before keys are asked for: a browser asks without one, and a page reads why it was refused
  app.addHook("onRequest", (request, reply, done) => {
    const { origin } = request.headers;
    if (!isAll) setHeaders(reply, { vary: "origin" });
    if (origin === undefined || !(isAll || allowed.has(origin))) return done();
    setHeaders(reply, {
      "access-control-allow-origin": isAll ? "*" : origin,
      "access-control-expose-headers": READABLE,
    });
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return done();
    const asked = request.headers["access-control-request-headers"];
    setHeaders(reply, {
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers":
        asked !== undefined && asked.length <= MOST_ASKED && HEADER_NAMES.test(asked) ? asked : HEADERS,
      "access-control-max-age": REMEMBERED,
    });
    void reply.code(204).send();
  });
}
