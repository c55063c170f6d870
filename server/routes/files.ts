/** `GET /`: a folder of static files, such as the built playground; without one a list of the paths. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, type Dirent } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import type { FastifyInstance } from "fastify";
import { InputError } from "ggsl/errors.js";
import { ROUTES } from "./openapi.js";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
};

export interface StaticFiles {
  readonly folder: string | undefined;
  /** Names in `assets/` change with the contents of the files. */
  readonly areHashed: boolean;
}

export interface FilesOptions extends StaticFiles {
  readonly needsKey: boolean;
}

/**
 * In the playground's page. A server writes into it that it is there, and whether it asks for a key: `open`, `key`; the development
 * server writes `own`: a server for this page alone.
 */
export const MARK = '<meta name="ggsl-server" content="none" />';

/** All other files are one route: their names change with each version. */
const PAGES: ReadonlySet<string> = new Set(["/", "/index.html"]);

/** The paths of the folder's files are read when the server starts: no other path reaches the disk. */
export function addFiles(app: FastifyInstance, { folder, areHashed, needsKey }: FilesOptions): void {
  if (folder === undefined) {
    const list = Object.entries(ROUTES).map(([route, about]) => `${route.padEnd(28)}${about}\n`);
    app.get("/", (_, reply) => reply.type("text/plain; charset=utf-8").send(list.join("")));
    return;
  }
  const marked = MARK.replace("none", needsKey ? "key" : "open");
  for (const entry of entriesOf(folder)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const url = relative(folder, path).split(sep).map(encodeURIComponent).join("/");
    const type = TYPES[extname(entry.name)] ?? "application/octet-stream";
    const isFixed = areHashed && url.startsWith("assets/");
    const read = openFile(path, (bytes) =>
      url.endsWith(".html") ? Buffer.from(bytes.toString().replace(MARK, marked)) : bytes,
    );
    const urls = [`/${url}`, ...(url === "index.html" ? ["/"] : [])];
    for (const one of urls)
      app.get(one, { config: { label: PAGES.has(one) ? "/" : "/*" } }, (request, reply) => {
        const { bytes, tag } = read();
        void reply.headers({
          ...{ "x-content-type-options": "nosniff", etag: tag },
          "cache-control": isFixed ? "public, max-age=31536000, immutable" : "no-cache",
        });
        if (request.headers["if-none-match"]?.includes(tag)) return reply.code(304).send();
        return reply.type(type).send(bytes);
      });
  }
}

interface Kept {
  readonly modified: number;
  readonly bytes: Buffer;
  readonly tag: string;
}

/** Reads a file when it has changed, and keeps what is sent and its hash. */
function openFile(path: string, convert: (bytes: Buffer) => Buffer): () => Kept {
  let kept: Kept | undefined;
  return () => {
    const modified = statSync(path).mtimeMs;
    if (kept?.modified === modified) return kept;
    const bytes = convert(readFileSync(path));
    return (kept = { modified, bytes, tag: `"${createHash("sha256").update(bytes).digest("base64url")}"` });
  };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    throw new InputError(`the folder "${folder}" cannot be read: ${(error as Error).message}`, {
      code: "UNREADABLE_FILE",
      cause: error,
    });
  }
}
