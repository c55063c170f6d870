/** Where `loadWasm` and `loadModelFromBytes` take a module from in Node.js. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { loadModelFromBytes } from "../../runtime/models/model.js";
import { loadWasm } from "../../runtime/backends/wasm/loader.js";
import { compiledOf, locationOf, sendable } from "../../runtime/backends/wasm/source.js";
import { webAssembly } from "../../runtime/backends/wasm/webAssembly.js";

const MODULE = "runtime/wasm/ggsl.wasm";

let folder: string;
let file: string;
let server: Server;
let address: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-source-"));
  // characters that a URL would write otherwise
  file = join(folder, "a module #1 %20.wasm");
  copyFileSync(MODULE, file);
  writeFileSync(join(folder, "page.html"), "<!doctype html><title>not found</title>");
  server = createServer(({ url }, response) => {
    response.statusCode = url === "/gone.wasm" ? 410 : 200;
    response.end(readFileSync(url === "/ggsl.wasm" ? MODULE : join(folder, "page.html")));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

test("docs/wasm.md says how large the module is", () => {
  const bytes = readFileSync(MODULE);
  const [size, compressed] = /\((\d+) kB, (\d+) kB compressed\)/
    .exec(readFileSync("docs/wasm.md", "utf8"))!
    .slice(1)
    .map(Number);
  expect(size).toBe(Math.round(bytes.length / 1000));
  // versions of zlib differ by a few bytes in a thousand
  expect(Math.abs(compressed! - gzipSync(bytes, { level: 9 }).length / 1000)).toBeLessThan(2);
});

test("a path, a URL, bytes and a compiled module are taken", async () => {
  const bytes = readFileSync(MODULE);
  const buffer = new Uint8Array(bytes).buffer;
  const sources = [
    ...[file, relative(".", file), MODULE, `./${MODULE}`],
    ...[pathToFileURL(file), pathToFileURL(file).href, `${address}/ggsl.wasm`, new URL(`${address}/ggsl.wasm`)],
    ...[bytes, buffer, await webAssembly.compile(bytes)],
  ];
  for (const source of sources) {
    await expect(loadWasm(source)).resolves.toBeUndefined();
    expect(await compiledOf(sendable(source))).toBeDefined();
  }
});

test("a path is relative to the working directory", () => {
  expect(locationOf("x/ggsl.wasm")).toEqual(pathToFileURL(join(process.cwd(), "x", "ggsl.wasm")));
  expect(locationOf(new Uint8Array())).toBeUndefined();
});

test("what is no module is named, with what it begins with", async () => {
  const page = join(folder, "page.html");
  const cases: [string | Uint8Array, RegExp][] = [
    ["missing.wasm", /ENOENT: .*missing\.wasm/],
    [`${address}/gone.wasm`, /\/gone\.wasm returned status 410/],
    [`${address}/other`, /http:\S+\/other is not a WebAssembly module: its 39 bytes begin with "<!doctype html><"/],
    [page, /file:\S+page\.html is not a WebAssembly module/],
    ["http://127.0.0.1:1/ggsl.wasm", /^The WebAssembly module .*http:\/\/127\.0\.0\.1:1\/ggsl\.wasm cannot be read: /],
    [new Uint8Array(0), /what was given is not a WebAssembly module: its 0 bytes begin with ""/],
    [Uint8Array.of(0, 0x61, 0x73, 0x6d, 9), /The WebAssembly module cannot be used: .*WebAssembly/],
  ];
  for (const [source, message] of cases) {
    await expect(loadWasm(source)).rejects.toMatchObject({
      code: "MODULE_UNAVAILABLE",
      message: expect.stringMatching(message),
    });
    // the same for a model's module, which is read before the model
    await expect(loadModelFromBytes(new Uint8Array(8), { module: source })).rejects.toMatchObject({
      code: "MODULE_UNAVAILABLE",
    });
  }
});

test("another value is an error that lists what is taken", async () => {
  for (const value of [7, {}, [], new Response("")])
    await expect(loadWasm(value as never)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(
        /^`source` must be a module's bytes, its location \(a text or a URL\) or a compiled `WebAssembly.Module`, found /,
      ),
    });
});
