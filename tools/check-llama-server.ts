/**
 * `npm run check:llama-server`: builds llama-server from its source with the lines of lib/insertions.ts, which let a request bring a
 * chain, and compares texts of it with those of `ggsl run` (test/c/server.ts). Not part of `npm test`: compiling takes ten minutes of
 * two cores.
 */
import { join } from "node:path";
import { compile } from "./build.js";
import { buildC, C_PREFIX } from "./build-c.js";
import { buildLlamaServer } from "./build-llama-server.js";
import { generate } from "./generate.js";
import { copyWithInsertions, INSERTED } from "./lib/insertions.js";
import { attemptNode, root, ToolError } from "./lib/process.js";

const NAME = "llama-server-ggsl";

export async function main(): Promise<number> {
  await generate();
  await compile();
  await buildC();
  const SERVER_SOURCE = join(root, "build", NAME, "source");
  const program = await buildLlamaServer(NAME, {
    definitions: { SERVER_SOURCE, WITH_GGSL: "ON", CMAKE_PREFIX_PATH: C_PREFIX },
    prepare(source) {
      copyWithInsertions(join(source, "tools", "server"), SERVER_SOURCE);
      console.log(`check:llama-server: ${INSERTED} lines put into the source of llama-server`);
    },
  });
  const options = ["--conditions=@ggsl/source", `--import=${import.meta.resolve("tsx")}`, "--no-warnings"];
  const { status, reason } = await attemptNode([...options, "test/c/server.ts", program], { stdio: "inherit" });
  if (reason !== undefined) throw new ToolError(`check:llama-server: ${reason}`);
  return status;
}
