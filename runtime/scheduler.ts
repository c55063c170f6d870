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

/** The next tokens of a sequence. */
export interface Part {
  readonly tokens: Int32Array;
  /** The position of the first token in its sequence; tokens that the sequence has from there on are forgotten. */
  readonly position: number;
}

/** One sequence's part of a batch, with an output after its last token. */
export interface Step extends Part {
  /** The parts of its guides, in their order. */
  readonly guides?: readonly Part[];
  readonly uniforms: Float32Array;
  /** The chain's inputs from index 1 on; empty for constant ones, and not read for those of guides. */
  readonly inputs: readonly InputValues[];
  /** The output has the model's own logits too, also those of the guides. */
  readonly wantsRaw?: boolean;
}

export interface SlotOutput extends DecodeOutput {
  /** The model's own logits of the guides, in their order, where they were asked for. */
  readonly guides?: readonly Float32Array[];
}

/** A sequence of the context and its guides, from `acquire` to `release`. */
export interface Slot {
  /** Tokens that each sequence can hold. */
  readonly contextSize: number;
  decode(step: Step): Promise<SlotOutput>;
  /** As of the latest batch. */
  readonly stats: () => ContextStats;
  release(): void;
}

/** A step that waits for its output. */
interface Job extends Step {
  readonly places: Places;
  readonly chain: NativeGraph;
  readonly resolve: (output: SlotOutput) => void;
  readonly reject: (error: unknown) => void;
}

/** A sequence of the context. */
interface Place {
  readonly sequence: number;
  isTaken: boolean;
  /** Tokens that it holds. */
  length: number;
  /** It still holds the tokens of its previous user. */
  isStale: boolean;
  isGuide: boolean;
  /** Undefined after a chain was refused. */
  chain: NativeGraph | undefined;
}

/** Of one generation. */
interface Places {
  readonly main: Place;
  /** With the inputs of the chain that are their logits. */
  readonly guides: readonly { readonly place: Place; readonly input: number }[];
}

const all = ({ main, guides }: Places): Place[] => [main, ...guides.map(({ place }) => place)];

type Open = (options: Pick<ContextOptions, "chains" | "guides" | "sequences">) => Promise<NativeContext>;

export class Scheduler {
  private opening: Promise<NativeContext> | undefined;
  private places: Place[] = [];
  /** By wire form. */
  private readonly chains = new Map<
    string,
    { readonly columns: readonly Float32Array[]; readonly chain: NativeGraph }[]
  >();
  /** Who waits for places, in the order of arrival: a generation with guides must not be overtaken for ever. */
  private readonly turns = new Set<object>();
  private readonly waiting: (() => void)[] = [];
  private jobs: Job[] = [];
  /** The jobs of the running batch. */
  private current: readonly Job[] = [];
  private isRunning = false;
  private isDisposed = false;
  private stats: ContextStats | undefined;

  constructor(
    readonly sequences: number,
    private readonly Graph: Binding["Graph"],
    private readonly open: Open,
  ) {}

  /**
   * Waits for a free slot; the first call opens the context. An aborted signal ends the wait, for a slot or an output. All places
   * of a slot are taken at once, so that two that wait never hold what the other needs.
   * @param words the chain in the wire form
   * @param columns those of its constant inputs
   * @param inputs the chain's inputs that are the logits of guides; with the sequence itself at most `sequences`
   */
  async acquire(
    words: Int32Array,
    columns: readonly Float32Array[] = [],
    signal?: AbortSignal,
    inputs: readonly number[] = [],
  ): Promise<Slot> {
    const chain = this.chainOf(words, columns);
    const context = await this.opened(chain, inputs.length);
    const places = await this.freePlaces(inputs, signal);
    let job: Job | undefined;
    const onAbort = (): void => job && this.cancel(context, job);
    signal?.addEventListener("abort", onAbort);
    return {
      contextSize: Math.floor(context.contextSize / this.sequences),
      stats: () => this.stats!,
      decode: (step) =>
        new Promise((resolve, reject) => {
          job = { ...step, places, chain, resolve, reject };
          this.jobs.push(job);
          if (!this.isRunning) void this.run(context);
        }),
      release: () => {
        signal?.removeEventListener("abort", onAbort);
        for (const place of all(places)) {
          place.isTaken = false;
          place.isStale = true;
        }
        this.wake();
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
    this.wake();
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
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

  /**
   * Every sequence starts with the first chain, and as many of them as guides as its generations need: setting it later would
   * make llama.cpp reserve its memory again.
   */
  private async opened(chain: NativeGraph, guideCount: number): Promise<NativeContext> {
    if (this.isDisposed) throw disposed();
    const { sequences } = this;
    const isGuide = (sequence: number): boolean => sequence % (1 + guideCount) > 0;
    const chains = Array.from({ length: sequences }, () => chain);
    const guides = Uint8Array.from(chains, (_, i) => (isGuide(i) ? 1 : 0));
    this.opening ??= this.open({ sequences, chains, ...(guideCount > 0 && { guides }) }).then((context) => {
      this.stats = context.stats();
      this.places = chains.map((_, sequence) => ({
        ...{ sequence, chain, isGuide: isGuide(sequence), isTaken: false, isStale: false, length: 0 },
      }));
      return context;
    });
    try {
      return await this.opening;
    } catch (error) {
      this.opening = undefined;
      throw error;
    }
  }

  private async freePlaces(inputs: readonly number[], signal: AbortSignal | undefined): Promise<Places> {
    const turn = {};
    this.turns.add(turn);
    try {
      for (;;) {
        signal?.throwIfAborted();
        if (this.isDisposed) throw disposed();
        const [first] = this.turns;
        const places = first === turn ? this.takePlaces(inputs) : undefined;
        if (places) return places;
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            signal?.removeEventListener("abort", wake);
            resolve();
          };
          this.waiting.push(wake);
          signal?.addEventListener("abort", wake);
        });
      }
    } finally {
      this.turns.delete(turn);
      this.wake();
    }
  }

  /** Places that already have their role come first, because another role needs another graph. */
  private takePlaces(inputs: readonly number[]): Places | undefined {
    const free = this.places.filter(({ isTaken }) => !isTaken);
    if (free.length < 1 + inputs.length) return undefined;
    const take = (isGuide: boolean): Place => {
      const place = free.find((p) => !p.isTaken && p.isGuide === isGuide) ?? free.find((p) => !p.isTaken)!;
      place.isTaken = true;
      return place;
    };
    return { main: take(false), guides: inputs.map((input) => ({ place: take(true), input })) };
  }

  /** Decodes while any job is waiting. */
  private async run(context: NativeContext): Promise<void> {
    this.isRunning = true;
    while (this.jobs.length > 0) {
      // Lets the readers of the last batch request their next token first.
      if (this.sequences > 1) await nextTask();
      const jobs = this.jobs.splice(0).sort((a, b) => a.places.main.sequence - b.places.main.sequence);
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
      const bySequence = new Map(outputs.map((output) => [output.sequence, output]));
      for (const job of jobs) {
        for (const { place, position, tokens } of partsOf(job)) place.length = position + tokens.length;
        const guides = job.places.guides.map(({ place }) => bySequence.get(place.sequence)?.raw);
        const output = bySequence.get(job.places.main.sequence)!;
        job.resolve(job.wantsRaw ? { ...output, guides: guides.map((raw) => raw!) } : output);
      }
    } catch (thrown) {
      const error = this.isDisposed ? disposed() : thrown;
      if (jobs.length === 1 || !CAUSED_BY_ONE.has((error as NativeError).code)) {
        for (const { reject } of jobs) reject(error);
        return;
      }
      // One at a time, so that only the sequence that causes the error gets it.
      for (const job of jobs) {
        const back = (): void => partsOf(job).forEach(({ place, position }) => removeFrom(context, place, position));
        const isBack = attempt(job, back, error);
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

/** The parts of a job, and whose they are. */
const partsOf = ({
  places: { main, guides },
  tokens,
  position,
  guides: parts = [],
}: Job): (Part & { place: Place })[] => [
  { place: main, tokens, position },
  ...guides.map(({ place }, i) => ({ place, ...parts[i]! })),
];

function prepare(context: NativeContext, job: Job): void {
  const { main, guides } = job.places;
  const { chain, uniforms, inputs } = job;
  give(context, main, chain, false);
  for (const { place } of guides) give(context, place, chain, true);
  for (const { place, position } of partsOf(job)) if (position < place.length) removeFrom(context, place, position);
  const { sequence } = main;
  context.setUniforms(sequence, uniforms);
  inputs.forEach((values, i) => {
    const guide = guides.find(({ input }) => input === i + 1);
    if (guide) context.setGuide(sequence, i + 1, guide.place.sequence);
    else if (values.length > 0) context.setInput(sequence, i + 1, values);
  });
}

/** Empties a place for its new user, and gives it the chain. */
function give(context: NativeContext, place: Place, chain: NativeGraph, isGuide: boolean): void {
  const { sequence } = place;
  if (place.isStale) removeFrom(context, place, 0);
  place.isStale = false;
  if (place.chain === chain && place.isGuide === isGuide) return;
  place.chain = undefined;
  context.setChain(sequence, chain, isGuide);
  place.isGuide = isGuide;
  place.chain = chain;
}

function removeFrom(context: NativeContext, place: Place, position: number): void {
  context.remove(place.sequence, position);
  place.length = position;
}

/** In the order of the sequences: llama.cpp rebuilds its graph if it changes. */
function batchOf(jobs: readonly Job[]): Batch {
  const parts = jobs
    .flatMap((job) => partsOf(job).map((part) => ({ ...part, wanted: job.wantsRaw ? 2 : 1 })))
    .sort((a, b) => a.place.sequence - b.place.sequence);
  const each = (value: (part: (typeof parts)[number], i: number) => number): number[] =>
    parts.flatMap((part) => Array.from(part.tokens, (_, i) => value(part, i)));
  return {
    tokens: Int32Array.from(each(({ tokens }, i) => tokens[i]!)),
    positions: Int32Array.from(each(({ position }, i) => position + i)),
    sequences: Int32Array.from(each(({ place }) => place.sequence)),
    outputs: Uint8Array.from(each(({ tokens, wanted }, i) => (i === tokens.length - 1 ? wanted : 0))),
  };
}
