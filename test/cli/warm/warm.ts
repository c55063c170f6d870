/**
 * `ggsl` for tests of what its commands print, read and write. All commands of a suite run in one process, which has loaded the
 * program: a process for each would take most of the time. How the process itself starts, ends and treats its terminal is tested
 * with `run.ts`.
 */
import { afterAll } from "@jest/globals";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Result } from "../../codegen/ggsl.js";
import { MAIN } from "../run.js";

const THREAD = fileURLToPath(new URL("thread.mjs", import.meta.url));
/** Milliseconds after which a command hangs. */
const LONGEST = 100_000;

interface Place {
  /** Default: the checkout. */
  readonly cwd?: string;
  /** Standard input; default: none. */
  readonly input?: string | Uint8Array | undefined;
}

/** Runs a command. One that hangs is ended: its status is null. */
type Warm = (args: readonly string[], place?: Place) => Result;

/** A process for commands, which starts with the first and ends with the suite. `added` are variables of its environment. */
export function warm(added: NodeJS.ProcessEnv = {}): Warm {
  let worker: Worker | undefined;
  afterAll(async () => void (await worker?.terminate()));
  const env = { ...process.env, ...added };
  return (args, { cwd = ".", input = "" } = {}) => {
    worker ??= new Worker(THREAD, { workerData: { main: MAIN, env } });
    worker.unref();
    const { port1, port2 } = new MessageChannel();
    const flag = new Int32Array(new SharedArrayBuffer(4));
    worker.postMessage({ args, cwd: resolve(cwd), input, flag, port: port2, timeout: LONGEST }, [port2]);
    Atomics.wait(flag, 0, 0);
    const { message } = receiveMessageOnPort(port1) as { readonly message: Result };
    port1.close();
    return message;
  };
}
