/**
 * Runs other tests again on Vulkan: jest on their files, a few cases per process. If the driver crashes the process, which its
 * signal shows, the cases have no result: they run again in smaller groups, and the crash is counted.
 */
import { spawnSync } from "node:child_process";
import { JEST } from "../../tools/jest.js";
import { ENVIRONMENT } from "./vulkan.js";

const SECONDS = 280;

/** A crash of the driver or of its heap. */
const CRASHES: readonly string[] = ["SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE"];

export interface Ended {
  /** Whether all tests passed. */
  readonly ok: boolean;
  /** The signal by which the process crashed. */
  readonly crash: string | undefined;
  readonly output: string;
}

/** Runs tests on the backends that `environment` names. */
export const runJest = (args: readonly string[], environment: Readonly<Record<string, string>>): Ended =>
  runProcess([...JEST, "--runInBand", "--ci", ...args], environment);

/** Runs a Node.js program. */
export function runProcess(args: readonly string[], environment: Readonly<Record<string, string>>): Ended {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { ...ENVIRONMENT, ...environment },
    maxBuffer: 2 ** 28,
    timeout: SECONDS * 1000,
    killSignal: "SIGKILL",
  });
  const crash = signal !== null && CRASHES.includes(signal) ? signal : undefined;
  const ending = status === null ? `\nended by ${signal}${signal === "SIGKILL" ? `; there are ${SECONDS} s` : ""}` : "";
  return { ok: status === 0, crash, output: `${stdout}${stderr}${ending}` };
}

/** The results of the groups of a test. */
interface Report {
  /** The output of the processes that passed. */
  readonly outputs: string[];
  readonly failures: string[];
  /** Groups that crashed and were split. */
  retried: number;
}

/**
 * Runs a group of cases, whose process reports which of them fail. A single case that still crashes fails; `nameOf` gives its
 * name.
 */
export function runGroup<Case>(
  group: readonly Case[],
  run: (cases: readonly Case[]) => Ended,
  nameOf: (c: Case) => string,
  report: Report,
): void {
  const { ok, crash, output } = run(group);
  if (ok) return void report.outputs.push(output);
  if (crash === undefined) return void report.failures.push(output);
  if (group.length === 1)
    return void report.failures.push(`the driver crashed (${crash}) alone with\n${nameOf(group[0]!)}`);
  report.retried++;
  const half = Math.ceil(group.length / 2);
  for (const part of [group.slice(0, half), group.slice(half)]) runGroup(part, run, nameOf, report);
}

export const newReport = (): Report => ({ outputs: [], failures: [], retried: 0 });

/** Groups of at most `size`. */
export const chunks = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
