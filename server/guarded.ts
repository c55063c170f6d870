/** Handlers of events and timers: nothing catches what they throw, and it would end the process. */

/** The handler, whose faults go to standard error. What it returns is not used. */
export const guarded =
  <Args extends readonly unknown[]>(event: string, handler: (...args: Args) => unknown) =>
  (...args: Args): void => {
    try {
      handler(...args);
    } catch (error) {
      report(event, error);
    }
  };

function report(event: string, error: unknown): void {
  try {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`error: a handler of "${event}" failed, and the server goes on: ${text}\n`);
  } catch {
    // nothing is left to tell it with
  }
}
