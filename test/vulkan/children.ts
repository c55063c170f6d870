/**
 * Tests that run again on Vulkan: jest on their files, in processes of a few cases each. A process that a driver's crash has
 * ended, which its signal tells, says nothing about its cases: they are run again, fewer at a time, and that is counted.
 */
import { spawnSync } from "node:child_process";
import { JEST } from "../../tools/jest.js";
import { ENVIRONMENT } from "./vulkan.js";

const SECONDS = 280;

/** A driver's own crash, or that of its heap. */
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

/** Runs a program of Node's. */
export function runProcess(args: readonly string[], environment: Readonly<Record<string, string>>): Ended {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    ...{ encoding: "utf8", env: { ...ENVIRONMENT, ...environment }, maxBuffer: 2 ** 28 },
    ...{ timeout: SECONDS * 1000, killSignal: "SIGKILL" },
  });
  const crash = signal !== null && CRASHES.includes(signal) ? signal : undefined;
  const ending = status === null ? `\nended by ${signal}${signal === "SIGKILL" ? `; there are ${SECONDS} s` : ""}` : "";
  return { ok: status === 0, crash, output: `${stdout}${stderr}${ending}` };
}

/** What became of the groups of a test. */
export interface Report {
  /** What the processes that passed have printed. */
  readonly outputs: string[];
  readonly failures: string[];
  /** Groups that a crash has ended, and that were run again in parts. */
  retried: number;
}

/**
 * Runs a group of cases, whose process says which of them fail. One that crashes again and again, down to a case, has failed;
 * `nameOf` says which case that is.
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
