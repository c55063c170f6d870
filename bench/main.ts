/** Shared by the programs of bench/: usage errors, Ctrl-C, exit status. */

export class UsageError extends Error {}

/**
 * Runs a program. Exit status 1 for an error, 2 for wrong usage, 130 after Ctrl-C, which aborts `signal`.
 */
export async function runMain(usage: string, main: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  try {
    await main(controller.signal);
  } catch (error) {
    process.exitCode = report(error as Error & { code?: string }, usage, controller.signal.aborted);
  }
}

function report(error: Error & { code?: string }, usage: string, isStopped: boolean): number {
  if (isStopped) {
    process.stderr.write("stopped; nothing was written\n");
    return 130;
  }
  const isUsage = error instanceof UsageError || error.code?.startsWith("ERR_PARSE_ARGS") === true;
  process.stderr.write(`error: ${error.message}\n${isUsage ? usage : ""}`);
  return isUsage ? 2 : 1;
}

/** An integer of 1 or more. */
export function countOf(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`${name}: expected a positive integer, found ${text}`);
  return value;
}
