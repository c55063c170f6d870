/**
 * Threads that compile, each one source at a time, so that a source that takes too long or ends its thread harms no other. Sources
 * wait in lanes that take turns.
 */
import { Worker } from "node:worker_threads";
import { isOutOfResources, refusalFor } from "../faults.js";
import { guarded } from "../guarded.js";
import type { Lane } from "../lanes/lane.js";
import type { Log } from "../log.js";
import { Turns } from "ggsl/core/turns.js";
import { Refusal } from "../refusal.js";
import type { Job, Reply } from "./facts.js";
import type { Script } from "./script.js";

interface PoolOptions {
  readonly script: Script;
  readonly threads: number;
  /** Milliseconds for a source. */
  readonly deadline: number;
  /** Megabytes of a thread's heap. */
  readonly memory: number;
  /** Sources that wait; those of a lane are at most a quarter of them. */
  readonly waiting: number;
  readonly log: Log;
}

/** `limit`: it took too long or too much memory. */
export type PoolReply = Reply | { readonly kind: "limit"; readonly message: string };

/** A source on its way. */
export interface Run {
  readonly reply: Promise<PoolReply>;
  /** It waits in another lane, too, and is compiled when the first of them has its turn. */
  readonly join: (lane: Lane) => void;
  /** False once a thread works on it. */
  readonly cancel: () => boolean;
}

interface Waiting {
  readonly job: Job;
  /** Those that it waits in. */
  readonly lanes: Set<Lane>;
  /** Those that it waited in, once a thread works on it. */
  askedBy: readonly Lane[];
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
/** Of the sources that may wait, those of one lane. */
export const LANE_PART = 1 / 4;
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

  /** Rejects with a `Refusal` if too many wait, and if the pool closes. */
  run(job: Job, lane: Lane): Run {
    if (!this.#isOpen) return { reply: Promise.reject(closed()), join: () => undefined, cancel: () => false };
    let entry: Waiting | undefined;
    const reply = new Promise<PoolReply>((resolve, reject) => {
      entry = { job, lanes: new Set(), askedBy: [], deaths: 0, resolve, reject };
      this.#enter(entry, [lane]);
    });
    const isWaiting = (): boolean => entry!.lanes.size > 0;
    const join = (other: Lane): void => {
      if (isWaiting() && !entry!.lanes.has(other)) this.#enter(entry!, [other]);
    };
    const cancel = (): boolean => {
      if (!isWaiting()) return false;
      this.#leave(entry!);
      entry!.reject(closed());
      return true;
    };
    return { reply, join, cancel };
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

  /** All lanes before a thread takes it: it is compiled once. */
  #enter(entry: Waiting, lanes: readonly Lane[]): void {
    for (const lane of lanes) {
      this.#turns.push(lane, entry);
      entry.lanes.add(lane);
    }
    this.#serve();
    const { waiting } = this.options;
    for (const lane of lanes)
      if (this.#turns.lengthOf(lane) > Math.ceil(waiting * LANE_PART)) this.#drop(lane);
      else if (this.#turns.size > waiting) this.#drop(this.#turns.longest(lane));
  }

  /** Refuses the last of a lane, unless it waits in another, too. */
  #drop(lane: Lane): void {
    const dropped = this.#turns.last(lane)!;
    this.#turns.remove(lane, dropped);
    dropped.lanes.delete(lane);
    if (dropped.lanes.size === 0) dropped.reject(this.#busy());
  }

  #leave(entry: Waiting): void {
    for (const lane of entry.lanes) this.#turns.remove(lane, entry);
    entry.lanes.clear();
  }

  #serve(): void {
    for (const thread of this.#threads) if (thread.isReady && !thread.work) this.#give(thread);
    const starting = [...this.#threads].filter(({ isReady }) => !isReady).length;
    if (this.#turns.size > starting && this.#threads.size < this.options.threads) this.#start();
  }

  #give(thread: Thread): void {
    const work = this.#turns.next(() => "take");
    if (!work) return;
    work.askedBy = [...work.lanes];
    this.#leave(work);
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
    else if (work && ++work.deaths < MOST_DEATHS) this.#enter(work, work.askedBy);
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
