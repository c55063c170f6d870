/**
 * `npm run random -- --cases 5000 --seed 7 --backend reference,cpu`: the tests of random programs, with more programs or
 * another seed. With vulkan they run in processes of a few programs each; vulkan alone is compared with the reference and the
 * CPU. Progress is printed every few seconds; Ctrl-C ends it.
 */
import { jest } from "./jest.js";
import { count, readArguments } from "./lib/arguments.js";
import { setUp } from "./setup.js";

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments("npm run random -- [--cases N] [--seed N] [--backend LIST]", {
    args,
    options: {
      cases: { type: "string", default: "5000" },
      seed: { type: "string" },
      backend: { type: "string", default: "reference,cpu,wasm" },
    },
  });
  // a difference needs backends to compare with
  const backends = values.backend === "vulkan" ? "reference,cpu,vulkan" : values.backend;
  const env = {
    GGSL_RANDOM_COUNT: count("cases", values.cases),
    ...(values.seed !== undefined && { GGSL_RANDOM_SEED: count("seed", values.seed) }),
    GGSL_BACKENDS: backends,
  };
  const folder = backends.split(",").includes("vulkan") ? "vulkan" : "random";
  await setUp();
  // in one process, so that output appears at once
  return jest(["--runInBand", `test/${folder}/random.test.ts`], { env });
}
