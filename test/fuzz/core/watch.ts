/** The other side of `worker.ts`: sends cases to a worker, and sees crashes and hangs. */
import { fork, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Fault } from "./faults.js";
import type { Generator } from "./generator.js";
import { BYTES, HANGS, PATIENCE, SECONDS, WORN } from "./limits.js";
import type { Answer, Order } from "./worker.js";

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

interface Running {
  readonly process: ChildProcess;
  readonly ready: Promise<unknown>;
  errors: string;
}

/** Starts workers as needed, one at a time. */
export class Watch implements AsyncDisposable {
  readonly #slack: number;
  #worker: Running | undefined;

  /** `slack` multiplies the processor time that cases may take: one where the machine is known and idle. */
  constructor({ slack = 1 }: { readonly slack?: number } = {}) {
    this.#slack = slack;
  }

  readonly #secondsFor = ({ seconds = SECONDS }: Generator): number => this.#slack * seconds;

  /** Runs a case; returns its fault, if it has one. A slow case runs twice, because the first run in a process compiles the code. */
  async run(generator: Generator, c: unknown): Promise<Fault | undefined> {
    const fault = await this.#runOnce(generator, c);
    return fault?.kind === "slow" ? this.#runOnce(generator, c) : fault;
  }

  async #runOnce(generator: Generator, c: unknown): Promise<Fault | undefined> {
    const worker = (this.#worker ??= start(generator));
    const order: Order = { generator: generator.name, case: c };
    const answer = await answerOf(worker, order, HANGS * this.#secondsFor(generator));
    if ("kind" in answer) {
      await this.stop();
      return answer;
    }
    if (answer.memory > WORN) await this.stop();
    return answer.fault ?? costFault(answer, { seconds: this.#secondsFor(generator), bytes: generator.bytes ?? BYTES });
  }

  /** Runs a case in a new worker, so that nothing else can be the reason for its fault. */
  async runAlone(generator: Generator, c: unknown): Promise<Fault | undefined> {
    await this.stop();
    return this.run(generator, c);
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker) await ended(worker.process);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Options for loading the sources. The heap is limited, so that a case cannot take the memory of the machine. */
const NODE = ["--conditions=@ggsl/source", `--import=${TSX}`, "--no-warnings", "--max-old-space-size=1500"];

/** @param generator of the first case */
function start(generator: Generator): Running {
  const child = fork(WORKER, [generator.name], {
    execArgv: NODE,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "advanced",
  });
  const ready = new Promise((resolve) => child.once("message", resolve));
  const running: Running = { process: child, ready, errors: "" };
  child
    .stderr!.setEncoding("utf8")
    .on("data", (text: string) => (running.errors = (running.errors + text).slice(-4000)));
  return running;
}

async function answerOf(worker: Running, order: Order, most: number): Promise<Answer | Fault> {
  const { process: child } = worker;
  let end: ((how: Fault) => void) | undefined;
  const over = new Promise<Fault>((resolve) => (end = resolve));
  const onExit = (code: number | null, signal: string | null): void => {
    const how = `the process ended with ${signal ?? `status ${code}`}`;
    const isHeap = worker.errors.includes("heap out of memory");
    end!({
      kind: isHeap ? "memory" : "crash",
      message: `${how}\n${worker.errors}`,
      key: `crash ${how} ${reasonOf(worker.errors)}`,
    });
  };
  child.once("exit", onExit);
  await Promise.race([worker.ready, over]);
  const answer = new Promise<Answer>((resolve) => child.once("message", (message) => resolve(message as Answer)));
  const [start, before] = [performance.now(), secondsOf(child)];
  const timer = setInterval(() => {
    const [waited, used] = [(performance.now() - start) / 1000, secondsOf(child) - before];
    if (waited < PATIENCE && !(used > most)) return;
    end!({ kind: "hang", message: `no answer after ${used.toFixed(1)} s of processor time`, key: "slow" });
  }, 100);
  if (child.connected) child.send(order);
  try {
    return await Promise.race([answer, over]);
  } finally {
    clearInterval(timer);
    child.off("exit", onExit);
  }
}

/** The line of an assertion or of an uncaught error. */
const reasonOf = (errors: string): string =>
  (/^.*(GGML_ASSERT|Error|FATAL|terminate|what\(\)).*$/m.exec(errors)?.[0] ?? "").replaceAll(/\d+/g, "0").slice(0, 160);

function costFault(
  { seconds, growth }: Answer,
  most: { readonly seconds: number; readonly bytes: number },
): Fault | undefined {
  if (growth > most.bytes)
    return {
      kind: "memory",
      message: `${megabytes(growth)} more memory; at most ${megabytes(most.bytes)} are allowed`,
      key: "memory",
    };
  if (seconds > most.seconds)
    return {
      kind: "slow",
      message: `${seconds.toFixed(2)} s of processor time; at most ${most.seconds} s are allowed`,
      key: "slow",
    };
  return undefined;
}

/** Processor time of a process so far, in seconds; NaN where the system does not tell. */
function secondsOf({ pid }: ChildProcess): number {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ").slice(11, 13);
    return (Number(user) + Number(system)) / TICKS;
  } catch {
    return NaN;
  }
}

/** Linux counts processor time in hundredths of a second. */
const TICKS = 100;

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}
