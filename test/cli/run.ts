/** The built command as a child that is watched while it runs, with pipes or in a terminal. */
import { spawn, type ChildProcess } from "node:child_process";
import { resolve } from "node:path";

export const MAIN = resolve("runtime/dist/cli/main.js");

export interface Running {
  readonly pid: number;
  /** Everything printed so far, both streams. */
  readonly output: () => string;
  /** Waits until what was printed after the last match has this match. */
  until(pattern: RegExp): Promise<string>;
  type(keys: string): void;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly status: number | null; readonly signal: NodeJS.Signals | null }>;
}

const running = new Set<ChildProcess>();

/** Ends children that wait for something that never comes. */
export function endAll(): void {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
}

export interface Place {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The command's main file; default: this checkout's. */
  readonly main?: string;
}

/** Runs `ggsl`. Both streams share a pipe, which keeps the order of what is printed. */
export const start = (args: readonly string[], { main = MAIN, ...place }: Place = {}): Running =>
  follow(spawn("sh", ["-c", 'exec "$0" "$@" 2>&1', process.execPath, main, ...args], { ...place, stdio: "pipe" }));

/**
 * Runs a command in a pseudo-terminal, by util-linux's `script`. It is a terminal that a person looks at, also where the tests run in
 * a job whose own output is a log.
 */
export function startInTerminal(words: readonly string[], { cwd, env = process.env }: Place = {}): Running {
  const place = { cwd, env: { ...env, TERM: "xterm", CI: "" } };
  // a shell that stayed in between would end by the Ctrl-C that the command takes
  const command = `exec ${words.map(quote).join(" ")}`;
  return follow(spawn("script", ["-qefc", command, "/dev/null"], { ...place, stdio: "pipe" }));
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

function follow(child: ChildProcess): Running {
  running.add(child);
  let [output, read] = ["", 0];
  let wake = (): void => undefined;
  const onText = (text: string): void => {
    output += text;
    wake();
  };
  child.stdout!.setEncoding("utf8").on("data", onText);
  child.stderr!.setEncoding("utf8").on("data", onText);
  let hasEnded = false;
  const ended = new Promise<{ status: number | null; signal: NodeJS.Signals | null }>((done) =>
    child.on("close", (status, signal) => {
      hasEnded = true;
      running.delete(child);
      done({ status, signal });
      wake();
    }),
  );
  return {
    pid: child.pid!,
    ended,
    output: () => output,
    async until(pattern) {
      for (;;) {
        const found = pattern.exec(output.slice(read));
        if (found) {
          read += found.index + found[0].length;
          return found[0];
        }
        if (hasEnded) throw new Error(`ended without ${String(pattern)}:\n${output}`);
        await new Promise<void>((done) => (wake = done));
      }
    },
    type: (keys) => void child.stdin!.write(keys),
    kill: (signal) => void child.kill(signal),
  };
}
