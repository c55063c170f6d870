/**
 * `npm run parity -- --cases 100000 --seed 7`: the parity tests with more cases per sampler, or another seed. Names of
 * test files may follow: `npm run parity -- --cases 20000 test/parity/memory`. With --vulkan, the samplers on Vulkan.
 */
import { availableParallelism } from "node:os";
import { jest } from "./jest.js";
import { count, readArguments } from "./lib/arguments.js";
import { setUp } from "./setup.js";

export async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments("npm run parity -- [--cases N] [--seed N] [--vulkan] [FILE...]", {
    args,
    options: {
      cases: { type: "string", default: "100000" },
      seed: { type: "string" },
      vulkan: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const env = {
    GGSL_PARITY_CASES: count("cases", values.cases),
    ...(values.seed !== undefined && { GGSL_PARITY_SEED: count("seed", values.seed) }),
  };
  await setUp();
  // by default jest leaves one processor idle
  const workers = `--maxWorkers=${availableParallelism()}`;
  const files = positionals.length > 0 ? positionals : [values.vulkan ? "test/vulkan/parity" : "test/parity"];
  return jest([workers, ...files], { env });
}
