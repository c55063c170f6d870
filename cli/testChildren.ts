/**
 * `ggsl test` on a GPU: a process for each file. A driver may crash, or fail after many different graphs in one process (Mesa's
 * lavapipe does). Then the tests of that file run again, each in its own process, and only those that fail there count as
 * failures.
 */
import type { EvaluateBackend } from "ggsl/evaluate.js";
import { GPU_BACKENDS, type GpuBackend } from "ggsl/devices/locate.js";
import { chooseDevice } from "ggsl/devices/choose.js";
import type { TestResult } from "ggsl/testing.js";
import { runGgsl, TIMEOUT_SIGNAL } from "./child.js";

/** Set in the children: the number of the one test to run, or empty for all tests of a file. */
export const CHILD = "GGSL_TEST_CHILD";

const SECONDS = 300;

export const isGpu = (backend: EvaluateBackend): backend is GpuBackend =>
  (GPU_BACKENDS as readonly string[]).includes(backend);

export interface Where {
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

/** Runs the tests of files; `onFile` is called before each. Throws `InputError` for a device that does not exist. */
export async function resultsInChildren(
  files: readonly string[],
  backend: GpuBackend,
  where: Where,
  onFile: (index: number, backend: GpuBackend) => void,
): Promise<TestResult[]> {
  await chooseDevice({ backend, device: where.device });
  const results: TestResult[] = [];
  for (const [i, file] of files.entries()) {
    onFile(i, backend);
    for (const one of await resultsOfFile(file, backend, where)) results.push(one);
    if (where.signal?.aborted) break;
  }
  return results;
}

async function resultsOfFile(file: string, backend: GpuBackend, where: Where): Promise<TestResult[]> {
  const all = await runChild(file, backend, where, "");
  if (typeof all !== "string") return all;
  const results: TestResult[] = [];
  for (let i = 0; ; i++) {
    const one = await runChild(file, backend, where, `${i}`);
    if (typeof one === "string") results.push(failureOf(file, `test ${i + 1}`, backend, one));
    else if (one.length === 0) return results;
    else for (const result of one) results.push(result);
    // the tests of this file cannot even be counted
    if (typeof one === "string" && i >= MOST_FAILURES) return results;
  }
}

const MOST_FAILURES = 100;

/** The results of a file or of one of its tests, or why there are none. */
async function runChild(file: string, backend: GpuBackend, where: Where, test: string): Promise<TestResult[] | string> {
  const { device, strict, root, vocab, line, input, stdinPath, signal: abort } = where;
  const options = [
    ...(device === undefined ? [] : ["--device", `${device}`]),
    ...(strict ? ["--strict"] : []),
    ...(root === undefined ? [] : ["--root", root]),
    ...(vocab === undefined ? [] : ["--vocab", vocab]),
    ...(line === undefined ? [] : ["--line", `${line}`]),
    ...(file === "-" && stdinPath !== undefined ? ["--stdin-path", stdinPath] : []),
  ];
  const { signal, stdout, stderr } = await runGgsl(["test", file, "--backend", backend, "--json", ...options], {
    ...{ env: { [CHILD]: test }, seconds: SECONDS, signal: abort },
    input: file === "-" ? input : undefined,
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
  ...{ title, file, line: 1, backend },
  differences: [{ what: "error", rows: [{ at: "", expected: "results", found: found.replace(/\n/g, "\n  ") }] }],
});
