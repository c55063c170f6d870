/** The `ggsl` command itself in a child process, which may crash or hang. */
import { execFile } from "node:child_process";

interface ChildOptions {
  /** What the child reads from standard input; absent for nothing. */
  readonly input?: string | undefined;
  /** Variables to set in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** After which the child is killed, with SIGKILL: code that hangs may block SIGTERM. */
  readonly seconds: number;
  /** Ends the child. */
  readonly signal?: AbortSignal | undefined;
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
  /** What ended it; absent if it ended by itself. */
  readonly signal?: string;
}

export const TIMEOUT_SIGNAL = "SIGKILL";

/** The most characters of output. */
const MAX_OUTPUT = 2 ** 26;

/** Runs `ggsl` with these arguments, by the Node.js of this process. */
export const runGgsl = (args: readonly string[], options: ChildOptions): Promise<Ended> =>
  new Promise((resolve) => {
    const { input, env, seconds, signal: abort } = options;
    const limits = { timeout: seconds * 1000, killSignal: TIMEOUT_SIGNAL, maxBuffer: MAX_OUTPUT } as const;
    const child = execFile(
      process.execPath,
      [process.argv[1]!, ...args],
      { ...limits, env: { ...process.env, ...env }, ...(abort && { signal: abort }) },
      (error, stdout, stderr) => {
        const { signal, code } = (error ?? {}) as { signal?: string | null; code?: number | string };
        const status = typeof code === "number" ? code : error ? 1 : 0;
        resolve({ stdout, stderr, status, ...(signal && { signal }) });
      },
    );
    // a child that ends early does not read it
    child.stdin!.on("error", () => undefined).end(input);
  });
