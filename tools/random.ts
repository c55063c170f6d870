/**
 * `npm run random -- --cases 5000 --seed 7 --backend reference,cpu`: the tests of random programs, with more programs or
 * from another seed. With vulkan they run in processes of a few programs each, beside the reference and the CPU where vulkan
 * is named alone. What was found so far is printed every few seconds; Ctrl-C ends it.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { exitWith, root, setUp, SetupError } from "./setup.js";

/** A whole number from 1 on. */
function count(name, text) {
  if (!/^[1-9][0-9]{0,8}$/.test(text))
    throw new SetupError(`--${name} must be a whole number from 1 on, found ${text}`);
  return text;
}

function readArguments() {
  const options = {
    cases: { type: "string", default: "5000" },
    seed: { type: "string" },
    backend: { type: "string", default: "reference,cpu,wasm" },
  };
  try {
    return parseArgs({ options });
  } catch (error) {
    throw new SetupError(`${error.message}\nUsage: npm run random -- [--cases N] [--seed N] [--backend LIST]`);
  }
}

exitWith(() => {
  const { values } = readArguments();
  const env = { ...process.env, GGSL_RANDOM_COUNT: count("cases", values.cases) };
  if (values.seed !== undefined) env.GGSL_RANDOM_SEED = count("seed", values.seed);
  // what differs is told by what it differs from
  env.GGSL_BACKENDS = values.backend === "vulkan" ? "reference,cpu,vulkan" : values.backend;
  const folder = env.GGSL_BACKENDS.split(",").includes("vulkan") ? "vulkan" : "random";
  setUp();
  const jest = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"];
  // in one process, so that what is printed comes at once
  const { status } = spawnSync(process.execPath, [...jest, "--runInBand", `test/${folder}/random.test.ts`], {
    cwd: root,
    stdio: "inherit",
    env,
  });
  return status ?? 1;
});
