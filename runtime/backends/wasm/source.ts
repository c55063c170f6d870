/** A WebAssembly module from what a caller gives: bytes, a location, or the compiled module. */
import * as is from "../../core/check.js";
import { nodeModule } from "../../core/node.js";
import { webAssembly, type WasmModule } from "./webAssembly.js";

/**
 * The bytes of a module, its location, or a compiled `WebAssembly.Module`. A text is a location: in a page or a browser's worker a URL,
 * which may be relative to the page or to the worker's script, as that of `fetch`; in Node.js the path of a file, which may be relative
 * to the working directory, or an absolute URL.
 */
export type ModuleSource = Uint8Array | ArrayBuffer | URL | string | WasmModule;

/** The kinds that a message to a worker can have. */
export type SendableModule = Exclude<ModuleSource, URL>;

/** What browsers have and Node.js's types lack. */
const { document, location } = globalThis as unknown as {
  readonly document?: { readonly baseURI: string };
  readonly location?: { readonly href: string };
};

/** A scheme; one letter is a drive of Windows. */
const SCHEME = /^[a-z][a-z\d+.-]+:/i;
/** The first bytes of a module. */
const MAGIC = [0, 0x61, 0x73, 0x6d];

const isLocation = (source: ModuleSource): source is URL | string =>
  typeof source === "string" || source instanceof URL;
const isCompiled = (source: unknown): source is WasmModule =>
  Object.prototype.toString.call(source) === "[object WebAssembly.Module]";

/** The option that says where a module comes from. */
export const moduleSource = is.either(
  "a module's bytes, its location (a text or a URL) or a compiled `WebAssembly.Module`",
  is.bytes,
  is.text,
  is.that("a URL", (value) => value instanceof URL),
  is.that("an ArrayBuffer", (value) => value instanceof ArrayBuffer),
  is.that("a compiled module", isCompiled),
);

/** Throws an Error for a source that cannot be read, or is not a module. */
export async function compiledOf(source: ModuleSource): Promise<WasmModule> {
  return isCompiled(source) ? source : webAssembly.compile(await bytesOf(source));
}

/** The location, absolute; undefined for a source of another kind. Throws an Error for a text that is none. */
export function locationOf(source: ModuleSource): URL | undefined {
  if (!isLocation(source)) return undefined;
  if (source instanceof URL) return source;
  const node = nodeModule("node:url");
  if (node && !SCHEME.test(source)) return node.pathToFileURL(source);
  try {
    // no `import.meta.url` here: bundlers would look for the file when they build
    return new URL(source, document?.baseURI ?? location?.href);
  } catch {
    throw new Error(`"${source}" is not an absolute URL, and nothing here has an address that it could be relative to`);
  }
}

/** The same source for a worker, where a location would be relative to another script. Throws as `locationOf`. */
export const sendable = (source: ModuleSource): SendableModule =>
  locationOf(source)?.href ?? (source as Exclude<SendableModule, string>);

async function bytesOf(source: Exclude<ModuleSource, WasmModule>): Promise<Uint8Array> {
  const url = locationOf(source);
  const bytes = url ? await read(url) : viewOf(source as Uint8Array | ArrayBuffer);
  if (MAGIC.every((byte, at) => bytes[at] === byte)) return bytes;
  const begin = new TextDecoder().decode(bytes.subarray(0, 16));
  throw new Error(
    `${url?.href ?? "what was given"} is not a WebAssembly module: its ${bytes.length} bytes begin with ${JSON.stringify(begin)}`,
  );
}

const viewOf = (bytes: Uint8Array | ArrayBuffer): Uint8Array =>
  ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes);

async function read(url: URL): Promise<Uint8Array> {
  const files = nodeModule("node:fs");
  if (files && url.protocol === "file:") return files.readFileSync(url);
  const response = await fetch(url).catch((error: unknown) => {
    throw new Error(`${url.href} cannot be read: ${(error as Error).message}`, { cause: error });
  });
  if (!response.ok) throw new Error(`${url.href} returned status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
