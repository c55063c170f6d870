/** Bodies: JSON in UTF-8, read with limits of size and time, and checked before anything else reads it. */
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { guarded } from "../guarded.js";
import { laneOf } from "../lanes/lane.js";
import { Refusal } from "../refusal.js";
import type { HeldBytes, Holder } from "./held.js";
import { readJson } from "./json.js";
import { most, REQUEST_TIMES } from "./limits.js";

const UTF8 = /^utf-?8$/i;

/** Makes a body of its bytes, which are not empty. Throws a `Refusal`. */
export type ReadBytes = (bytes: Buffer) => unknown;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** JSON in UTF-8. */
const jsonOf: ReadBytes = (bytes) => readJson(textOf(bytes));

function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Refusal("invalid_json", "the body is not UTF-8");
  }
}

/** All paths take such bodies, and no others. */
export function addBodies(app: FastifyInstance, held: HeldBytes, readBytes: ReadBytes = jsonOf): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: IncomingMessage) => {
    const holder: Holder = { lane: laneOf(request) };
    request.answer.once(
      "close",
      guarded("close", () => held.release(holder)),
    );
    const bytes = await read(payload, holder, held);
    return bodyOf(bytes, request.headers["content-type"]);
  });

  function bodyOf(bytes: Buffer, type = ""): unknown {
    const [, charset] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type) ?? [];
    if (charset !== undefined && !UTF8.test(charset))
      throw new Refusal("unsupported_media_type", `the body must be in UTF-8, found the charset "${charset}"`);
    if (bytes.length === 0) throw new Refusal("invalid_json", "the body is empty: expected a JSON object");
    return readBytes(bytes);
  }
}

/** The bytes of a body. Throws a `Refusal` for one that is too large, that has no place, or that does not come. */
function read(payload: IncomingMessage, holder: Holder, held: HeldBytes): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const stalled = guarded("body", () =>
      end(new Refusal("request_timeout", `no byte of the body came for ${REQUEST_TIMES.stall / 1000} s`)),
    );
    const timer = setTimeout(stalled, REQUEST_TIMES.stall);
    const tooLarge = (): void =>
      end(new Refusal("request_too_large", `the body has more than ${most("bodyBytes")} bytes`));
    const onData = guarded("data", (part: Buffer) => {
      timer.refresh();
      if (length + part.length > most("bodyBytes")) return tooLarge();
      length += part.length;
      parts.push(part);
      held.add(holder, part.length);
    });
    const onEnd = guarded("end", () => end(undefined));
    const onGone = guarded("close", () => end(new Refusal("request_timeout", "the request was not sent whole")));
    /** What still comes is thrown away. */
    const end = (refusal: Refusal | undefined): void => {
      clearTimeout(timer);
      holder.refuse = undefined;
      payload.off("data", onData).off("end", onEnd).off("close", onGone);
      if (!refusal) return resolve(Buffer.concat(parts, length));
      parts.length = 0;
      held.release(holder);
      payload.resume();
      reject(refusal);
    };
    holder.refuse = end;
    if (Number(payload.headers["content-length"] ?? 0) > most("bodyBytes")) return tooLarge();
    // its error is followed by the end of the connection
    payload.on("error", onGone).on("data", onData).on("end", onEnd).on("close", onGone);
  });
}

/** Throws a `Refusal` for a body in an encoding that the server does not undo. */
export function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || /^\s*(identity)?\s*$/i.test(encoding)) return;
  throw new Refusal("unsupported_media_type", `the body must not be encoded, found the content encoding "${encoding}"`);
}
