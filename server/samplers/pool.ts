/**
 * Threads that compile, each one source at a time, so that a source that takes too long or ends its thread harms no other. Sources
 * wait in lanes that take turns.
 */
import { Worker } from "node:worker_threads";
import { isOutOfResources, refusalFor } from "../faults.js";
import { guarded } from "../guarded.js";
import type { Log } from "../log.js";
import { Turns } from "../queue/turns.js";
import { Refusal } from "../refusal.js";
import type { Job, Reply } from "./facts.js";
import type { Script } from "./script.js";

export interface PoolOptions {
  readonly script: Script;
  readonly threads: number;
  /** Milliseconds for a source. */
  readonly deadline: number;
  /** Megabytes of a thread's heap. */
  readonly memory: number;
  /** Sources that wait. */
  readonly waiting: number;
  readonly log: Log;
}

/** `limit`: it took too long or too much memory. */
export type PoolReply = Reply | { readonly kind: "limit"; readonly message: string };

interface Waiting {
  readonly job: Job;
  readonly lane: string;
  /** Threads that ended while they worked on it. */
  deaths: number;
  readonly resolve: (reply: PoolReply) => void;
  readonly reject: (error: Refusal) => void;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
  work: Waiting | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Loading the compiler is not part of a source's time. */
const START_MILLISECONDS = 60_000;
/** A source whose thread ended is tried again once: the reason may have been another. */
const MOST_DEATHS = 2;
/** Seconds after which a client tries again. */
const WHEN_BUSY = 2;
/** Megabytes for values that live briefly. */
const YOUNG = 32;

export class Pool {
  readonly #turns = new Turns<Waiting>();
  readonly #threads = new Set<Thread>();
  #isOpen = true;

  constructor(private readonly options: PoolOptions) {}

  /** Sources that wait for a thread. */
  get waiting(): number {
    return this.#turns.size;
  }

  /** `cancel` is false once a thread works on it. Rejects with a `Refusal` if too many wait, and if the pool closes. */
  run(job: Job, lane: string): { readonly reply: Promise<PoolReply>; readonly cancel: () => boolean } {
    if (!this.#isOpen) return { reply: Promise.reject(closed()), cancel: () => false };
    let entry: Waiting | undefined;
    const reply = new Promise<PoolReply>((resolve, reject) => {
      entry = { job, lane, deaths: 0, resolve, reject };
      this.#turns.push(lane, entry);
      this.#serve();
      if (this.#turns.size > this.options.waiting) this.#turns.dropLongest(lane)?.reject(this.#busy());
    });
    const cancel = (): boolean => {
      const isWaiting = this.#turns.remove(lane, entry!);
      if (isWaiting) entry!.reject(closed());
      return isWaiting;
    };
    return { reply, cancel };
  }

  /** Ends the threads; all that waits is refused. */
  async close(): Promise<void> {
    this.#isOpen = false;
    const threads = [...this.#threads];
    this.#threads.clear();
    const atWork = threads.flatMap(({ work }) => work ?? []);
    for (const { reject } of [...atWork, ...this.#turns.clear()]) reject(closed());
    await Promise.all(
      threads.map(({ worker, timer }) => {
        clearTimeout(timer);
        return worker.terminate();
      }),
    );
  }

  #serve(): void {
    for (const thread of this.#threads) if (thread.isReady && !thread.work) this.#give(thread);
    const starting = [...this.#threads].filter(({ isReady }) => !isReady).length;
    if (this.#turns.size > starting && this.#threads.size < this.options.threads) this.#start();
  }

  #give(thread: Thread): void {
    const work = this.#turns.take(() => "take");
    if (!work) return;
    thread.work = work;
    thread.worker.ref();
    thread.worker.postMessage(work.job);
    const { deadline } = this.options;
    thread.timer = setTimeout(
      guarded("deadline", () =>
        this.#end(thread, { kind: "limit", message: `it takes more than ${deadline} ms to compile` }),
      ),
      deadline,
    );
  }

  #start(): void {
    const { script, memory } = this.options;
    const worker = new Worker(script.url, {
      execArgv: [...script.execArgv],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: YOUNG },
    });
    const thread: Thread = { worker, isReady: false, work: undefined, timer: undefined };
    this.#threads.add(thread);
    thread.timer = setTimeout(
      guarded("start", () => this.#died(thread, new Error("it does not start"))),
      START_MILLISECONDS,
    );
    worker.on(
      "message",
      guarded("message", (message: Reply | "ready") => this.#receive(thread, message)),
    );
    worker.on(
      "error",
      guarded("error", (error: Error) => this.#died(thread, error)),
    );
    worker.on(
      "exit",
      guarded("exit", (status: number) => this.#died(thread, new Error(`it ended with status ${status}`))),
    );
  }

  #receive(thread: Thread, message: Reply | "ready"): void {
    if (!this.#threads.has(thread)) return;
    clearTimeout(thread.timer);
    const { work } = thread;
    thread.work = undefined;
    thread.isReady = true;
    thread.worker.unref();
    if (message !== "ready") work?.resolve(message);
    this.#serve();
  }

  /** Ends a thread because of the source that it works on. */
  #end(thread: Thread, reply: PoolReply): void {
    this.#remove(thread);
    thread.work?.resolve(reply);
    this.#serve();
  }

  /** A thread that ended by itself. */
  #died(thread: Thread, error: Error & { readonly code?: string }): void {
    if (!this.#threads.has(thread)) return;
    this.#remove(thread);
    const { work, isReady } = thread;
    const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    if (!isMemory || !isReady) this.options.log.error({ err: error }, "the compiler's thread ended");
    const failed: PoolReply = { kind: "failed", message: error.message };
    if (isMemory) work?.resolve({ kind: "limit", message: `it takes more than ${this.options.memory} MB to compile` });
    else if (work && ++work.deaths < MOST_DEATHS) this.#turns.push(work.lane, work);
    else work?.resolve(failed);
    if (isReady) return this.#serve();
    // another one would not start either
    for (const waiting of this.#turns.clear()) {
      if (isOutOfResources(error)) waiting.reject(refusalFor(error));
      else waiting.resolve(failed);
    }
  }

  #remove(thread: Thread): void {
    clearTimeout(thread.timer);
    this.#threads.delete(thread);
    void thread.worker.terminate();
  }

  #busy(): Refusal {
    const message = `${this.#turns.size} samplers wait to be compiled: try again in ${WHEN_BUSY} s`;
    return new Refusal("compiler_busy", message, { param: "sampler", retryAfter: WHEN_BUSY });
  }
}

const closed = (): Refusal => new Refusal("shutting_down", "the server is shutting down");
