/**
 * `npm run setup`: all set-up on a fresh machine after the packages: generated sources, the compiled TypeScript, the native
 * addon. The demo and the tests call it first. What is done already is not done again.
 */
import { compile } from "./build.js";
import { buildAddon, checkCompilers } from "./build-native.js";
import { generate } from "./generate.js";
import { ToolError } from "./lib/process.js";

/** Brings the checkout to where the command line and the tests run. Throws a `ToolError`. */
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
