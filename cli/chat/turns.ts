/** Turns of the user: from a terminal with editing and history, or lines of standard input. */
import { createInterface } from "node:readline";

interface Turns extends AsyncIterable<string> {
  close(): void;
}

/** Whether a person reads and writes. */
export const isTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** @param interrupt stops what is being written; whether there was something */
export function openTurns(interrupt: () => boolean): Turns {
  const hasTerminal = isTerminal();
  const lines = createInterface({
    input: process.stdin,
    ...(hasTerminal && { output: process.stdout, prompt: "> ", historySize: 1000 }),
    terminal: hasTerminal,
  });
  const waiting: string[] = [];
  let [isClosed, isWarned] = [false, false];
  let wake = (): void => undefined;
  lines.on("line", (line) => {
    isWarned = false;
    waiting.push(line);
    wake();
  });
  lines.on("close", () => {
    isClosed = true;
    // the end of a file does not stop the answer to its last line
    if (hasTerminal) interrupt();
    wake();
  });

  const onInterrupt = (): void => {
    if (interrupt()) return;
    if (!hasTerminal || isWarned) return lines.close();
    isWarned = lines.line === "";
    if (isWarned) process.stdout.write("\nCtrl-C again, or Ctrl-D, ends\n");
    else lines.write(null, { ctrl: true, name: "u" });
    lines.prompt();
  };
  // a terminal in raw mode gives Ctrl-C to readline; otherwise it is a signal
  lines.on("SIGINT", onInterrupt);
  process.on("SIGINT", onInterrupt);

  async function* each(): AsyncGenerator<string, void, void> {
    for (;;) {
      while (waiting.length === 0 && !isClosed) {
        if (hasTerminal) lines.prompt();
        await new Promise<void>((resolve) => (wake = resolve));
      }
      const line = waiting.shift();
      if (line === undefined) return;
      yield line;
    }
  }
  const iterator = each();
  return {
    [Symbol.asyncIterator]: () => iterator,
    close() {
      process.removeListener("SIGINT", onInterrupt);
      if (hasTerminal && isClosed) process.stdout.write("\n");
      lines.close();
    },
  };
}
