/**
 * `npm run check:c -- --specs 200000 --seed 7`: the C library under AddressSanitizer and UndefinedBehaviorSanitizer. A loop writes many texts,
 * with bad calls and ends at random; then the library loads damaged specs and runs those that are valid on the demo model's vocabulary.
 * Fails if a sanitizer reports anything, or if the process ends.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { buildSanitized } from "./build-native.js";
import { count, readArguments } from "./lib/arguments.js";
import { root, run, ToolError } from "./lib/process.js";

const MODEL = join("examples", "model", "demo-q8_0.gguf");
const SPEC = join("examples", "embed", "story.graph.json");

const ENV = {
  UBSAN_OPTIONS: "print_stacktrace=1",
  // the prebuilt libraries keep their lists of devices, which counts as a leak
  LSAN_OPTIONS: `suppressions=${join(root, "native", "leaks.supp")}:print_suppressions=0`,
};

/** Specs for each process: a failure is repeated with the seed of its part. */
const PART = 2000;

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments("npm run check:c -- [--specs N] [--seed N]", {
    args,
    options: { specs: { type: "string", default: "2000" }, seed: { type: "string", default: "1" } },
  });
  const [specs, seed] = [Number(count("specs", values.specs)), Number(count("seed", values.seed))];
  const { folder, libraries } = await buildSanitized("c");
  await run(join(folder, "ggsl_loop_test"), ["ends", libraries, MODEL, "16", "64", SPEC], {
    stdio: "inherit",
    env: ENV,
  });
  const total = { specs: 0, loaded: 0, ran: 0 };
  for (let part = 0; part * PART < specs; part++) {
    const size = Math.min(PART, specs - part * PART);
    const found = JSON.parse(
      await runPart(join(folder, "ggsl_library_test"), libraries, size, seed + part),
    ) as typeof total;
    for (const key of ["specs", "loaded", "ran"] as const) total[key] += found[key];
    console.log(`check:c: seed ${seed + part}: ${JSON.stringify(total)}`);
  }
  return total.loaded > 0 ? 0 : 1;
}

/** Loads specs of one seed. Returns the program's line. */
async function runPart(program: string, libraries: string, size: number, seed: number): Promise<string> {
  const writer = spawn(
    process.execPath,
    [
      "--conditions=@ggsl/source",
      `--import=${import.meta.resolve("tsx")}`,
      "--no-warnings",
      "test/c/damaged.ts",
      `${size}`,
      `${seed}`,
    ],
    { cwd: root, stdio: ["ignore", "pipe", "inherit"] },
  );
  const reader = spawn(program, ["specs", libraries, MODEL], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...ENV },
  });
  let output = "";
  reader.stdout.on("data", (text: Buffer) => (output += text.toString()));
  writer.stdout.pipe(reader.stdin);
  reader.stdin.on("error", () => writer.kill());
  const [status] = (await once(reader, "close")) as [number | null];
  if (status !== 0) throw new ToolError(`check:c: seed ${seed}: the program ended with ${status ?? "a signal"}`);
  return output;
}
