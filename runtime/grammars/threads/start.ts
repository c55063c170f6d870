/** Starts threads of the grammars. */
import { nodeModule } from "../../core/node.js";
import { grammarWorkerPath } from "../../core/root.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import type { EngineOptions } from "../xgrammar/engine.js";

type Threads = NonNullable<ReturnType<typeof nodeModule<"node:worker_threads">>>;

/** Undefined where no thread can wait for another: in browsers. */
export const threadsHere = (): Threads | undefined => nodeModule("node:worker_threads");

/** A thread and its port. */
export interface Started {
  readonly worker: InstanceType<Threads["Worker"]>;
  readonly port: InstanceType<Threads["MessagePort"]>;
  /** Counts answers, for a thread that waits for them. */
  readonly counter: Int32Array;
}

/** Loading the engine, or a vocabulary, is not part of a request's time. */
export const START_MILLISECONDS = 20_000;
/** Megabytes for values that live briefly. */
const YOUNG = 32;

/** It does not keep the process alive. */
export function startThread(
  { Worker, MessageChannel }: Threads,
  engine: EngineOptions,
  heapMegabytes: number = GRAMMAR_LIMITS.heapMegabytes,
): Started {
  const { port1: port, port2 } = new MessageChannel();
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const data = { port: port2, counter, engine };
  const worker = new Worker(grammarWorkerPath(), {
    workerData: data,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: YOUNG },
    // it needs none of the loaders of this process
    execArgv: [],
    env: {},
    stdin: false,
  });
  worker.unref();
  return { worker, port, counter };
}

/** Calls `end` once when a thread has ended by itself. */
export function whenEnded({ worker }: Started, end: (error: Error) => void): void {
  let isOver = false;
  const once = (error: Error): void => {
    if (!isOver) end(error);
    isOver = true;
  };
  worker.on("error", once);
  worker.on("exit", (status) => once(new Error(`it ended with status ${status}`)));
}

/** Whether a thread has ended because its heap was full. */
export const isOutOfHeap = (error: Error & { readonly code?: unknown }): boolean =>
  error.code === "ERR_WORKER_OUT_OF_MEMORY";

export const OUT_OF_HEAP = "it needs more memory than its thread has";

/** How many times its limit a request can take on a machine that has other things to do. */
const MOST_BUSY = 4;

/**
 * Calls `end` after so many milliseconds, and not before this process had a processor as long: a machine that is busy makes no grammar
 * expensive. The result cancels it.
 */
export function deadline(milliseconds: number, end: () => void): () => void {
  const begin = performance.now();
  const before = process.cpuUsage();
  let timer = setTimeout(look, milliseconds);
  function look(): void {
    const { user, system } = process.cpuUsage(before);
    const left = milliseconds - (user + system) / 1000;
    if (left <= 0 || performance.now() - begin >= MOST_BUSY * milliseconds) end();
    else timer = setTimeout(look, left);
  }
  return () => clearTimeout(timer);
}
