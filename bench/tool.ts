/** Runs the C++ tool, native/replay, and reads its JSON lines. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The checkout's folder: sources and dist/ are at different depths. */
export const ROOT = ((): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package-lock.json"))) folder = dirname(folder);
  return folder;
})();

export const TOOL = join(ROOT, "build", "Release", "ggsl_replay");

interface ToolResult {
  readonly status: number;
  readonly lines: readonly string[];
}

export interface ToolOptions {
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
  readonly isQuiet?: boolean;
  /** Variables to set in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs the tool; its progress goes to standard error, each line of its output to `onLine` at once. Stops it if `signal` is
 * aborted, and then rejects with an `AbortError`.
 */
export function runTool(
  args: readonly string[],
  { onLine = () => undefined, signal, isQuiet = false, env = {} }: ToolOptions = {},
): Promise<ToolResult> {
  if (!existsSync(TOOL)) throw new Error(`expected ${TOOL}, found no such file. Run: npm run build:native`);
  return new Promise((resolve, reject) => {
    const child = spawn(TOOL, args, {
      stdio: ["ignore", "pipe", isQuiet ? "ignore" : "inherit"],
      env: { ...process.env, ...env },
      ...(signal && { signal }),
    });
    const lines: string[] = [];
    const reader = createInterface({ input: child.stdout });
    reader.on("line", (line) => {
      lines.push(line);
      onLine(line);
    });
    child.on("error", reject);
    const ended = new Promise((done) => reader.once("close", done));
    child.on("close", (status, killed) => {
      void ended.then(() => {
        if (status === null) reject(new Error(`ggsl_replay was killed by ${killed ?? "a signal"}`));
        else resolve({ status, lines });
      });
    });
  });
}
