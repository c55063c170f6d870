/**
 * `npm test`: sets everything up, then checks all there is to check. A step that fails does not keep the later ones from
 * running. The last line counts jest's tests, and every other step as one.
 *
 * Jest runs with the best variant of ggml's CPU backend that the processor can run, then what depends on the demo model once more
 * with others, because variants round differently.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { jobs, root, setUp, SetupError } from "./setup.mjs";

const JEST_RESULTS = join("build", "jest.json");
const modules = (path) => join("node_modules", path);

/** Two at a time, with half of the processors each: none is idle while a module is linked. The longest come first. */
const CHECKS = [
  ["WebAssembly module with llama.cpp", ["scripts/build-wasm.mjs", "--llama", "--check"]],
  ["C++ tests under sanitizers", ["scripts/build-native.mjs", "--sanitize"]],
  ["WebAssembly module from its sources", ["scripts/build-wasm.mjs", "--check"]],
  ["Lint", [modules("eslint/bin/eslint.js"), ".", "--max-warnings", "0"]],
  ["Format", [modules("prettier/bin/prettier.cjs"), "--check", "--log-level", "warn", "."]],
  ["Types", [modules("typescript-7/bin/tsc"), "-p", "tsconfig.json", "--noEmit"]],
  ["Types of the playground", [modules("typescript-7/bin/tsc"), "-p", "playground/tsconfig.json", "--noEmit"]],
];
const HALF = { ...process.env, CMAKE_BUILD_PARALLEL_LEVEL: `${Math.ceil(jobs / 2)}` };
const JEST = [
  ...["--experimental-vm-modules", "--no-warnings", modules("jest/bin/jest.js")],
  ...["--ci", "--json", `--outputFile=${JEST_RESULTS}`],
];

/** Variants that round unlike each other and unlike the best one: without fused multiplication, and with it in vectors of 256 bits. */
const VARIANTS = { x64: ["sse42", "haswell"], arm64: ["armv8.0_1", "armv8.2_1"] };
/** The tests that depend on this file compute with the demo model. */
const MODEL_TESTS = ["--findRelatedTests", "test/model/demo.ts"];

/** What the table at the end says of each step: its name, its seconds, what came of it. */
const steps = [];
const counts = { passed: 0, failed: 0 };

if (await step("Set-up", trySetUp, { isCounted: false })) {
  const checks = [...CHECKS];
  const worker = async () => {
    for (let check = checks.shift(); check; check = checks.shift()) await beside(...check);
  };
  await Promise.all([worker(), worker()]);
  await step("Tests", () => runJest([]));
  const { surveyCpuVariants } = await import("../dist/runtime/devices/survey.js");
  for (const name of VARIANTS[process.arch] ?? []) {
    const title = `Tests of the model with ${name}`;
    const reason = skipReason(surveyCpuVariants().find((variant) => variant.name === name));
    if (reason) steps.push([title, undefined, `skipped: ${reason}`]);
    else await step(title, () => runJest(MODEL_TESTS, { GGSL_CPU_VARIANT: name }));
  }
}
printSteps();
console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

// ---------------------------------------------------------------- steps

/** Runs a step under its heading. `action` tells whether it succeeded, or how many tests passed and failed. */
async function step(name, action, { isCounted = true } = {}) {
  console.log(`\n== ${name}`);
  const start = performance.now();
  const result = await action();
  const [passed, failed] = typeof result === "boolean" ? [+(result && isCounted), +!result] : result;
  const outcome = typeof result === "boolean" ? "" : ` (${passed} passed, ${failed} failed)`;
  return record(name, start, { passed, failed, outcome });
}

/** Runs a check beside others; what it prints comes when it has ended. */
async function beside(name, args) {
  const start = performance.now();
  console.log(`\n== ${name}: begins`);
  const child = spawn(process.execPath, args, { cwd: root, env: HALF, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  const isOk = await new Promise((resolve) => child.on("close", (status) => resolve(status === 0)));
  console.log(`\n== ${name}\n${output.trimEnd()}`);
  record(name, start, { passed: +isOk, failed: +!isOk, outcome: "" });
}

function record(name, start, { passed, failed, outcome }) {
  counts.passed += passed;
  counts.failed += failed;
  const seconds = (performance.now() - start) / 1000;
  const result = `${failed === 0 ? "ok" : "FAILED"}${outcome}`;
  console.log(`== ${name}: ${result}, ${seconds.toFixed(1)} s`);
  steps.push([name, seconds, result]);
  return failed === 0;
}

/** Checks ran two at a time, so the seconds are more than the whole took. */
function printSteps() {
  const width = Math.max(...steps.map(([name]) => name.length));
  console.log(`\n${"step".padEnd(width)}  seconds  result`);
  for (const [name, seconds, result] of steps)
    console.log(`${name.padEnd(width)}  ${(seconds?.toFixed(1) ?? "-").padStart(7)}  ${result}`);
}

// ---------------------------------------------------------------- what they do

function trySetUp() {
  try {
    setUp();
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    return false;
  }
}

/** Why the tests do not run with a variant of the CPU backend; undefined if they do. */
function skipReason(variant) {
  if (!variant) return "the CPU backend has no such variant";
  if (variant.isLoaded) return "all tests ran with it";
  return variant.isSupported ? undefined : "this processor can not run it";
}

/** How many tests passed and failed; a suite that could not run counts as one failed test. */
function runJest(args, env = {}) {
  const file = join(root, JEST_RESULTS);
  mkdirSync(join(root, "build"), { recursive: true });
  rmSync(file, { force: true });
  // standard error joins standard output, so that lines come in order wherever they are read
  const stdio = ["ignore", process.stdout, process.stdout];
  const { status } = spawnSync(process.execPath, [...JEST, ...args], {
    cwd: root,
    stdio,
    env: { ...process.env, ...env },
  });
  const results = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  const failed = (results?.numFailedTests ?? 0) + (results?.numRuntimeErrorTestSuites ?? 0);
  // jest may fail though no test did, for example when it found none
  return [results?.numPassedTests ?? 0, status === 0 ? failed : Math.max(failed, 1)];
}
