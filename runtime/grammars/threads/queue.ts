/** A thread that prepares grammars, and those that wait for it, in lanes that take turns. */
import { InputError, type InputErrorCode } from "../../core/errors.js";
import { Turns } from "../../core/turns.js";
import { Thread, ThreadEnded } from "../../core/threads.js";
import { grammarWorkerPath } from "../../core/root.js";
import type { Table } from "../words.js";

/** What is known of a source, by its content. */
export type Known =
  | { readonly kind: "prepared"; readonly table: Table }
  | { readonly kind: "refused"; readonly code: InputErrorCode; readonly message: string };

/** What a thread found; `late`: it took too long there. */
export type Found =
  Known | { readonly kind: "late"; readonly message: string } | { readonly kind: "failed"; readonly error: Error };

/** A source that is prepared once for all that ask for it. */
export interface Job {
  /** What messages call the source. */
  readonly name: string;
  /** As JSON. */
  readonly source: string;
  /** How many ask for it, by lane. */
  readonly askers: Map<string, number>;
  /** It has had its first try. */
  isTried: boolean;
  /** Where it waits; undefined once a thread works on it. */
  queue: PreparingQueue | undefined;
  readonly resolve: (found: Known) => void;
  readonly reject: (error: Error) => void;
}

export class PreparingQueue {
  readonly turns = new Turns<Job>();
  private thread: Thread<string, Table> | undefined;
  private running: Job | undefined;

  constructor(
    private readonly limits: { readonly milliseconds: number; readonly heapMegabytes: number },
    private readonly done: (job: Job, found: Found) => void,
  ) {}

  /** Of a job that waits here, or nowhere. */
  enter(job: Job, lane: string): void {
    job.queue = this;
    this.turns.push(lane, job);
    if (!this.running) void this.serve();
  }

  leave(job: Job): void {
    for (const lane of job.askers.keys()) this.turns.remove(lane, job);
    job.queue = undefined;
  }

  /** Whether the thread works on it. */
  isAt = (job: Job): boolean => this.running === job;

  /** Takes a job out that nothing waits for any more; ends the thread, if it works on it. */
  abandon(job: Job): void {
    this.leave(job);
    if (this.running === job) void this.thread?.end(new ThreadEnded("left", "nothing waits for it"));
  }

  private async serve(): Promise<void> {
    for (let job = this.take(); job; job = this.take()) {
      this.running = job;
      const found = await this.prepare(job).catch((error: unknown) => foundBy(job, error as Error, this.limits));
      this.done(job, found);
    }
    this.running = undefined;
  }

  private take(): Job | undefined {
    const job = this.turns.next(() => "take");
    if (job) this.leave(job);
    return job;
  }

  private async prepare({ source }: Job): Promise<Found> {
    if (this.thread?.ended) this.thread = undefined;
    this.thread ??= new Thread({ file: grammarWorkerPath(), heapMegabytes: this.limits.heapMegabytes });
    return { kind: "prepared", table: await this.thread.ask(source, this.limits.milliseconds) };
  }
}

const naming = ({ name }: Pick<Job, "name">, message: string): string => `${name} cannot be used: ${message}`;

const failure = (error: Error): InputError =>
  new InputError(`the thread of the grammars ended: ${error.message}`, { code: "ENGINE_FAILED", cause: error });

/** What the error of a try says of the source. */
function foundBy(job: Job, error: Error, { milliseconds }: { readonly milliseconds: number }): Found {
  if (!(error instanceof InputError)) return { kind: "failed", error };
  if (!(error instanceof ThreadEnded)) return { kind: "refused", code: error.code, message: error.message };
  if (error.why === "time")
    return { kind: "late", message: naming(job, `it takes more than ${milliseconds} ms to read`) };
  if (error.why === "memory")
    return {
      kind: "refused",
      code: "LIMIT_EXCEEDED",
      message: naming(job, "it needs more memory than its thread has"),
    };
  return { kind: "failed", error: failure(error) };
}
