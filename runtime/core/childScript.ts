/** Runs a script in a child process that may crash or hang. */
import { nodeModule } from "./node.js";

const childProcess = nodeModule("node:child_process")!;

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** What ended it; absent if it ended by itself. */
  readonly signal?: string | undefined;
  readonly status: number;
}

export interface ScriptOptions {
  readonly args: readonly string[];
  /** After which the script is killed, with SIGKILL: code that hangs may block SIGTERM. */
  readonly seconds: number;
}

export const TIMEOUT_SIGNAL = "SIGKILL";

/** @param file the script's path */
export const runScript = (file: string, options: ScriptOptions): Promise<Ended> =>
  new Promise((resolve) => {
    const args = argumentsOf(file, options);
    childProcess.execFile(process.execPath, args, optionsOf(options), (error, stdout, stderr) => {
      const { signal, code } = (error ?? {}) as { signal?: string | null; code?: number | string };
      const status = typeof code === "number" ? code : error ? 1 : 0;
      resolve({ stdout, stderr, signal: signal ?? undefined, status });
    });
  });

/** The synchronous form. */
export function runScriptSync(file: string, options: ScriptOptions): Ended {
  const args = argumentsOf(file, options);
  const { stdout, stderr, signal, status } = childProcess.spawnSync(process.execPath, args, optionsOf(options));
  return { stdout, stderr, signal: signal ?? undefined, status: status ?? 1 };
}

const argumentsOf = (file: string, { args }: ScriptOptions): string[] => [file, ...args];

/** llama.cpp would start a debugger to print where it failed. */
const optionsOf = ({ seconds }: ScriptOptions) =>
  ({
    encoding: "utf8",
    timeout: seconds * 1000,
    killSignal: TIMEOUT_SIGNAL,
    maxBuffer: 2 ** 20,
    env: { ...process.env, GGML_NO_BACKTRACE: "1" },
  }) as const;

/** The message of the error that ended the script, without its stack. */
export function messageOf(stderr: string): string | undefined {
  const lines = stderr.split("\n");
  const line = lines.find((text) => /^(\w*)Error: /.test(text));
  return line?.replace(/^\w*Error: /, "") ?? (stderr.trim().split("\n").at(-1) || undefined);
}
