/**
 * `npm run embed -- c|cpp|loop|python [graph|host]`: builds libggsl and an example of examples/embed, and runs it with the demo model and
 * examples/embed/story.graph.json. What follows are its own arguments: NAME=VALUE, or seeds for cpp and loop.
 */
import { join } from "node:path";
import { buildC } from "./build-c.js";
import { buildEmbedded, EMBEDDED } from "./lib/embed.js";
import { attempt, root, ToolError } from "./lib/process.js";

const MODEL = join(root, "examples", "model", "demo-q8_0.gguf");
const SPEC = join(root, "examples", "embed", "story.graph.json");
/** Arguments of the examples that need some. */
const DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  cpp: ["1", "2", "3"],
  loop: ["1", "2", "3"],
};

export async function main([name = "", place = "graph", ...given]: readonly string[]): Promise<number> {
  const start = EMBEDDED[name];
  if (!start)
    throw new ToolError(
      `npm run embed -- NAME [graph|host]: expected ${Object.keys(EMBEDDED).join(", ")}, found "${name}"`,
    );
  await buildC();
  await buildEmbedded();
  const [command, ...args] = start();
  const settings = given.length > 0 ? given : (DEFAULTS[name] ?? []);
  const { status, reason } = await attempt(command, [...args, place, MODEL, SPEC, ...settings], { stdio: "inherit" });
  if (reason !== undefined) throw new ToolError(`embed: ${command}: ${reason}`);
  return status;
}
