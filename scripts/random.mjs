/**
 * `npm run random -- --count 5000 --seed 7 --backends reference,cpu`: the tests of random programs, with more programs or
 * from another seed. What was found so far is printed every few seconds; Ctrl-C ends it.
 */
import { spawnSync } from "node:child_process";
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
    count: { type: "string", default: "5000" },
    seed: { type: "string" },
    backends: { type: "string" },
  };
  try {
    return parseArgs({ options });
  } catch (error) {
    throw new SetupError(`${error.message}\nUsage: npm run random -- [--count N] [--seed N] [--backends LIST]`);
  }
}

exitWith(() => {
  const { values } = readArguments();
  const env = { ...process.env, GGSL_RANDOM_COUNT: count("count", values.count) };
  if (values.seed !== undefined) env.GGSL_RANDOM_SEED = count("seed", values.seed);
  if (values.backends !== undefined) env.GGSL_RANDOM_BACKENDS = values.backends;
  setUp();
  const jest = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"];
  // in one process, so that what is printed comes at once
  const { status } = spawnSync(process.execPath, [...jest, "--runInBand", "test/random/random.test.ts"], {
    cwd: root,
    stdio: "inherit",
    env,
  });
  return status ?? 1;
});
