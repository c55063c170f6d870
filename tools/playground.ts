/**
 * `npm run playground`: the playground on this machine. Its texts are written by the model's WebAssembly module if that is built
 * (`npm run build:wasm -- --llama`), else by this checkout's addon: a `ggsl serve` of the demo model in this process, behind the page's
 * own address. Ctrl-C ends both.
 *
 *     --port N   the first port to try, by default 5173: if it is taken, the next one
 *     --addon    texts by the addon, even if the module is built
 *     --watch    serves the page's sources, file by file: a change shows at once, but the page takes seconds to load
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openServer, type Server } from "@ggsl/server";
import { InputError } from "ggsl/core/errors.js";
import { buildAddon } from "./build-native.js";
import { generate } from "./generate.js";
import { count, readArguments } from "./lib/arguments.js";
import { LLAMA_MODULE } from "./lib/playground.js";
import { root, ToolError } from "./lib/process.js";
import { servePlayground, watchPlayground } from "./lib/servedPlayground.js";

const PORT = "5173";
const LAST_PORT = 65_535;
const MODEL = join(root, "examples", "model", "demo-q8_0.gguf");

/** Both texts of the page at once, and texts that are on their way to their end. */
const SEQUENCES = 4;

export async function main(args: readonly string[]): Promise<void> {
  const { values } = readArguments("npm run playground -- [--port N] [--addon] [--watch]", {
    args,
    options: {
      port: { type: "string", default: PORT },
      addon: { type: "boolean", default: false },
      watch: { type: "boolean", default: false },
    },
  });
  const port = Number(count("port", values.port));
  if (port > LAST_PORT) throw new ToolError(`playground: no page at port ${port}: the last one is ${LAST_PORT}`);
  await generate();
  const isModuleBuilt = existsSync(join(root, LLAMA_MODULE));
  const model = values.addon || !isModuleBuilt ? await openModel(values.addon) : undefined;
  const serve = values.watch ? watchPlayground : servePlayground;
  const page = await serve(port, await model?.listen()).catch(async (error: unknown) => {
    await model?.close(0);
    throw new ToolError(`playground: no page at port ${port}: ${(error as Error).message}`);
  });
  const writer = model ? "texts by this checkout's addon" : isModuleBuilt ? "texts by a model in the page" : "no texts";
  const isAsked = asked();
  console.log(`playground: ${page.address} (${writer}; Ctrl-C ends it)`);
  await isAsked;
  // at once: a text on its way to the page would hold it open
  await Promise.all([model?.close(0), page.close()]);
}

/** Resolves when the user or another program ends this one. */
const asked = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });

/** Builds the addon unless it is up to date, and loads the demo model. What is missing is said, or thrown if it is needed. */
export async function openModel(isNeeded: boolean): Promise<Server | undefined> {
  try {
    await buildAddon();
    return await openServer({
      model: MODEL,
      alias: "the demo model",
      backend: "cpu",
      host: "127.0.0.1",
      port: 0,
      sequences: SEQUENCES,
      log: "off",
    });
  } catch (error) {
    if (!(error instanceof ToolError || error instanceof InputError)) throw error;
    if (isNeeded) throw new ToolError(error.message);
    console.error(`${error.message}\nplayground: texts need the addon, so the page has none`);
    return undefined;
  }
}
