/** The checkout's folder, and how tools run commands. */
import { spawn, type StdioOptions } from "node:child_process";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The number of files compiled in parallel; the environment variable is CMake's own. */
export const jobs = Number(process.env["CMAKE_BUILD_PARALLEL_LEVEL"]) || availableParallelism();

/** A failure that the user can fix; the message says how. */
export class ToolError extends Error {}

export interface RunOptions {
  /** Variables to set in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the checkout. */
  readonly cwd?: string;
  /** Default: the output is captured, and the input is empty. `inherit` for interactive commands. */
  readonly stdio?: StdioOptions;
}

export interface Ended {
  readonly status: number;
  /** The command's output, if captured. */
  readonly output: string;
  /** Why it has no exit status: it was not found, or a signal ended it. */
  readonly reason?: string;
}

/** The conventional status after Ctrl-C. */
const INTERRUPTED = 130;

/** Runs a command and returns its status and output. */
export function attempt(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { env = {}, cwd = root, stdio = ["ignore", "pipe", "pipe"] } = options;
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio, env: { ...process.env, ...env } });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
    // Ctrl-C also reaches the command; this process waits for it to end
    const wait = (): void => undefined;
    process.on("SIGINT", wait);
    const end = (ended: Ended): void => {
      process.off("SIGINT", wait);
      resolve(ended);
    };
    child.on("error", ({ message }) => end({ status: 1, output, reason: message }));
    child.on("close", (status, signal) => {
      // so that no further command starts
      if (signal === "SIGINT" || status === INTERRUPTED) process.exit(INTERRUPTED);
      end({ status: status ?? 1, output, ...(signal && { reason: `ended by ${signal}` }) });
    });
  });
}

/** Runs a command. If it fails, prints its output and throws a `ToolError`; `what` names the task in the message. */
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

/** Runs a Node.js program and returns its status and output. */
export const attemptNode = (args: readonly string[], options?: RunOptions): Promise<Ended> =>
  attempt(process.execPath, args, options);

/** Runs another tool in a process of its own. */
export const attemptTool = (name: string, args: readonly string[], options?: RunOptions): Promise<Ended> =>
  attemptNode([join(root, "tools", "run.mjs"), name, ...args], options);
