/** `GET /`: a folder of static files, such as the built playground; without one a list of the paths. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, type Dirent } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { InputError } from "ggsl/core/errors.js";
import { setHeaders } from "../http/headers.js";
import { pathOf } from "../http/path.js";
import type { Refusal } from "../refusal.js";
import { versionOf } from "../version.js";
import { ROUTES } from "./openapi.js";
import { unknownRoute } from "./paths.js";

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

interface FilesOptions extends StaticFiles {
  readonly needsKey: boolean;
}

/**
 * In the playground's page. A server writes into it that it is there, and whether it asks for a key: `open`, `key`; the development
 * server writes `own`: a server for this page alone.
 */
export const MARK = '<meta name="ggsl-server" content="none" />';

/** All other files are one route: their names change with each version. */
const PAGES: ReadonlySet<string> = new Set(["/", "/index.html"]);

/** A folder that pages may ask for although its name begins with a dot. */
const WELL_KNOWN = ".well-known";

/** The paths of files that are served, as they are after their escapes are undone. */
type FilePaths = ReadonlyMap<string, ServedFile>;

interface ServedFile {
  readonly type: string;
  /** Its name changes with its content. */
  readonly isFixed: boolean;
  readonly read: () => Kept;
}

/**
 * The files of a folder, read when the server starts: no other path reaches the disk. Files and folders whose names begin with a dot
 * are none of them, but `.well-known`. Throws `InputError` for a folder that cannot be read.
 */
export function filePaths({ folder, areHashed, needsKey }: FilesOptions): FilePaths {
  const files = new Map<string, ServedFile>();
  if (folder === undefined) return files;
  const marked = MARK.replace("none", needsKey ? "key" : "open");
  for (const entry of entriesOf(folder)) {
    const path = join(entry.parentPath, entry.name);
    const names = relative(folder, path).split(sep);
    if (!entry.isFile() || names.some((name) => name.startsWith(".") && name !== WELL_KNOWN)) continue;
    const url = `/${names.join("/")}`;
    const isPage = extname(entry.name) === ".html";
    const file = {
      type: TYPES[extname(entry.name)] ?? "application/octet-stream",
      isFixed: areHashed && names[0] === "assets",
      read: openFile(path, (bytes) => (isPage ? Buffer.from(bytes.toString().replace(MARK, marked)) : bytes)),
    };
    files.set(url, file);
    if (url === "/index.html") files.set("/", file);
  }
  return files;
}

/** @param absent the refusal of a path that is not there, or takes another method */
export function addFiles(
  app: FastifyInstance,
  files: FilePaths,
  absent: (request: FastifyRequest, reply: FastifyReply) => Refusal,
): void {
  if (!files.has("/")) {
    const list = Object.entries(ROUTES).map(([route, about]) => `${route.padEnd(28)}${about}\n`);
    app.get("/", (_, reply) => reply.type("text/plain; charset=utf-8").send(list.join("")));
  }
  for (const page of files.size > 0 ? [...PAGES].filter((path) => files.has(path)) : [])
    app.get(page, { config: { label: "/" } }, (request, reply) => send(files.get(page)!, request, reply));
  // one route whatever the names are: none of them is a pattern
  app.get<{ Params: { "*": string } }>("/*", { config: { label: "/*" } }, (request, reply) => {
    const file = files.get(`/${request.params["*"]}`);
    if (!file) throw absent(request, reply);
    return send(file, request, reply);
  });
}

function send({ type, isFixed, read }: ServedFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { bytes, tag } = present(read, request.url);
  setHeaders(reply, {
    "x-content-type-options": "nosniff",
    etag: tag,
    "cache-control": isFixed ? "public, max-age=31536000, immutable" : "no-cache",
  });
  if (request.headers["if-none-match"]?.includes(tag)) return reply.code(304).send();
  return reply.type(type).send(bytes);
}

/** One that has been removed since the start is not there any more. */
function present(read: () => Kept, url: string): Kept {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR") throw unknownRoute(pathOf(url));
    throw error;
  }
}

interface Kept {
  /** Of the file that was read. */
  readonly version: string;
  readonly bytes: Buffer;
  readonly tag: string;
}

/** Reads a file when it has changed, and keeps what is sent and its hash. */
function openFile(path: string, convert: (bytes: Buffer) => Buffer): () => Kept {
  let kept: Kept | undefined;
  return () => {
    const version = versionOf(path);
    if (kept?.version === version) return kept;
    const bytes = convert(readFileSync(path));
    return (kept = { version, bytes, tag: `"${createHash("sha256").update(bytes).digest("base64url")}"` });
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
