/**
 * Continuous batching: decodes the sequences of one context together. Every sequence that waits for a token joins the next
 * batch, so sequences can start and end while others run.
 */
import { AbortError, InputError } from "./errors.js";
import { nextTask } from "./nextTask.js";
import type {
  Batch,
  Binding,
  ContextOptions,
  ContextStats,
  DecodeOutput,
  InputValues,
  NativeContext,
  NativeError,
  NativeGraph,
} from "./native/binding.js";

/** One sequence's part of a batch, with an output after its last token. */
export interface Step {
  readonly tokens: Int32Array;
  /** The position of the first token in its sequence. */
  readonly position: number;
  readonly uniforms: Float32Array;
  /** The chain's inputs from index 1 on; empty for constant ones. */
  readonly inputs: readonly InputValues[];
}

/** A sequence of the context, from `acquire` to `release`. */
export interface Slot {
  /** Tokens that the sequence can hold. */
  readonly contextSize: number;
  decode(step: Step): Promise<DecodeOutput>;
  /** As of the latest batch. */
  readonly stats: () => ContextStats;
  release(): void;
}

/** A step that waits for its output. */
interface Job extends Step {
  readonly place: Place;
  readonly chain: NativeGraph;
  readonly resolve: (output: DecodeOutput) => void;
  readonly reject: (error: unknown) => void;
}

/** A sequence of the context. */
interface Place {
  readonly sequence: number;
  isTaken: boolean;
  /** It still holds the tokens of its previous user. */
  isStale: boolean;
  /** Undefined after a chain was refused. */
  chain: NativeGraph | undefined;
}

type Open = (options: Pick<ContextOptions, "chains" | "sequences">) => Promise<NativeContext>;

export class Scheduler {
  private opening: Promise<NativeContext> | undefined;
  private places: Place[] = [];
  /** By wire form. */
  private readonly chains = new Map<
    string,
    { readonly columns: readonly Float32Array[]; readonly chain: NativeGraph }[]
  >();
  private readonly waiting = new Set<() => void>();
  private jobs: Job[] = [];
  /** The jobs of the running batch. */
  private current: readonly Job[] = [];
  private isRunning = false;
  private isDisposed = false;
  private stats: ContextStats | undefined;

  constructor(
    private readonly sequences: number,
    private readonly Graph: Binding["Graph"],
    private readonly open: Open,
  ) {}

  /**
   * Waits for a free slot; the first call opens the context. An aborted signal ends the wait, for a slot or an output.
   * @param words the chain in the wire form
   * @param columns those of its constant inputs
   */
  async acquire(words: Int32Array, columns: readonly Float32Array[] = [], signal?: AbortSignal): Promise<Slot> {
    const chain = this.chainOf(words, columns);
    const context = await this.opened(chain);
    const place = await this.freePlace(signal);
    let job: Job | undefined;
    const onAbort = (): void => job && this.cancel(context, job);
    signal?.addEventListener("abort", onAbort);
    return {
      contextSize: Math.floor(context.contextSize / this.sequences),
      stats: () => this.stats!,
      decode: (step) =>
        new Promise((resolve, reject) => {
          job = { ...step, place, chain, resolve, reject };
          this.jobs.push(job);
          if (!this.isRunning) void this.run(context);
        }),
      release: () => {
        signal?.removeEventListener("abort", onAbort);
        place.isTaken = false;
        place.isStale = true;
        for (const wake of this.waiting) wake();
      },
    };
  }

  /** Frees the context. Pending requests fail. */
  dispose(): void {
    this.isDisposed = true;
    void this.opening?.then(
      (context) => context.dispose(),
      () => undefined, // the caller that opened it gets the error
    );
    for (const wake of this.waiting) wake();
  }

  /** Equal chains with the same columns are one object, so that a reused slot can keep its graph. */
  private chainOf(words: Int32Array, columns: readonly Float32Array[]): NativeGraph {
    const key = words.join();
    const known = this.chains.get(key) ?? [];
    this.chains.set(key, known);
    const present = known.find((other) => other.columns.every((column, i) => column === columns[i]));
    if (present) return present.chain;
    const chain = new this.Graph(words, columns);
    known.push({ columns, chain });
    return chain;
  }

  /** Every sequence starts with the first chain: setting it later would make llama.cpp reserve its memory again. */
  private async opened(chain: NativeGraph): Promise<NativeContext> {
    if (this.isDisposed) throw disposed();
    const { sequences } = this;
    this.opening ??= this.open({ sequences, chains: Array.from({ length: sequences }, () => chain) }).then(
      (context) => {
        this.stats = context.stats();
        this.places = Array.from({ length: sequences }, (_, sequence) => ({
          ...{ sequence, chain, isTaken: false, isStale: false },
        }));
        return context;
      },
    );
    try {
      return await this.opening;
    } catch (error) {
      this.opening = undefined;
      throw error;
    }
  }

  private async freePlace(signal: AbortSignal | undefined): Promise<Place> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.isDisposed) throw disposed();
      const place = this.places.find(({ isTaken }) => !isTaken);
      if (place) {
        place.isTaken = true;
        return place;
      }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.waiting.delete(wake);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        this.waiting.add(wake);
        signal?.addEventListener("abort", wake);
      });
    }
  }

  /** Decodes while any job is waiting. */
  private async run(context: NativeContext): Promise<void> {
    this.isRunning = true;
    while (this.jobs.length > 0) {
      // Lets the readers of the last batch request their next token first.
      if (this.sequences > 1) await nextTask();
      // Sorted by sequence: llama.cpp rebuilds its graph if the order changes.
      const jobs = this.jobs.splice(0).sort((a, b) => a.place.sequence - b.place.sequence);
      this.current = jobs.filter((job) => attempt(job, () => prepare(context, job)));
      if (this.current.length > 0) await this.decode(context, this.current);
      this.current = [];
    }
    this.isRunning = false;
  }

  private async decode(context: NativeContext, jobs: readonly Job[]): Promise<void> {
    try {
      const outputs = await context.decode(batchOf(jobs));
      this.stats = context.stats();
      jobs.forEach(({ resolve }, i) => resolve(outputs[i]!));
    } catch (thrown) {
      const error = this.isDisposed ? disposed() : thrown;
      if (jobs.length === 1 || !CAUSED_BY_ONE.has((error as NativeError).code)) {
        for (const { reject } of jobs) reject(error);
        return;
      }
      // One at a time, so that only the sequence that causes the error gets it.
      for (const job of jobs) {
        const isBack = attempt(job, () => context.remove(job.place.sequence, job.position), error);
        if (isBack) await this.decode(context, [job]);
      }
    }
  }

  /** Aborts the running batch only if this sequence is alone in it. */
  private cancel(context: NativeContext, job: Job): void {
    this.jobs = this.jobs.filter((other) => other !== job);
    if (this.current.includes(job) && this.current.length === 1) context.abort();
    else job.reject(new AbortError());
  }
}

/** Errors of a single sequence: after these, the sequences of the batch hold either all or none of its tokens. */
const CAUSED_BY_ONE: ReadonlySet<string> = new Set(["INVALID_LOGITS", "INVALID_ARGUMENT"]);

const disposed = (): InputError => new InputError("these sequences were disposed");

/** Whether it succeeds; otherwise the job gets the error, or `instead`. */
function attempt(job: Job, action: () => void, instead?: unknown): boolean {
  try {
    action();
    return true;
  } catch (error) {
    job.reject(instead ?? error);
    return false;
  }
}

function prepare(context: NativeContext, { place, chain, uniforms, inputs }: Job): void {
  const { sequence } = place;
  if (place.isStale) context.remove(sequence);
  place.isStale = false;
  if (place.chain !== chain) {
    place.chain = undefined;
    context.setChain(sequence, chain);
    place.chain = chain;
  }
  context.setUniforms(sequence, uniforms);
  inputs.forEach((values, i) => {
    if (values.length > 0) context.setInput(sequence, i + 1, values);
  });
}

function batchOf(jobs: readonly Job[]): Batch {
  const each = (value: (job: Job, i: number) => number): number[] =>
    jobs.flatMap((job) => Array.from(job.tokens, (_, i) => value(job, i)));
  return {
    tokens: Int32Array.from(each(({ tokens }, i) => tokens[i]!)),
    positions: Int32Array.from(each(({ position }, i) => position + i)),
    sequences: Int32Array.from(each(({ place }) => place.sequence)),
    outputs: Uint8Array.from(each(({ tokens }, i) => (i === tokens.length - 1 ? 1 : 0))),
  };
}
