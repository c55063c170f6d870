/**
 * `npm test`: runs the set-up, then all checks and tests. Later steps run even if one fails. The last line counts jest's tests,
 * and every other step as one.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { jest } from "./jest.js";
import { formatTable } from "ggsl/core/table.js";
import { LINT, TYPES, type Check } from "./lint/checks.js";
import { failedTests } from "./lib/failed.js";
import { readIfThere } from "./lib/generated.js";
import { skippedParts, skippedTests, type TestFile } from "./lib/skipped.js";
import { attemptTool, jobs, root, ToolError, type Ended } from "./lib/process.js";
import { prepare } from "./setup.js";

const JEST_RESULTS = join("build", "jest.json");
/** So many of the slowest suites are named. */
const SLOWEST = 20;

const build =
  (tool: string, ...args: string[]): Check[1] =>
  (options) =>
    attemptTool(tool, args, options);

/** Rest of the set-up: without these no test runs. */
const BUILDS = { addon: "Native addon", packages: "TypeScript of the packages" };

/** The C library and packages are made of the addon's objects, so these builds never run at once. */
let addonBuilt: Promise<Ended> | undefined;

/** Two at a time, with half of the processors each, so that none is idle during linking. The longest come first. */
const CHECKS: readonly Check[] = [
  ["C++ tests under sanitizers", build("build-native", "--sanitize")],
  [BUILDS.addon, (options) => (addonBuilt = build("build-native")(options))],
  ["WebAssembly module with llama.cpp", build("build-wasm", "--llama", "--check")],
  [
    // one after the other: all build in the addon's folder; the tests of the C library find it built
    "C library, packages with addons",
    async (options) => {
      await addonBuilt;
      const library = await build("build-c")(options);
      return library.status === 0 ? build("build-platforms", "--check")(options) : library;
    },
  ],
  [BUILDS.packages, build("build")],
  ["RPC backend", build("build-native", "--rpc")],
  ["WebAssembly module of its sources", build("build-wasm", "--recorded")],
  // their tests find them built
  ["Site, with the playground", build("site")],
  ...LINT,
  ...TYPES,
];
const HALF = { CMAKE_BUILD_PARALLEL_LEVEL: `${Math.ceil(jobs / 2)}` };

/**
 * The tests of a model's texts depend on this file; those that compare tokens of two computations run again on other variants of ggml's
 * CPU backend, which round differently.
 */
const MODEL = "test/model/demo.ts";
/**
 * What the folders of these tests are about does not depend on the CPU, and importers write programs that other tests run. The last ones
 * have a text of the model only to read numbers in it, or to see that it is valid: no other computation has to pick the same tokens.
 */
const ON_VARIANTS = [
  "--findRelatedTests",
  MODEL,
  ...[
    "/node_modules/",
    "/vulkan/",
    "/wasm/",
    "/import/",
    "/server/",
    "/cli/",
    "/codegen/",
    "/install/",
    "/packages/",
    "/c/",
    "/emit/",
    "/fleet/",
    "/rpc/",
    "/compare/",
    "/features/",
    "/language/",
    "/grammars/generated",
    "/playground/",
    "/model/watermark",
  ].map((path) => `--testPathIgnorePatterns=${path}`),
];
/**
 * A variant that rounds differently from the best one, which all tests run on: without fused multiply-add. `GGSL_CPU_VARIANT=haswell npm
 * run jest` runs them on another.
 */
const VARIANTS: Partial<Record<NodeJS.Architecture, readonly string[]>> = { x64: ["sse42"], arm64: ["armv8.0_1"] };

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

const one = (ok: boolean): Counts => (ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });

export async function main(): Promise<number> {
  const setUpCounts = await step("Set-up", trySetUp);
  const counts = [setUpCounts];
  if (setUpCounts.failed === 0) {
    counts.push(...(await doChecks()));
    const isBuilt = steps.every(([name, , word]) => !Object.values(BUILDS).includes(name) || word === "ok");
    if (isBuilt) counts.push(...(await doTests()));
    else skip("Tests", "a build that they need has failed");
  }
  console.log(`\nslowest suites\n${formatTable(["suite", "seconds"], slowest())}`);
  const [passed, failed] = [total(counts, "passed"), total(counts, "failed")];
  if (failures.length > 0) console.log(`\n== Failed\n${failures.join("\n")}`);
  if (skipped.length > 0) console.log(`\n== Skipped\n${skipped.join("\n")}`);
  console.log(`\n${formatTable(["step", "time", ""], steps)}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** The steps that have ended: name, time, verdict. */
const steps: [name: string, time: string, verdict: string][] = [];

/** What was not checked, and what it needs. */
const skipped: string[] = [];

/** The tests that failed. */
const failures: string[] = [];

const total = (counts: readonly Counts[], of: keyof Counts): number => counts.reduce((sum, c) => sum + c[of], 0);

async function doChecks(): Promise<Counts[]> {
  const [left, counts] = [[...CHECKS], [] as Counts[]];
  const worker = async (): Promise<void> => {
    for (let check = left.shift(); check; check = left.shift()) counts.push(one(await beside(check)));
  };
  await Promise.all([worker(), worker()]);
  return counts;
}

/** All tests, then those of a model's texts on other CPU variants. */
async function doTests(): Promise<Counts[]> {
  const counts = [await step("Tests", () => runJest([]))];
  // before the next run of jest writes its own
  skipped.push(...skippedTests(readResults()?.testResults ?? [], root));
  // only now, since it loads the addon
  const { surveyCpuVariants } = await import("ggsl/backends/devices/survey.js");
  const cpuVariants = surveyCpuVariants();
  for (const name of VARIANTS[process.arch] ?? []) {
    const title = `Tests of models on the CPU variant ${name}`;
    const variant = cpuVariants.find((v) => v.name === name);
    const reason = !variant
      ? "this platform has no such variant"
      : !variant.isSupported
        ? "this processor cannot run it"
        : variant.isLoaded && "all tests ran on it";
    if (reason) skip(title, reason);
    else counts.push(await step(title, () => runJest(ON_VARIANTS, { GGSL_CPU_VARIANT: name })));
  }
  return counts;
}

function skip(name: string, reason: string): void {
  console.log(`\n== ${name}: skipped: ${reason}`);
  steps.push([name, "", `skipped: ${reason}`]);
}

/** Runs a check beside others; what it prints comes when it has ended. */
async function beside([name, check]: Check): Promise<boolean> {
  const start = performance.now();
  console.log(`\n== ${name}: begins`);
  const { status, output, reason } = await check({ env: HALF });
  const ok = status === 0;
  skipped.push(...skippedParts(output));
  console.log(`\n== ${name}\n${output}${reason ? `${reason}\n` : ""}== ${name}: ${verdict(name, ok, start)}`);
  return ok;
}

/** Runs a step under its heading. */
async function step(name: string, action: () => Promise<Counts>): Promise<Counts> {
  console.log(`\n== ${name}`);
  const start = performance.now();
  const counts = await action();
  console.log(`== ${name}: ${verdict(name, counts.failed === 0, start)}`);
  return counts;
}

/** What a step that began at `start` ends with, which is noted for the table. */
function verdict(name: string, isOk: boolean, start: number): string {
  const [time, word] = [`${((performance.now() - start) / 1000).toFixed(1)} s`, isOk ? "ok" : "FAILED"];
  steps.push([name, time, word]);
  return `${word}, ${time}`;
}

async function trySetUp(): Promise<Counts> {
  try {
    await prepare();
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
  readonly testResults: readonly TestFile[];
}

function readResults(): JestResults | undefined {
  const text = readIfThere(JEST_RESULTS);
  return text ? (JSON.parse(text) as JestResults) : undefined;
}

/** The time of each suite that ran, in seconds. */
const suites: [suite: string, seconds: number][] = [];

const slowest = (): string[][] =>
  suites
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SLOWEST)
    .map(([suite, seconds]) => [suite, seconds.toFixed(1)]);

/** Jest's counts; a suite that could not run counts as one failed test. */
async function runJest(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Counts> {
  mkdirSync(join(root, "build"), { recursive: true });
  rmSync(join(root, JEST_RESULTS), { force: true });
  const status = await jest(["--ci", "--json", `--outputFile=${JEST_RESULTS}`, ...args], {
    env,
    // standard error joins standard output, so that lines come in order wherever they are read
    stdio: ["ignore", process.stdout, process.stdout],
  });
  const results = readResults();
  for (const { name, startTime, endTime } of results?.testResults ?? [])
    suites.push([relative(root, name), (endTime - startTime) / 1000]);
  failures.push(...failedTests(results?.testResults ?? [], root));
  const failed = (results?.numFailedTests ?? 0) + (results?.numRuntimeErrorTestSuites ?? 0);
  // jest may fail without a failed test, for example if it found none
  return { passed: results?.numPassedTests ?? 0, failed: status === 0 ? failed : Math.max(failed, 1) };
}
