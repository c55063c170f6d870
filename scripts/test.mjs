/**
 * `npm test`: sets everything up, then checks all there is to check. A step that fails does not keep the later ones from
 * running. The last line counts jest's tests, and every other step as one.
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
  ["Generated sources", ["scripts/generate.mjs", "--check"]],
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

const counts = { passed: 0, failed: 0 };
const count = (ok) => counts[ok ? "passed" : "failed"]++;

if (step("Set-up", trySetUp)) {
  const checks = [...CHECKS];
  const worker = async () => {
    for (let check = checks.shift(); check; check = checks.shift()) count(await beside(...check));
  };
  await Promise.all([worker(), worker()]);
  step("Tests", () => runJest(counts));
} else {
  counts.failed++;
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/** Runs a step beside others; what it prints comes when it has ended. */
async function beside(name, args) {
  const start = performance.now();
  console.log(`\n== ${name}: begins`);
  const child = spawn(process.execPath, args, { cwd: root, env: HALF, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  const ok = await new Promise((resolve) => child.on("close", (status) => resolve(status === 0)));
  console.log(`\n== ${name}\n${output}== ${name}: ${ok ? "ok" : "FAILED"}, ${seconds(start)}`);
  return ok;
}

/** Runs a step under its heading. */
function step(name, action) {
  console.log(`\n== ${name}`);
  const start = performance.now();
  const ok = action();
  console.log(`== ${name}: ${ok ? "ok" : "FAILED"}, ${seconds(start)}`);
  return ok;
}

function seconds(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

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

/** Standard error joins standard output, so that lines come in order wherever they are read. */
function runNode(args) {
  return (
    spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", process.stdout, process.stdout] }).status === 0
  );
}

/** Adds jest's counts; a suite that could not run counts as one failed test. */
function runJest(counts) {
  const file = join(root, JEST_RESULTS);
  mkdirSync(join(root, "build"), { recursive: true });
  rmSync(file, { force: true });
  const ok = runNode(JEST);
  const results = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  const failed = (results?.numFailedTests ?? 0) + (results?.numRuntimeErrorTestSuites ?? 0);
  counts.passed += results?.numPassedTests ?? 0;
  // jest may fail though no test did, for example when it found none
  counts.failed += ok ? failed : Math.max(failed, 1);
  return ok && failed === 0;
}
