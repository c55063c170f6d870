/**
 * `ggsl test` on a GPU: a process for a few files. A driver may crash, or fail after many different graphs in one process (Mesa's
 * lavapipe does). Then these files run again, each in its own process; and where that crashes, each of its tests. Only what fails
 * alone counts as a failure.
 */
import type { EvaluateBackend } from "ggsl/chain/evaluate.js";
import { GPU_BACKENDS, type GpuBackend } from "ggsl/backends/devices/locate.js";
import { chooseDevice } from "ggsl/backends/devices/choose.js";
import type { TestResult } from "ggsl/chain/testing.js";
import { runGgsl, TIMEOUT_SIGNAL } from "./child.js";

/** Set in the children: the number of the one test to run, or empty for all tests of a file. */
export const CHILD = "GGSL_TEST_CHILD";

const SECONDS = 300;

/** Starting a process and its device takes longer than the tests of a file. */
const FILES_AT_ONCE = 6;

export const isGpu = (backend: EvaluateBackend): backend is GpuBackend =>
  (GPU_BACKENDS as readonly string[]).includes(backend);

interface Where {
  readonly device?: number | string;
  readonly strict?: true;
  readonly root?: string;
  readonly vocab?: string;
  readonly line?: number;
  /** The text of the file `-`, and its name. */
  readonly input?: string | undefined;
  readonly stdinPath?: string;
  /** Ends the processes. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs the tests of files; `onFile` is called before each group, with its first file. Throws `InputError` for a device that does not exist. */
export async function resultsInChildren(
  files: readonly string[],
  backend: GpuBackend,
  where: Where,
  onFile: (index: number, backend: GpuBackend) => void,
): Promise<TestResult[]> {
  await chooseDevice({ backend, device: where.device });
  const results: TestResult[] = [];
  for (let i = 0; i < files.length && !where.signal?.aborted; i += FILES_AT_ONCE) {
    onFile(i, backend);
    const group = files.slice(i, i + FILES_AT_ONCE);
    for (const one of await resultsOfGroup(group, backend, where)) results.push(one);
  }
  return results;
}

/** The results of files in one process, or in one for each if any fails there. */
async function resultsOfGroup(files: readonly string[], backend: GpuBackend, where: Where): Promise<TestResult[]> {
  const all = files.length > 1 ? await runChild(files, backend, where, "") : "there is one file";
  if (typeof all !== "string" && all.every(({ differences }) => differences.length === 0)) return all;
  const results: TestResult[] = [];
  for (const file of files) for (const one of await resultsOfFile(file, backend, where)) results.push(one);
  return results;
}

async function resultsOfFile(file: string, backend: GpuBackend, where: Where): Promise<TestResult[]> {
  const all = await runChild([file], backend, where, "");
  if (typeof all !== "string") return all;
  const results: TestResult[] = [];
  for (let i = 0; ; i++) {
    const one = await runChild([file], backend, where, `${i}`);
    if (typeof one === "string") results.push(failureOf(file, `test ${i + 1}`, backend, one));
    else if (one.length === 0) return results;
    else for (const result of one) results.push(result);
    // the tests of this file cannot even be counted
    if (typeof one === "string" && i >= MOST_FAILURES) return results;
  }
}

const MOST_FAILURES = 100;

/** The results of files, or of one test of a file, or why there are none. */
async function runChild(
  files: readonly string[],
  backend: GpuBackend,
  where: Where,
  test: string,
): Promise<TestResult[] | string> {
  const { device, strict, root, vocab, line, input, stdinPath, signal: abort } = where;
  const isPiped = files.includes("-");
  const options = [
    ...(device === undefined ? [] : ["--device", `${device}`]),
    ...(strict ? ["--strict"] : []),
    ...(root === undefined ? [] : ["--root", root]),
    ...(vocab === undefined ? [] : ["--vocab", vocab]),
    ...(line === undefined ? [] : ["--line", `${line}`]),
    ...(isPiped && stdinPath !== undefined ? ["--stdin-path", stdinPath] : []),
  ];
  const { signal, stdout, stderr } = await runGgsl(["test", ...files, "--backend", backend, "--json", ...options], {
    env: { [CHILD]: test },
    seconds: SECONDS,
    signal: abort,
    input: isPiped ? input : undefined,
  });
  if (abort?.aborted) return [];
  if (signal === TIMEOUT_SIGNAL) return `the driver did not finish within ${SECONDS} s`;
  if (signal) return `the driver crashed (${signal})`;
  return parse(stdout) ?? `the process ended without results: ${stderr.trim()}`;
}

function parse(text: string): TestResult[] | undefined {
  try {
    return (JSON.parse(text) as { results: TestResult[] }).results;
  } catch {
    return undefined;
  }
}

/** A failure that keeps a test from running at all. */
export const failureOf = (file: string, title: string, backend: string, found: string): TestResult => ({
  title,
  file,
  line: 1,
  backend,
  differences: [{ what: "error", rows: [{ at: "", expected: "results", found: found.replace(/\n/g, "\n  ") }] }],
});
