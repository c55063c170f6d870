/** Bodies: JSON in UTF-8, checked before anything reads it. */
import type { FastifyInstance } from "fastify";
import { Refusal } from "../refusal.js";
import { readJson } from "./json.js";

const UTF8 = /^utf-?8$/i;

/** All paths take such bodies, and no others. */
export function addBodies(app: FastifyInstance): void {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>("application/json", { parseAs: "buffer" }, (request, bytes, done) => {
    try {
      done(null, bodyOf(bytes, request.headers["content-type"]));
    } catch (error) {
      done(error as Error);
    }
  });

  function bodyOf(bytes: Buffer, type = ""): unknown {
    const [, charset] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type) ?? [];
    if (charset !== undefined && !UTF8.test(charset))
      throw new Refusal("unsupported_media_type", `the body must be in UTF-8, found the charset "${charset}"`);
    if (bytes.length === 0) throw new Refusal("invalid_json", "the body is empty: expected a JSON object");
    return readJson(textOf(bytes));
  }

  function textOf(bytes: Buffer): string {
    try {
      return decoder.decode(bytes);
    } catch {
      throw new Refusal("invalid_json", "the body is not UTF-8");
    }
  }
}

/** Throws a `Refusal` for a body in an encoding that the server does not undo. */
export function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || /^\s*(identity)?\s*$/i.test(encoding)) return;
  throw new Refusal("unsupported_media_type", `the body must not be encoded, found the content encoding "${encoding}"`);
}
