/**
 * `npm run check:editors`: the extension in a real Visual Studio Code, which it installs, and the language server in the other editors
 * that are there (test/editors). Not part of `npm test`: installing takes a minute and 300 MB.
 */
import { jest } from "./jest.js";
import { installCodeServer } from "./lib/codeServer.js";
import { attemptTool, ToolError } from "./lib/process.js";
import { main as packExtension } from "./vsix.js";

export async function main(): Promise<number> {
  const GGSL_CODE_SERVER = await installCodeServer();
  const { status, output } = await attemptTool("build-wasm", ["--llama"]);
  if (status !== 0) throw new ToolError(`${output.trimEnd()}\ncheck:editors runs a model with this module`);
  await packExtension([]);
  // one editor at a time
  return jest(["test/editors", "--runInBand"], { env: { GGSL_CODE_SERVER, GGSL_NEED_CHROMIUM: "1" } });
}
