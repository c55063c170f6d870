/**
 * `npm run parity -- --cases 100000 --seed 7`: the parity tests with more cases for each sampler, or from another seed. Names
 * of test files may follow: `npm run parity -- --cases 20000 test/parity/memory`. With --vulkan, the samplers on Vulkan.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { exitWith, root, setUp, SetupError } from "./setup.mjs";

/** A whole number from 1 on. */
function count(name, text) {
  if (!/^[1-9][0-9]{0,8}$/.test(text))
    throw new SetupError(`--${name} must be a whole number from 1 on, found ${text}`);
  return text;
}

function readArguments() {
  const options = {
    cases: { type: "string", default: "100000" },
    seed: { type: "string" },
    vulkan: { type: "boolean" },
  };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new SetupError(`${error.message}\nUsage: npm run parity -- [--cases N] [--seed N] [--vulkan] [FILE...]`);
  }
}

exitWith(() => {
  const { values, positionals } = readArguments();
  const env = { ...process.env, GGSL_PARITY_CASES: count("cases", values.cases) };
  if (values.seed !== undefined) env.GGSL_PARITY_SEED = count("seed", values.seed);
  setUp();
  const jest = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"];
  // by default jest leaves one processor alone
  const workers = `--maxWorkers=${availableParallelism()}`;
  const files = positionals.length > 0 ? positionals : [values.vulkan ? "test/vulkan/parity" : "test/parity"];
  const { status } = spawnSync(process.execPath, [...jest, workers, ...files], { cwd: root, stdio: "inherit", env });
  return status ?? 1;
});
