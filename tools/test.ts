/**
 * `npm test`: runs the set-up, then all checks and tests. Later steps run even if one fails. The last line counts jest's tests,
 * and every other step as one.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { jest } from "./jest.js";
import { LINT, TYPES, type Check } from "./lib/checks.js";
import { readIfThere } from "./lib/generated.js";
import { attemptTool, jobs, root, ToolError } from "./lib/process.js";
import { setUp } from "./setup.js";

const JEST_RESULTS = join("build", "jest.json");

const build =
  (tool: string, ...args: string[]): Check[1] =>
  (options) =>
    attemptTool(tool, args, options);

/** Two at a time, with half of the processors each, so that none is idle during linking. The longest come first. */
const CHECKS: readonly Check[] = [
  ["WebAssembly module with llama.cpp", build("build-wasm", "--llama", "--check")],
  ["C++ tests under sanitizers", build("build-native", "--sanitize")],
  ["WebAssembly module from its sources", build("build-wasm", "--check")],
  ...LINT,
  ...TYPES,
];
const HALF = { CMAKE_BUILD_PARALLEL_LEVEL: `${Math.ceil(jobs / 2)}` };

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

const one = (ok: boolean): Counts => (ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });

export async function main(): Promise<number> {
  const setUpCounts = await step("Set-up", trySetUp);
  const counts = setUpCounts.failed > 0 ? [setUpCounts] : [...(await doChecks()), await step("Tests", runJest)];
  const [passed, failed] = [total(counts, "passed"), total(counts, "failed")];
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

const total = (counts: readonly Counts[], of: keyof Counts): number => counts.reduce((sum, c) => sum + c[of], 0);

async function doChecks(): Promise<Counts[]> {
  const [left, counts] = [[...CHECKS], [] as Counts[]];
  const worker = async (): Promise<void> => {
    for (let check = left.shift(); check; check = left.shift()) counts.push(one(await beside(check)));
  };
  await Promise.all([worker(), worker()]);
  return counts;
}

/** Runs a check in parallel with others; its output is printed when it has ended. */
async function beside([name, check]: Check): Promise<boolean> {
  const start = performance.now();
  console.log(`\n== ${name}: begins`);
  const { status, output, reason } = await check({ env: HALF });
  const ok = status === 0;
  console.log(`\n== ${name}\n${output}${reason ? `${reason}\n` : ""}== ${name}: ${verdict(ok, start)}`);
  return ok;
}

/** Runs a step under its heading. */
async function step(name: string, action: () => Promise<Counts>): Promise<Counts> {
  console.log(`\n== ${name}`);
  const start = performance.now();
  const counts = await action();
  console.log(`== ${name}: ${verdict(counts.failed === 0, start)}`);
  return counts;
}

function verdict(ok: boolean, start: number): string {
  return `${ok ? "ok" : "FAILED"}, ${((performance.now() - start) / 1000).toFixed(1)} s`;
}

async function trySetUp(): Promise<Counts> {
  try {
    await setUp();
    return one(true);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    console.error(error.message);
    return one(false);
  }
}

interface JestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/** Jest's counts; a suite that could not run counts as one failed test. */
async function runJest(): Promise<Counts> {
  mkdirSync(join(root, "build"), { recursive: true });
  rmSync(join(root, JEST_RESULTS), { force: true });
  const status = await jest(["--ci", "--json", `--outputFile=${JEST_RESULTS}`], {
    // standard error goes to standard output, so that lines stay in order
    stdio: ["ignore", process.stdout, process.stdout],
  });
  const text = readIfThere(JEST_RESULTS);
  const results = text ? (JSON.parse(text) as JestResults) : undefined;
  const failed = (results?.numFailedTests ?? 0) + (results?.numRuntimeErrorTestSuites ?? 0);
  // jest may fail without a failed test, for example if it found none
  return { passed: results?.numPassedTests ?? 0, failed: status === 0 ? failed : Math.max(failed, 1) };
}
