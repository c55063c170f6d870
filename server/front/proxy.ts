/** A request that a process of the front answers: its body and headers go there as they came, and the answer comes back as it is written. */
import http, { type IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { guarded } from "../guarded.js";
import { setHeaders } from "../http/headers.js";
import { REQUEST_ID } from "../http/requestId.js";
import { KEY_HEADER } from "../keys/ring.js";
import { Refusal } from "../refusal.js";
import { toldKey } from "./keys.js";
import { PassedBody } from "./passedBody.js";
import type { ModelProcess } from "./process.js";

/** Of a connection, or told by the front itself. */
const OWN: ReadonlySet<string> = new Set([
  ...[
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
  ],
  ...["host", "content-length", "expect", "origin", "authorization", "x-api-key", "forwarded", "x-forwarded-for"],
  ...[REQUEST_ID, KEY_HEADER],
]);

interface Passed {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly process: ModelProcess;
}

/** Resolves when the answer is sent, or the client has gone. Throws a `Refusal` if the process ends before it answers. */
export async function pass({ request, reply, process }: Passed): Promise<void> {
  const body = request.body instanceof PassedBody ? request.body.bytes : undefined;
  const sent = http.request(new URL(request.url, process.url), {
    method: request.method,
    headers: headersOf(request, process, body),
    agent: false,
  });
  const { raw } = reply;
  const abort = guarded("close", () => sent.destroy());
  raw.once("close", abort);
  try {
    const answer = await answerTo(sent, body);
    request.facts.isPassed = true;
    await send(answer, reply);
  } catch (error) {
    // the client has gone, or the answer has begun
    if (raw.destroyed || raw.headersSent) return void raw.destroy();
    throw gone(error);
  } finally {
    raw.off("close", abort);
  }
}

function headersOf({ headers, id, client, key }: FastifyRequest, { secret }: ModelProcess, body: Buffer | undefined) {
  const kept = Object.entries(headers).filter(([name]) => !OWN.has(name));
  return {
    ...Object.fromEntries(kept),
    authorization: `Bearer ${secret}`,
    "x-forwarded-for": client,
    [REQUEST_ID]: id,
    [KEY_HEADER]: toldKey(key),
    ...(body !== undefined && { "content-length": body.length }),
  };
}

const answerTo = (sent: http.ClientRequest, body: Buffer | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.once("response", resolve).once("error", guarded("error", reject));
    sent.end(body);
  });

/** What the process is slow to write, or the client to read, waits for the other. */
function send(answer: IncomingMessage, reply: FastifyReply): Promise<void> {
  const { raw } = reply;
  const { statusCode = 502, headers } = answer;
  for (const [name, value] of Object.entries(headers))
    if (!OWN.has(name) && value !== undefined)
      setHeaders(reply, { [name]: merged(reply, name, [value].flat().join(", ")) });
  reply.hijack();
  raw.writeHead(statusCode, reply.getHeaders() as http.OutgoingHttpHeaders);
  raw.flushHeaders();
  return new Promise((resolve, reject) => {
    raw.once("close", resolve);
    answer.once(
      "error",
      guarded("error", (error: Error) => {
        endStream(raw, headers["content-type"]);
        reject(error);
      }),
    );
    answer.pipe(raw);
  });
}

/** The front has headers of its own for browsers. */
function merged(reply: FastifyReply, name: string, value: string): string {
  const own = reply.getHeader(name);
  return name === "vary" && typeof own === "string" ? `${own}, ${value}` : value;
}

/** A stream of events ends with one that says why. */
function endStream(raw: http.ServerResponse, type = ""): void {
  if (type.startsWith("text/event-stream")) raw.end(`data: ${JSON.stringify(gone(undefined).body)}\n\n`);
}

const gone = (cause: unknown): Refusal =>
  new Refusal("model_unavailable", "the process of the model ended before it had answered: send the request again", {
    retryAfter: 1,
    cause,
  });
