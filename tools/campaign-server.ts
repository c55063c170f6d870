/**
 * `npm run campaign:server`: the built `ggsl serve` under load (64 clients with 64 samplers for 60 s), with a hostile client (10 000
 * requests: damaged programs, broken JSON, JSON of any shape, odd requests, slow senders, half-closed sockets) beside honest ones, and 1000 texts with seeds alone and
 * together (test/server/campaign). docs/performance.md has its results.
 */
import { compile } from "./build.js";
import { count, readArguments } from "./lib/arguments.js";
import { attemptNode, ToolError } from "./lib/process.js";

const USAGE =
  "npm run campaign:server -- [--only load,hostile,seeds] [--seconds N] [--clients N] [--hostile N] [--seeds N] [--seed N]";

export async function main(args: readonly string[]): Promise<number> {
  const text = { type: "string" } as const;
  const { values } = readArguments(USAGE, {
    args: [...args],
    options: { only: text, seconds: text, clients: text, hostile: text, seeds: text, seed: text },
  });
  const { only, ...numbers } = values;
  await compile();
  const words = [
    ...(only === undefined ? [] : ["--only", only]),
    ...Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, count(name, value)]),
  ];
  const options = ["--conditions=@ggsl/source", `--import=${import.meta.resolve("tsx")}`, "--no-warnings"];
  const { status, reason } = await attemptNode([...options, "test/server/campaign/main.ts", ...words], {
    stdio: "inherit",
  });
  if (reason !== undefined) throw new ToolError(`campaign: ${reason}`);
  return status;
}
