/**
 * `npm run fuzz -- --minutes 10 --seed 7 --only programs,specs`: hostile input for the compiler, the runtime, the command line and the
 * language server (test/fuzz). Each case runs under a watch in another process. Cases with a fault are shrunk and written to build/fuzz;
 * `--case FILE` repeats one.
 */
import { attemptNode, ToolError } from "./lib/process.js";
import { count, readArguments } from "./lib/arguments.js";

const USAGE = "npm run fuzz -- [--minutes N] [--seed N] [--only NAME,...] [--cases N] | --case FILE";

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments(USAGE, {
    args,
    options: {
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: "1" },
      only: { type: "string" },
      cases: { type: "string" },
      case: { type: "string" },
    },
  });
  const given = {
    minutes: count("minutes", values.minutes),
    seed: count("seed", values.seed),
    ...(values.cases !== undefined && { cases: count("cases", values.cases) }),
    ...(values.only !== undefined && { only: values.only }),
    ...(values.case !== undefined && { case: values.case }),
  };
  const options = ["--conditions=@ggsl/source", `--import=${import.meta.resolve("tsx")}`, "--no-warnings"];
  const words = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
  const { status, reason } = await attemptNode([...options, "test/fuzz/main.ts", ...words], { stdio: "inherit" });
  if (reason !== undefined) throw new ToolError(`fuzz: ${reason}`);
  return status;
}
