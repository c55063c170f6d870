/**
 * Continuous batching: decodes the sequences of one context together. Every sequence that waits for a token joins the next
 * batch, so sequences can start and end while others run.
 */
import { AbortError, InputError } from "./errors.js";
import { nextTask } from "./nextTask.js";
import { Costs, type Cost } from "./speculation/costs.js";
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
  /** The position of the first token in its sequence. */
  readonly position: number;
}

/** What the chain is fed with for one output. */
export interface Row {
  readonly uniforms: Float32Array;
  /** The chain's inputs from index 1 on; empty for constant ones, and not read for those of guides. */
  readonly inputs: readonly InputValues[];
}

/** One sequence's part of a batch, with an output after its last token. */
export interface Step extends Part, Row {
  /** The parts of its guides, in their order. */
  readonly guides?: readonly Part[];
  /** For `decodeRows`: those of more outputs, after the first. The tokens end with as many drafted ones. */
  readonly more?: readonly Row[];
  /** These outputs come with the model's own logits. */
  readonly isRaw?: boolean;
}

/** The outputs of a step, and what its batch cost; no cost for a batch with a prompt. */
export interface Rows {
  /** The first, and of `more` as many as fitted in the batch. */
  readonly outputs: readonly DecodeOutput[];
  readonly cost: Cost | undefined;
}

/** A sequence of the context and its guides, from `acquire` to `release`. */
export interface Slot {
  /** Tokens that each sequence can hold. */
  readonly contextSize: number;
  decode(step: Step): Promise<DecodeOutput>;
  decodeRows(step: Step): Promise<Rows>;
  /** Of the context's batches. */
  readonly costs: Costs;
  /** As of the latest batch. */
  readonly stats: () => ContextStats;
  release(): void;
}

/** A step that waits for its output. */
interface Job extends Step {
  readonly places: Places;
  readonly chain: NativeGraph;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

/** A sequence of the context. */
interface Place {
  readonly sequence: number;
  isTaken: boolean;
  /** It still holds the tokens of its previous user. */
  isStale: boolean;
  /** It holds at most so many tokens. */
  length: number;
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

type Open = (
  options: Pick<ContextOptions, "chains" | "guides" | "sequences" | "rows" | "outputs">,
) => Promise<NativeContext>;

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
  private readonly costs = new Costs();
  /** Rows of a sequence, and outputs of all, that a graph can have. */
  private size = { rows: 1, outputs: 0 };
  /** More rows need more memory than there is. */
  private isFull = false;
  /** Contexts of draft models, by model. */
  private readonly companions = new Map<object, Scheduler>();

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
   * @param rows the most outputs of a step
   */
  async acquire(
    words: Int32Array,
    columns: readonly Float32Array[] = [],
    signal?: AbortSignal,
    inputs: readonly number[] = [],
    rows = 1,
  ): Promise<Slot> {
    const chain = this.chainOf(words, columns);
    const context = await this.opened(chain, inputs.length, rows);
    const places = await this.freePlaces(inputs, signal);
    let job: Job | undefined;
    const onAbort = (): void => job && this.cancel(context, job);
    signal?.addEventListener("abort", onAbort);
    const decodeRows = (step: Step): Promise<Rows> =>
      new Promise((resolve, reject) => {
        job = { ...step, places, chain, resolve, reject };
        this.jobs.push(job);
        if (!this.isRunning) void this.run(context);
      });
    return {
      contextSize: Math.floor(context.contextSize / this.sequences),
      stats: () => this.stats!,
      costs: this.costs,
      decodeRows,
      decode: async (step) => (await decodeRows(step)).outputs[0]!,
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

  /** The scheduler of a draft model beside this one, which is disposed with it. */
  companion(model: object, open: (sequences: number) => Scheduler): Scheduler {
    const known = this.companions.get(model) ?? open(this.sequences);
    this.companions.set(model, known);
    return known;
  }

  /** Frees the context. Pending requests fail. */
  dispose(): void {
    this.isDisposed = true;
    for (const companion of this.companions.values()) companion.dispose();
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
  private async opened(chain: NativeGraph, guideCount: number, rows: number): Promise<NativeContext> {
    if (this.isDisposed) throw disposed();
    const { sequences } = this;
    if (!this.opening) this.size = sizeFor(rows, sequences);
    const { size } = this;
    const isGuide = (sequence: number): boolean => sequence % (1 + guideCount) > 0;
    const chains = Array.from({ length: sequences }, () => chain);
    const guides = Uint8Array.from(chains, (_, i) => (isGuide(i) ? 1 : 0));
    const given = { sequences, chains, ...(guideCount > 0 && { guides }), ...(size.rows > 1 && size) };
    this.opening ??= this.open(given).then((context) => {
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
      const waiting = this.jobs.splice(0).sort((a, b) => a.places.main.sequence - b.places.main.sequence);
      this.grow(context, waiting);
      const jobs = trimmed(waiting, this.size);
      this.current = jobs.filter((job) => attempt(job, () => prepare(context, job)));
      if (this.current.length > 0) await this.decode(context, this.current);
      this.current = [];
    }
    this.isRunning = false;
  }

  /** Makes room for the rows that are asked for: once, because it makes a new context of llama.cpp. */
  private grow(context: NativeContext, jobs: readonly Job[]): void {
    const rows = 1 + Math.max(...jobs.map(({ more = [] }) => more.length));
    if (rows <= this.size.rows || this.size.rows > 1 || this.isFull) return;
    try {
      const size = sizeFor(Math.max(rows, GROWN_ROWS), this.sequences);
      context.setRows(size.rows, size.outputs);
      this.size = size;
    } catch {
      this.isFull = true;
    }
  }

  private async decode(context: NativeContext, jobs: readonly Job[]): Promise<void> {
    try {
      const start = performance.now();
      const { graphBuilds } = this.stats!;
      const outputs = await context.decode(batchOf(jobs));
      this.stats = context.stats();
      const cost = costOf(jobs, performance.now() - start);
      if (cost) this.costs.add(cost, this.stats.graphBuilds > graphBuilds);
      for (const { places, resolve } of jobs)
        resolve({ outputs: outputs.filter(({ sequence }) => sequence === places.main.sequence), cost });
    } catch (thrown) {
      const error = this.isDisposed ? disposed() : thrown;
      if (jobs.length === 1 || !CAUSED_BY_ONE.has((error as NativeError).code)) {
        for (const { reject } of jobs) reject(error);
        return;
      }
      // One at a time, so that only the sequence that causes the error gets it.
      for (const job of jobs) {
        const back = (): void => partsOf(job).forEach(({ place, position }) => cut(context, place, position));
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
  give(context, main, job.chain, false);
  for (const { place } of guides) give(context, place, job.chain, true);
  for (const { place, tokens, position } of partsOf(job)) {
    if (position < place.length) cut(context, place, position);
    place.length = position + tokens.length;
  }
  const { sequence } = main;
  rowsOf(job).forEach(({ uniforms, inputs }, row) => {
    context.setUniforms(sequence, uniforms, row);
    inputs.forEach((values, i) => {
      const guide = guides.find(({ input }) => input === i + 1);
      if (guide && row === 0) context.setGuide(sequence, i + 1, guide.place.sequence);
      else if (!guide && values.length > 0) context.setInput(sequence, i + 1, values, row);
    });
  });
}

const rowsOf = (job: Job): Row[] => [job, ...(job.more ?? [])];

/** Removes the tokens from `position` on: drafted ones that were refused. */
function cut(context: NativeContext, place: Place, position: number): void {
  context.remove(place.sequence, position);
  place.length = position;
}

/** The rows of a sequence after the first that speculates in a context that was opened without. */
const GROWN_ROWS = 9;

/** Sequences of a large batch that can have all their rows at once. */
const FULL_SEQUENCES = 4;

const sizeFor = (rows: number, sequences: number): { rows: number; outputs: number } => ({
  rows,
  outputs: sequences + (rows - 1) * Math.min(sequences, FULL_SEQUENCES),
});

/** The jobs with as many rows as fit in one graph, shared equally. */
function trimmed(jobs: readonly Job[], { rows, outputs }: { rows: number; outputs: number }): Job[] {
  const lengths = (job: Job): number => job.more?.length ?? 0;
  const drafting = jobs.filter((job) => lengths(job) > 0);
  const width = (job: Job): number => 1 + job.places.guides.length;
  let most = rows - 1;
  const total = (): number => jobs.reduce((sum, job) => sum + width(job) * (1 + Math.min(most, lengths(job))), 0);
  while (drafting.length > 0 && most > 0 && total() > outputs) most--;
  return jobs.map((job) => (lengths(job) > most ? withDraft(job, most) : job));
}

/** A job with only the first tokens of its draft. */
function withDraft(job: Job, length: number): Job {
  const dropped = job.more!.length - length;
  const shorter = <P extends Part>(part: P): P => ({ ...part, tokens: part.tokens.subarray(0, -dropped) });
  return { ...shorter(job), more: job.more!.slice(0, length), ...(job.guides && { guides: job.guides.map(shorter) }) };
}

/** Undefined for a batch with tokens that are neither a text's last one nor drafted. */
function costOf(jobs: readonly Job[], milliseconds: number): Cost | undefined {
  const extra = jobs.reduce((sum, { more = [] }) => sum + more.length, 0);
  const tokens = jobs.reduce((sum, job) => sum + job.tokens.length, 0);
  return tokens === jobs.length + extra ? { sequences: jobs.length, extra, milliseconds } : undefined;
}

/** Empties a place for its new user, and gives it the chain. */
function give(context: NativeContext, place: Place, chain: NativeGraph, isGuide: boolean): void {
  const { sequence } = place;
  if (place.isStale) cut(context, place, 0);
  place.isStale = false;
  if (place.chain === chain && place.isGuide === isGuide) return;
  place.chain = undefined;
  context.setChain(sequence, chain, isGuide);
  place.isGuide = isGuide;
  place.chain = chain;
}

/** In the order of the sequences: llama.cpp rebuilds its graph if it changes. */
function batchOf(jobs: readonly Job[]): Batch {
  const parts = jobs
    .flatMap((job) =>
      partsOf(job).map((part) => ({
        ...{ ...part, rows: rowsOf(job).length },
        output: job.isRaw && part.place === job.places.main ? 2 : 1,
      })),
    )
    .sort((a, b) => a.place.sequence - b.place.sequence);
  const each = (value: (part: (typeof parts)[number], i: number) => number): number[] =>
    parts.flatMap((part) => Array.from(part.tokens, (_, i) => value(part, i)));
  return {
    tokens: Int32Array.from(each(({ tokens }, i) => tokens[i]!)),
    positions: Int32Array.from(each(({ position }, i) => position + i)),
    sequences: Int32Array.from(each(({ place }) => place.sequence)),
    outputs: Uint8Array.from(each(({ tokens, rows, output }, i) => (i >= tokens.length - rows ? output : 0))),
  };
}
