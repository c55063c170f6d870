/** Where the checkout is, and the one way in which tools run commands. */
import { spawn, type StdioOptions } from "node:child_process";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Files that are compiled at once; the environment variable is CMake's own. */
export const jobs = Number(process.env["CMAKE_BUILD_PARALLEL_LEVEL"]) || availableParallelism();

/** A failure that the user can mend; the message says how. */
export class ToolError extends Error {}

export interface RunOptions {
  /** Variables to set beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the checkout. */
  readonly cwd?: string;
  /** Default: what the command prints is kept, and it reads nothing. `inherit` for one that speaks to the user. */
  readonly stdio?: StdioOptions;
}

export interface Ended {
  readonly status: number;
  /** What the command has printed, where that was kept. */
  readonly output: string;
  /** Why it has no status of its own: it was not found, or a signal has ended it. */
  readonly reason?: string;
}

/** By convention the status of what Ctrl-C has ended. */
const INTERRUPTED = 130;

/** Runs a command, whether it succeeds or not. */
export function attempt(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { env = {}, cwd = root, stdio = ["ignore", "pipe", "pipe"] } = options;
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio, env: { ...process.env, ...env } });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
    // Ctrl-C reaches the command, too; this process waits for its answer
    const wait = (): void => undefined;
    process.on("SIGINT", wait);
    const end = (ended: Ended): void => {
      process.off("SIGINT", wait);
      resolve(ended);
    };
    child.on("error", ({ message }) => end({ status: 1, output, reason: message }));
    child.on("close", (status, signal) => {
      // nothing else is begun then
      if (signal === "SIGINT" || status === INTERRUPTED) process.exit(INTERRUPTED);
      end({ status: status ?? 1, output, ...(signal && { reason: `ended by ${signal}` }) });
    });
  });
}

/** Runs a command. If it fails, prints what it printed and throws a `ToolError`. `what` was to be done is for its message. */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions & { readonly what?: string } = {},
): Promise<void> {
  const { status, output, reason } = await attempt(command, args, options);
  if (status === 0) return;
  if (output) console.error(output.trimEnd());
  const { what = `\`${command} ${args.join(" ")}\`` } = options;
  throw new ToolError(`${what} failed${reason ? `: ${reason}` : ""}`);
}

/** Runs a program of Node's, whether it succeeds or not. */
export const attemptNode = (args: readonly string[], options?: RunOptions): Promise<Ended> =>
  attempt(process.execPath, args, options);

/** Runs another tool in a process of its own. */
export const attemptTool = (name: string, args: readonly string[], options?: RunOptions): Promise<Ended> =>
  attemptNode([join(root, "tools", "run.mjs"), name, ...args], options);
