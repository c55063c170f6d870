/**
 * `npm run setup`: all set-up after installing the packages: generated sources, the compiled TypeScript, the native addon. The
 * demo and the tests run it first. Steps that are up to date are skipped.
 */
import { compile } from "./build.js";
import { buildAddon, checkCompilers } from "./build-native.js";
import { generate } from "./generate.js";
import { ToolError } from "./lib/process.js";

/** Prepares the checkout for the command line and the tests. Throws a `ToolError`. */
export async function setUp(): Promise<void> {
  await checkCompilers();
  if (!(await generate({ check: true }))) throw new ToolError("setup: a generated file that is committed is stale");
  await compile();
  await buildAddon();
}

export async function main(): Promise<void> {
  await setUp();
  console.log("setup: ready");
}
