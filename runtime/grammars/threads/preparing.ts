/**
 * Reads sources in two threads. A first try is short; what takes longer ends there and waits for the other
 * thread, with the later grammars of its lane, so that each lane costs the others one such try. What was found is remembered.
 */
import { abortError, InputError } from "../../core/errors.js";
import { unlessAborted } from "../../core/aborts.js";
import { Cache } from "../../core/cache.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import { PreparingQueue, type Found, type Job, type Known } from "./queue.js";

/** A source to prepare. */
interface Asked extends Pick<Job, "name" | "source"> {
  /** Whose it is: equal for all of one client. */
  readonly lane: string;
  readonly signal?: AbortSignal | undefined;
}

type Prepared = Known & { readonly kind: "prepared" };

export class Preparing {
  private readonly known = new Cache<Known>(GRAMMAR_LIMITS.known, GRAMMAR_LIMITS.knownBytes);
  private readonly jobs = new Map<string, Job & { readonly outcome: Promise<Known> }>();
  private readonly lateUntil = new Map<string, number>();
  private readonly quick: PreparingQueue;
  private readonly slow: PreparingQueue;
  /** Sources that threads were done with. */
  tries = 0;

  constructor({ quickMilliseconds, prepareMilliseconds, heapMegabytes }: PreparingLimits = GRAMMAR_LIMITS) {
    const queue = (milliseconds: number, done: (job: Job, found: Found) => void): PreparingQueue =>
      new PreparingQueue({ milliseconds, heapMegabytes }, done);
    this.quick = queue(quickMilliseconds, (job, found) => this.tried(job, found));
    this.slow = queue(prepareMilliseconds, (job, found) => this.settle(job, found));
  }

  /** The answer itself if it is known. Throws `InputError`, also for a source that was refused before, or what aborted the signal. */
  prepare(asked: Asked): Prepared | Promise<Prepared> {
    const { lane, signal } = asked;
    const known = this.known.get(asked.source);
    if (known) return resultOf(known);
    if (signal?.aborted) throw abortError(signal);
    const waiting = this.jobs.get(asked.source);
    const job = waiting ?? this.open(asked);
    job.askers.set(lane, (job.askers.get(lane) ?? 0) + 1);
    if (!waiting) this.enter(job, lane);
    else if (job.queue) this.join(job, job.queue, lane);
    return this.wait(job, asked);
  }

  /** Whether a lane has had an expensive grammar lately. */
  isLate(lane: string): boolean {
    return (this.lateUntil.get(lane) ?? -Infinity) > performance.now();
  }

  private open({ name, source }: Asked) {
    let [resolve, reject] = [(_: Known): void => undefined, (_: Error): void => undefined];
    const outcome = new Promise<Known>((...settle) => ([resolve, reject] = settle));
    // all that asked may have left
    outcome.catch(() => undefined);
    const job = { name, source, askers: new Map<string, number>(), isTried: false, queue: undefined };
    const opened = { ...job, queue: undefined as PreparingQueue | undefined, resolve, reject, outcome };
    this.jobs.set(source, opened);
    return opened;
  }

  private enter(job: Job, lane: string): void {
    (job.isTried || this.isLate(lane) ? this.slow : this.quick).enter(job, lane);
    this.bound(lane);
  }

  private join(job: Job, queue: PreparingQueue, lane: string): void {
    if (job.askers.get(lane) !== 1) return;
    // a client with expensive grammars keeps no other's waiting
    if (queue === this.slow && !job.isTried && !this.isLate(lane)) {
      queue.leave(job);
      for (const one of job.askers.keys()) this.quick.enter(job, one);
    } else queue.enter(job, lane);
    this.bound(lane);
  }

  private async wait(job: Job & { readonly outcome: Promise<Known> }, { lane, signal }: Asked): Promise<Prepared> {
    return resultOf(await unlessAborted(job.outcome, signal, () => this.leave(job, lane)));
  }

  /** One that asked is gone. A first try is finished, so that it cannot be had again and again. */
  private leave(job: Job, lane: string): void {
    const count = (job.askers.get(lane) ?? 1) - 1;
    job.askers.set(lane, count);
    if (count > 0) return;
    job.queue?.turns.remove(lane, job);
    job.askers.delete(lane);
    if (job.askers.size > 0 || this.quick.isAt(job)) return;
    this.slow.abandon(job);
    this.forget(job);
  }

  /** Refuses the last of a lane that has too many waiting, unless it waits in another, too. */
  private bound(lane: string): void {
    const count = (one: string): number => this.quick.turns.lengthOf(one) + this.slow.turns.lengthOf(one);
    const { waiting, waitingOfLane } = GRAMMAR_LIMITS;
    const isFull = this.quick.turns.size + this.slow.turns.size > waiting;
    if (count(lane) <= waitingOfLane && !isFull) return;
    const queue = this.slow.turns.size > this.quick.turns.size ? this.slow : this.quick;
    const longest = count(lane) > waitingOfLane ? lane : queue.turns.longest(lane);
    const last = this.quick.turns.last(longest) ?? this.slow.turns.last(longest);
    if (!last) return;
    last.queue?.turns.remove(longest, last);
    last.askers.delete(longest);
    if (last.askers.size > 0) return;
    last.queue = undefined;
    this.forget(last);
    last.reject(
      new InputError(
        `too many grammars wait to be prepared: at most ${waitingOfLane} of one client, and ${waiting} of all`,
        {
          code: "BUSY",
        },
      ),
    );
  }

  /** After the first try. */
  private tried(job: Job, found: Found): void {
    if (found.kind !== "late") return this.settle(job, found);
    job.isTried = true;
    for (const lane of job.askers.keys()) {
      this.makeLate(lane);
      this.slow.enter(job, lane);
    }
    if (job.askers.size === 0) this.forget(job);
  }

  private settle(job: Job, found: Found): void {
    this.tries++;
    this.forget(job);
    if (found.kind === "failed") return job.reject(found.error);
    const known: Known =
      found.kind === "late" ? { kind: "refused", code: "LIMIT_EXCEEDED", message: found.message } : found;
    this.remember(job.source, known);
    job.resolve(known);
  }

  /** It may be asked for again already. */
  private forget(job: Job): void {
    if (this.jobs.get(job.source) === job) this.jobs.delete(job.source);
  }

  private remember(source: string, known: Known): void {
    const size = known.kind === "refused" ? known.message.length : known.table.words.byteLength;
    this.known.set(source, known, source.length + size);
  }

  private makeLate(lane: string): void {
    const now = performance.now();
    for (const [one, until] of this.lateUntil) if (until < now) this.lateUntil.delete(one);
    this.lateUntil.set(lane, now + GRAMMAR_LIMITS.lateMilliseconds);
  }
}

function resultOf(known: Known): Prepared {
  if (known.kind === "refused") throw new InputError(known.message, { code: known.code });
  return known;
}

type PreparingLimits = Readonly<Record<"quickMilliseconds" | "prepareMilliseconds" | "heapMegabytes", number>>;

let shared: Preparing | undefined;

/** One for this process. */
export const sharedPreparing = (): Preparing => (shared ??= new Preparing());
