/** What ends a command early: Ctrl-C, SIGTERM, and a reader of its output that goes away. */
import { visible } from "@ggsl/compiler/source/visible.js";

/** 128 and the number of the signal, as a shell reports it. */
const STATUS = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 141 } as const;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** What aborts the work that runs, and that ends by itself. */
let running: AbortController | undefined;
let status: number | undefined;

/** The exit status of a command that was ended, or undefined. */
export const endStatus = (): number | undefined => status;

/** Ends the work that runs, or the process at once: without such work, and the second time. */
function end(with_: number): void {
  const isFirst = status === undefined;
  status ??= with_;
  if (!isFirst || !running) process.exit(status);
  running.abort();
}

/**
 * Runs work that ends soon after its signal is aborted, and returns what is done by then. The exit status then says what ended
 * it. Other commands are ended at once.
 */
export async function endable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  running = controller;
  const handlers = SIGNALS.map((name) => [name, () => end(STATUS[name])] as const);
  for (const [name, handler] of handlers) process.on(name, handler);
  try {
    return await work(controller.signal);
  } finally {
    running = undefined;
    for (const [name, handler] of handlers) process.off(name, handler);
  }
}

/** Ends the command if its output cannot be written: without a word if the reader went away, as other tools do. */
export function watchOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // what is written until the work has ended fails too
    if (status !== undefined) return;
    if (error.code === "EPIPE") return end(STATUS.SIGPIPE);
    process.stderr.write(`error: standard output cannot be written: ${visible(error.message)}\n`);
    end(1);
  });
  // there is nowhere left to report it
  process.stderr.on("error", () => undefined);
}
