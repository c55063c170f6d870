/**
 * Renders conversations on two threads. The first is for all: what takes longer than a try there waits for the other thread, with the
 * later conversations of its lane, so that each lane costs the others one such try.
 */
import { unlessAborted } from "../../core/aborts.js";
import { abortError, InputError } from "../../core/errors.js";
import { chatWorkerPath } from "../../core/root.js";
import { Thread, ThreadEnded } from "../../core/threads.js";
import { Turns } from "../../core/turns.js";
import type { Rendered } from "../letters.js";
import { CHAT_THREADS } from "../limits.js";
import type { RenderTask } from "../task.js";
import type { RenderAnswer, RenderRequest } from "./serve.js";

export interface Asked {
  /** Whose conversation it is: those of each lane take turns. */
  readonly lane?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Job {
  readonly task: RenderTask;
  readonly lane: string;
  readonly settle: (rendered: Rendered) => void;
  readonly fail: (error: Error) => void;
}

/** A thread, and what waits for it. */
class RenderingQueue {
  readonly #turns = new Turns<Job>();
  private thread: Thread<RenderRequest, RenderAnswer> | undefined;
  #running: Job | undefined;

  /** @param steps of a try; `late` gets what needs more */
  constructor(
    private readonly steps: number | undefined,
    private readonly late: (job: Job) => void,
  ) {}

  enter(job: Job): void {
    this.#turns.push(job.lane, job);
    if (!this.#running) void this.#serve();
  }

  /** Nothing waits for it any more. A try is finished, so that it cannot be had again and again. */
  abandon(job: Job): void {
    if (this.#turns.remove(job.lane, job) || this.#running !== job || this.steps !== undefined) return;
    void this.thread?.end(new ThreadEnded("left", "nothing waits for it"));
  }

  async #serve(): Promise<void> {
    for (let job = this.#take(); job; job = this.#take()) {
      try {
        const rendered = await this.#render(job.task);
        if (rendered) job.settle(rendered);
        else this.late(job);
      } catch (error) {
        job.fail(failure(error as Error));
      }
    }
  }

  #take(): Job | undefined {
    const job = this.#turns.next(() => "take");
    if (job) this.#turns.remove(job.lane, job);
    this.#running = job;
    return job;
  }

  #render(task: RenderTask): Promise<RenderAnswer> {
    const { heapMegabytes, milliseconds } = CHAT_THREADS;
    if (this.thread?.ended) this.thread = undefined;
    this.thread ??= new Thread({ file: chatWorkerPath(), heapMegabytes });
    return this.thread.ask({ task, steps: this.steps }, milliseconds);
  }
}

/** What a thread failed with; a thread that has ended is there anew for the next conversation. */
function failure(error: Error): Error {
  if (!(error instanceof ThreadEnded)) return error;
  const { heapMegabytes, milliseconds } = CHAT_THREADS;
  const costly = (what: string): InputError =>
    new InputError(`the chat template is too costly: it needs more than ${what}`, {
      code: "LIMIT_EXCEEDED",
      cause: error,
    });
  if (error.why === "time") return costly(`${milliseconds} ms`);
  if (error.why === "memory") return costly(`${heapMegabytes} MB`);
  return new InputError(`the thread that renders conversations ended: ${error.message}`, {
    code: "ENGINE_FAILED",
    cause: error.cause,
  });
}

export class Rendering {
  readonly #lateUntil = new Map<string, number>();
  private readonly all = new RenderingQueue(undefined, () => undefined);
  private readonly tries = new RenderingQueue(CHAT_THREADS.trySteps, (job) => {
    this.#makeLate(job.lane);
    this.all.enter(job);
  });

  /** Rejects with `InputError`, and with what aborted the signal. */
  async render(task: RenderTask, { lane = "", signal }: Asked): Promise<Rendered> {
    if (signal?.aborted) throw abortError(signal);
    let leave = (): void => undefined;
    const rendered = new Promise<Rendered>((settle, fail) => {
      const job: Job = { task, lane, settle, fail };
      leave = () => {
        this.tries.abandon(job);
        this.all.abandon(job);
      };
      (this.#isLate(lane) ? this.all : this.tries).enter(job);
    });
    return unlessAborted(rendered, signal, leave);
  }

  #isLate(lane: string): boolean {
    return (this.#lateUntil.get(lane) ?? -Infinity) > performance.now();
  }

  #makeLate(lane: string): void {
    const now = performance.now();
    for (const [one, until] of this.#lateUntil) if (until < now) this.#lateUntil.delete(one);
    this.#lateUntil.set(lane, now + CHAT_THREADS.lateMilliseconds);
  }
}

let shared: Rendering | undefined;

/** One for this process. */
export const sharedRendering = (): Rendering => (shared ??= new Rendering());
