/**
 * `npm run setup`: all set-up after installing the packages: generated sources, the compiled TypeScript, the native addon. The
 * demo and the tests run it first. Steps that are up to date are skipped.
 */
import { compile } from "./build.js";
import { buildAddon, buildRpcBackend, checkCompilers, unpackSource } from "./build-native.js";
import { generate } from "./generate.js";
import { ToolError } from "./lib/process.js";

/** What all builds and checks read: generated sources, and llama.cpp's. Throws a `ToolError`. */
export async function prepare(): Promise<void> {
  checkCompilers();
  if (!(await generate({ check: true }))) throw new ToolError("setup: a generated file that is committed is stale");
  await unpackSource();
}

/** Prepares the checkout for the command line and the tests. Throws a `ToolError`. */
export async function setUp(): Promise<void> {
  await prepare();
  await compile();
  await buildAddon();
  await buildRpcBackend();
}

export async function main(): Promise<void> {
  await setUp();
  console.log("setup: ready");
}
