/** Programs, as a user runs them. */
import { spawnSync } from "node:child_process";

export interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function node(args: readonly string[], cwd = "."): Result {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd, maxBuffer: 1 << 28 });
  return { status, stdout, stderr };
}

export const tsc = (...args: readonly string[]): Result => node(["node_modules/typescript-7/bin/tsc", ...args]);
