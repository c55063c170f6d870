/** A server in a process of its own. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export interface ServerProcess {
  readonly url: string;
  /** The end of what the process wrote to standard error. */
  readonly errors: () => string;
  readonly isAlive: () => boolean;
  /** Megabytes (2^20 bytes) of the resident set. */
  readonly memory: () => number;
  /** Seconds of the processor. */
  readonly cpu: () => number;
  /** Asks the server to end; the status that it ended with. */
  readonly end: () => Promise<number | string>;
}

/** Starts a server, and waits until it writes its address, the first group of `address`, to standard error. */
export async function startProcess(command: string, args: readonly string[], address: RegExp): Promise<ServerProcess> {
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  // it does not outlive who started it
  const kill = (): unknown => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  let errors = "";
  const found = new Promise<string>((resolve) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-10_000);
      const url = address.exec(errors)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once("exit", (status, signal) => resolve(status ?? signal!));
    child.once("error", reject);
  });
  const url = await Promise.race([found, ended.then(() => undefined)]);
  if (url === undefined) throw new Error(`the server does not start:\n${errors}`);
  return {
    url,
    errors: () => errors,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    memory: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))![1]) / 1024,
    cpu: () => ticksOf(child.pid!) / TICKS,
    end() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/** The ticks of Linux in a second. */
const TICKS = 100;

function ticksOf(process: number): number {
  const fields = readFileSync(`/proc/${process}/stat`, "utf8").split(") ")[1]!.split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
