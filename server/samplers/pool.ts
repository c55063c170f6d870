/**
 * Threads that compile, each one source at a time, so that a source that takes too long or ends its thread harms no other. Sources
 * wait in lanes that take turns.
 */
import { Thread, ThreadEnded } from "ggsl/core/threads.js";
import { isOutOfResources, refusalFor } from "../faults.js";
import type { Lane } from "../lanes/lane.js";
import type { Log } from "../log.js";
import { Turns } from "ggsl/core/turns.js";
import { Refusal, shuttingDown } from "../refusal.js";
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

type Compiler = Thread<Job, Reply>;

/** A source whose thread ended is tried again once: the reason may have been another. */
const MOST_DEATHS = 2;
/** Seconds after which a client tries again. */
const WHEN_BUSY = 2;
/** Of the sources that may wait, those of one lane. */
export const LANE_PART = 1 / 4;

export class Pool {
  readonly #turns = new Turns<Waiting>();
  /** With what they work on. */
  readonly #threads = new Map<Compiler, Waiting | undefined>();
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
    const threads = [...this.#threads.keys()];
    for (const { reject } of this.#turns.clear()) reject(closed());
    await Promise.all(threads.map((thread) => thread.end(new ThreadEnded("left", "the server is shutting down"))));
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
    for (const [thread, work] of this.#threads) {
      if (work) continue;
      if (thread.ended) this.#lost(thread, thread.ended);
      else this.#give(thread);
    }
    while (this.#isOpen && this.#turns.size > 0 && this.#threads.size < this.options.threads) this.#give(this.#start());
  }

  #start(): Compiler {
    const { script, memory } = this.options;
    return new Thread({ file: script.url, execArgv: script.execArgv, heapMegabytes: memory });
  }

  #give(thread: Compiler): void {
    const work = this.#turns.next(() => "take");
    this.#threads.set(thread, work);
    if (!work) return;
    work.askedBy = [...work.lanes];
    this.#leave(work);
    void this.#compile(thread, work);
  }

  async #compile(thread: Compiler, work: Waiting): Promise<void> {
    try {
      work.resolve(await thread.ask(work.job, this.options.deadline));
      this.#threads.set(thread, undefined);
    } catch (error) {
      if (this.#isOpen) this.#failed(thread, work, error as ThreadEnded);
      else work.reject(closed());
    }
    this.#serve();
  }

  /** The thread has ended because of the source that it worked on, or by itself. */
  #failed(thread: Compiler, work: Waiting, error: ThreadEnded): void {
    const { deadline, memory } = this.options;
    const { isStarted } = thread;
    if (isStarted && error.why === "time") {
      this.#threads.delete(thread);
      return work.resolve({ kind: "limit", message: `it takes more than ${deadline} ms to compile` });
    }
    if (isStarted && error.why === "memory") {
      this.#threads.delete(thread);
      return work.resolve({ kind: "limit", message: `it takes more than ${memory} MB to compile` });
    }
    this.#lost(thread, error);
    if (isStarted && ++work.deaths < MOST_DEATHS) return this.#enter(work, work.askedBy);
    const failed: PoolReply = { kind: "failed", message: error.message };
    if (isStarted) return work.resolve(failed);
    // another one would not start either
    for (const waiting of [work, ...this.#turns.clear()]) {
      if (isOutOfResources(error)) waiting.reject(refusalFor(error));
      else waiting.resolve(failed);
    }
  }

  #lost(thread: Compiler, error: ThreadEnded): void {
    this.#threads.delete(thread);
    this.options.log.error({ err: error.cause ?? error }, "the compiler's thread ended");
  }

  #busy(): Refusal {
    const message = `${this.#turns.size} samplers wait to be compiled: try again in ${WHEN_BUSY} s`;
    return new Refusal("compiler_busy", message, { param: "sampler", retryAfter: WHEN_BUSY });
  }
}

const closed = (): Refusal => shuttingDown();
