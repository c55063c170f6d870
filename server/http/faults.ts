/**
 * Requests that no route sees, since they are not HTTP, too large, or not sent in time: Node's own answers have no form. These have
 * that of all refusals.
 */
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Refusal } from "../refusal.js";
import { guarded } from "../guarded.js";
import { most } from "./limits.js";

/** Milliseconds for an answer to be read, before the connection is cut. */
const LINGER = 1000;

interface ClientError extends Error {
  readonly code?: string;
  /** What was received last. */
  readonly rawPacket?: Buffer;
}

/** The refusal of what Node could not read as a request; undefined for a client that has gone. */
export function clientRefusal({ code, message, rawPacket }: ClientError): Refusal | undefined {
  switch (code) {
    case "ECONNRESET":
    case "EPIPE":
      return undefined;
    case "HPE_HEADER_OVERFLOW":
      return isLongUrl(rawPacket) ? tooLong() : tooLarge();
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new Refusal("request_too_large", "the extensions of a chunk of the body are too large");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Refusal("request_timeout", "the request was not sent in time");
    default:
      return new Refusal("malformed_request", `the request is not HTTP: ${message.replace(/^Parse Error: /, "")}`);
  }
}

const isLongUrl = (bytes: Buffer | undefined): boolean =>
  /^[A-Z-]+ \S*$/.test(bytes?.subarray(0, most("urlLength")).toString("latin1") ?? "");

const tooLong = (): Refusal => new Refusal("url_too_long", `the address has more than ${most("urlLength")} characters`);
const tooLarge = (): Refusal =>
  new Refusal("headers_too_large", `the address and the headers have more than ${most("headerBytes")} bytes`);

/** Throws a `Refusal` for an address that is too long. */
export function checkUrl(url: string): void {
  if (url.length > most("urlLength")) throw tooLong();
}

/** Answers on a connection where no answer has begun, and ends it. */
export function refuseOn(socket: Socket, refusal: Refusal | undefined): void {
  // Node keeps the answer that is written
  const { _httpMessage: answer } = socket as Socket & { readonly _httpMessage?: ServerResponse | null };
  if (!refusal || !socket.writable || answer?.headersSent) return void socket.destroy();
  const { status, headers } = refusal;
  const body = JSON.stringify(refusal.body);
  const lines = Object.entries({
    connection: "close",
    "content-type": "application/json; charset=utf-8",
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]!}\r\n${lines.join("")}\r\n${body}`);
  setTimeout(
    guarded("connection", () => socket.destroy()),
    LINGER,
  ).unref();
}

/** Takes what Fastify does not: tunnels, and expectations. */
export function refuseOthers(server: Server, onRefused: (refusal: Refusal) => void): void {
  server.on(
    "connect",
    guarded("connect", (_: IncomingMessage, socket: Socket) => {
      const refusal = new Refusal("method_not_allowed", "this server is no proxy, and takes no CONNECT");
      onRefused(refusal);
      refuseOn(socket, refusal);
    }),
  );
  server.on(
    "checkExpectation",
    guarded("checkExpectation", ({ headers }: IncomingMessage, response: ServerResponse) => {
      const refusal = new Refusal(
        "expectation_failed",
        `only \`expect: 100-continue\` can be met, found "${headers.expect ?? ""}"`,
      );
      onRefused(refusal);
      response.writeHead(refusal.status, { connection: "close", "content-type": "application/json; charset=utf-8" });
      response.end(JSON.stringify(refusal.body));
    }),
  );
}
