/**
 * Continuous batching: decodes the sequences of one context together. Every sequence that waits for a token joins the next
 * batch, so sequences can start and end while others run.
 */
import { DRAFTING_TOGETHER } from "@ggsl/compiler/llama/contexts.js";
import { onAbort } from "../../core/aborts.js";
import { AbortError, InputError } from "../../core/errors.js";
import { nextTask } from "../../core/nextTask.js";
import type {
  Binding,
  ContextOptions,
  ContextStats,
  NativeContext,
  NativeError,
  NativeGraph,
} from "../../backends/native/binding.js";
import { canRun, GROUP, Run } from "./ahead.js";
import { batchOf } from "./batch.js";
import { Budget } from "./budget.js";
import { Chains } from "./chains.js";
import { all, append, evict, Place, takePlaces, type Places } from "./places.js";
import type { Later } from "./later.js";
import type { Written } from "./written.js";
import { chunksOf, turnsOf, type Turn } from "./prefill.js";
import { Queue } from "./queue.js";
import { readingsOf, type Job, type Reading } from "./reading.js";
import { begin } from "./sharing.js";
import { Costs, type Cost } from "./costs.js";
import { giveChain, isOfOne, outputsOf, setInputs } from "./feeding.js";
import { DraftRows, Measured, sizeFor } from "./drafts.js";
import { grouped } from "./grouped.js";
import type { Request, Rows, Slot, SlotOutput, Step } from "./step.js";

export type Open = (
  options: Pick<ContextOptions, "chains" | "guides" | "sequences" | "rows" | "outputs">,
) => Promise<NativeContext>;

/** In tokens. */
interface TokenLimits {
  /** The positions of a sequence. llama.cpp rounds the memory of a context up to multiples of 256, which may have room for more. */
  readonly contextSize: number;
  /** The tokens of one batch, at most; what the context computes at once. */
  readonly batchSize: number;
  /** The tokens of prompts in one batch, while other sequences write. */
  readonly promptBatch: number;
}

export interface SchedulerOptions {
  /** Sequences only for requests that ask for them. */
  readonly reserved?: ReadonlySet<number>;
  /** Called after each batch with the milliseconds that it took. */
  readonly onDecode?: ((milliseconds: number) => void) | undefined;
  /**
   * Texts that begin or are set while others go on by themselves join them after the present batch. Else these have all their tokens before,
   * so that what is decoded together does not depend on time.
   */
  readonly joinsAtOnce?: boolean | undefined;
  /** What the chains of a batch may take together, in rows; default: any number. */
  readonly decodeWork?: number | undefined;
}

export class Scheduler {
  private opening: Promise<NativeContext> | undefined;
  private places: Place[] = [];
  private readonly chains: Chains;
  private readonly queue = new Queue();
  /** In the order of arrival. */
  private readonly jobs = new Set<Job>();
  /** The jobs with tokens in the running batch. */
  private current: readonly Job[] = [];
  /** What goes on by itself. */
  private running: Run | undefined;
  /** Whether a text waited for the end of the latest run. */
  private isAwaited = false;
  /** The slots that have had an output. */
  private readonly writing = new Set<Places>();
  private isRunning = false;
  private isDisposed = false;
  private releases = 0;
  /** After the context is freed. */
  private lastStats: ContextStats | undefined;
  /** Whether some text has had drafts. */
  private speculates = false;
  private readonly measured: Measured;
  /** For drafts. */
  private draftRows = new DraftRows({ rows: 1, outputs: 0 });
  /** The schedulers of draft models, by model. */
  private readonly companions = new Map<object, Scheduler>();
  private readonly budget: Budget | undefined;

  constructor(
    readonly sequences: number,
    Graph: Binding["Graph"],
    private readonly open: Open,
    private readonly limits: TokenLimits,
    private readonly costs = new Costs(),
    private readonly options: SchedulerOptions = {},
  ) {
    this.measured = new Measured(costs);
    if (sequences > DRAFTING_TOGETHER) costs.mostDrafting = 1;
    const { decodeWork } = options;
    this.budget = decodeWork === undefined ? undefined : new Budget(decodeWork);
    this.chains = new Chains(Graph, (chain) => this.places.some((place) => place.chain === chain));
  }

  /** Sequences that any request may have. */
  get shared(): number {
    return this.sequences - (this.options.reserved?.size ?? 0);
  }

  /** Different chains of the sequences that are taken. */
  get liveChains(): number {
    return new Set(this.places.flatMap(({ isTaken, chain }) => (isTaken && chain ? [chain] : []))).size;
  }

  /** Tokens that waited for a later batch because chains are costly. */
  get postponed(): number {
    return this.budget?.postponed ?? 0;
  }

  /** Waits for a free slot; the first call opens the context. An aborted signal ends the wait, for a slot or an output. */
  async acquire({
    words,
    columns = [],
    inputs = [],
    prompts,
    signal,
    rows = 1,
    place,
    work: count,
    lane = "",
  }: Request): Promise<Slot> {
    const chain = this.chains.of(words, columns);
    this.speculates ||= rows > 1;
    const context = await this.opened(chain, inputs.length, rows);
    const places = await this.queue.wait(
      () => {
        if (this.isDisposed) throw disposed();
        return takePlaces(this.places, { chain, inputs, prompts, place });
      },
      signal,
      place,
    );
    const work = this.budget && count ? count() : 0;
    let job: Job | undefined;
    let first: Job | undefined;
    let later: Later | undefined;
    const ignore = onAbort(signal, () => {
      later?.stop(new AbortError());
      if (job) this.cancel(context, job);
    });
    const decodeRows = (step: Step): Promise<Rows> =>
      new Promise<Rows>((resolve, reject) => {
        const readings = readingsOf(places, step);
        job = { step, places, chain, work, lane, readings, isPrepared: false, resolve, reject };
        first ??= job;
        later?.stop();
        this.jobs.add(job);
        if (this.options.joinsAtOnce) this.running?.pause();
        if (!this.isRunning) void this.run(context);
      }).then((rows) => {
        later = rows.outputs[0]?.written?.later;
        return rows;
      });
    return {
      contextSize: Math.min(this.limits.contextSize, Math.floor(context.contextSize / this.sequences)),
      stats: () => this.lastStats ?? context.stats(),
      computedPromptTokens: () => first?.readings[0]!.computed ?? 0,
      costs: this.costs,
      decodeRows,
      decode: async (step) => (await decodeRows(step)).outputs[0]!,
      release: () => {
        ignore();
        later?.stop();
        if (job && this.jobs.has(job)) this.end(job, new AbortError());
        this.writing.delete(places);
        this.releases++;
        for (const place of all(places)) {
          place.isTaken = false;
          place.lastUsed = this.releases;
        }
        this.queue.wake();
      },
    };
  }

  /** The scheduler of a draft model, which is disposed with this one. */
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
      (context) => {
        this.lastStats ??= context.stats();
        context.dispose();
      },
      () => undefined, // the caller that opened it gets the error
    );
    this.queue.wake();
  }

  /**
   * Every sequence starts with the first chain, and as many of them as guides as its generations need: setting it later would
   * make llama.cpp reserve its memory again.
   */
  private async opened(chain: NativeGraph, guideCount: number, rows: number): Promise<NativeContext> {
    if (this.isDisposed) throw disposed();
    const { sequences } = this;
    const size = sizeFor(rows, sequences);
    const isGuide = (sequence: number): boolean => sequence % (1 + guideCount) > 0;
    const chains = Array.from({ length: sequences }, () => chain);
    const guides = Uint8Array.from(chains, (_, i) => (isGuide(i) ? 1 : 0));
    const given = { sequences, chains, ...(guideCount > 0 && { guides }), ...(rows > 1 && size) };
    this.opening ??= this.open(given).then((context) => {
      this.draftRows = new DraftRows(size);
      this.places = chains.map(
        (_, sequence) => new Place(sequence, chain, isGuide(sequence), this.options.reserved?.has(sequence)),
      );
      return context;
    });
    try {
      return await this.opening;
    } catch (error) {
      this.opening = undefined;
      throw error;
    }
  }

  /** Decodes while any job is waiting. */
  private async run(context: NativeContext): Promise<void> {
    this.isRunning = true;
    while (this.jobs.size > 0) {
      // Lets the readers of the last batch request their next token first.
      if (this.sequences > 1) await nextTask();
      if (this.speculates) this.draftRows.fit(context, this.sequences, [...this.jobs]);
      this.begin(context);
      const jobs = [...this.jobs];
      await this.decode(context, jobs, this.most(jobs));
    }
    this.isRunning = false;
  }

  /** Gives chains to new jobs, and begins what can begin. */
  private begin(context: NativeContext): void {
    const earlier: Reading[] = [];
    for (const job of [...this.jobs]) {
      this.attempt(job, () => {
        if (this.isDisposed) throw disposed();
        if (!job.isPrepared) giveChain(context, job);
        for (const reading of job.readings) {
          if (!reading.isBegun) begin(context, reading, earlier, this.places);
          earlier.push(reading);
        }
      });
    }
  }

  /** How many tokens of texts that are being read are part of the next batch, beside those with one token left. */
  private most(jobs: readonly Job[]): number {
    const long = jobs.filter(({ readings }) => readings.some(({ isBehind }) => isBehind));
    if (long.length === 0) return this.limits.batchSize;
    const short = jobs.flatMap(({ readings }) => readings.filter(({ isBehind }) => !isBehind));
    const areAlone = [...this.writing].every((places) => long.some((job) => job.places === places));
    const { batchSize, promptBatch } = this.limits;
    const rows = short.reduce((sum, one) => sum + one.rows, 0);
    return Math.min(areAlone ? batchSize : promptBatch, batchSize - rows);
  }

  private async decode(context: NativeContext, jobs: readonly Job[], most: number): Promise<void> {
    const all = turnsOf(jobs, most);
    const planned = this.budget?.share(all) ?? all;
    // with a budget, who waits for a later batch must not wait for more of them
    const isRun = planned === all && canRun(planned);
    const isFed = ({ job, isLast }: Turn): boolean => !isLast || this.attempt(job, () => setInputs(context, job));
    const turns = isRun ? planned : planned.filter(isFed);
    if (turns.length === 0) return;
    this.current = turns.map(({ job }) => job);
    for (const { reading, tokens } of chunksOf(turns)) append(reading.place.tokens, tokens);
    try {
      if (isRun) return await this.write(context, turns);
      const start = performance.now();
      const outputs = await context.decode(batchOf(turns));
      this.current = [];
      const milliseconds = performance.now() - start;
      this.options.onDecode?.(milliseconds);
      const cost = this.speculates ? this.measured.add(turns, milliseconds) : undefined;
      this.finish(turns, outputs, cost);
    } catch (error) {
      this.current = [];
      await this.recover(context, turns, error);
    }
  }

  /** A batch of texts that go on by themselves. */
  private async write(context: NativeContext, turns: readonly Turn[]): Promise<void> {
    let start = performance.now();
    let isFirst = true;
    const onDecode = (texts: number): void => {
      const now = performance.now();
      this.options.onDecode?.(now - start);
      if (this.speculates) {
        if (isFirst) this.measured.add(turns, now - start);
        else this.measured.pass(turns, texts);
      }
      isFirst = false;
      start = now;
    };
    const onFirst = (turn: Turn, first: Written, later: Later): void => {
      this.current = [];
      const { sequence } = turn.job.places.main;
      this.finish([turn], [{ sequence, sampled: Int32Array.of(first.token), written: { first, later } }], undefined);
    };
    const toldOf = (error: unknown): Error => (this.isDisposed ? disposed() : (error as Error));
    const { joinsAtOnce = false } = this.options;
    const run = new Run(context, turns, onFirst, onDecode, joinsAtOnce, toldOf);
    const isAwaited = this.isAwaited || !this.queue.isEmpty || turns.length < this.jobs.size;
    const isAlone = this.sequences === 1;
    const isSmall = isAwaited && !joinsAtOnce && !isAlone;
    this.running = run;
    try {
      await run.write(isSmall ? GROUP.small : GROUP.large, isAlone);
      // who has read all that was written here asks after its end
      this.isAwaited = this.jobs.size > 0;
    } finally {
      run.end();
      this.running = undefined;
    }
  }

  private finish(turns: readonly Turn[], outputs: readonly SlotOutput[], cost: Cost | undefined): void {
    for (const { reading, tokens } of chunksOf(turns)) reading.computed += tokens.length;
    const bySequence = grouped(outputs, ({ sequence }) => sequence);
    for (const { job, isLast } of turns) {
      if (!this.jobs.has(job) || !this.tell(job) || !isLast) continue;
      this.end(job);
      this.writing.add(job.places);
      job.resolve({ outputs: outputsOf(job, bySequence), cost });
    }
  }

  /** Tells what was read; false if that fails. */
  private tell(job: Job): boolean {
    const { onRead } = job.step;
    return !onRead || this.attempt(job, () => onRead(job.places.main.tokens.length));
  }

  /** After a batch failed. */
  private async recover(context: NativeContext, turns: readonly Turn[], thrown: unknown): Promise<void> {
    const error = this.isDisposed ? disposed() : thrown;
    const { code } = error as NativeError;
    const isOne = isOfOne(code);
    if (!isOne && code !== "CONTEXT_FULL") for (const { reading } of chunksOf(turns)) reading.place.forget();
    const takeBack = ({ job, chunks }: Turn): boolean =>
      this.attempt(job, () => chunks.forEach(({ reading, position }) => reading.begin(context, position)), error);
    // the texts of those that are gone make room for others
    if (code === "CONTEXT_FULL" && evict(context, this.places)) {
      turns.forEach(takeBack);
      return;
    }
    if (!isOne || turns.length === 1) return turns.forEach(({ job }) => this.end(job, error));
    // One at a time, so that only the sequence that causes the error gets it.
    // Several batches where a text is read again from its beginning.
    for (const { job, chunks } of turns.filter(takeBack)) {
      const isBehind = (): boolean =>
        chunks.some(({ reading, position, tokens }) => reading.read < position + tokens.length);
      while (this.jobs.has(job) && isBehind()) await this.decode(context, [job], this.limits.batchSize);
    }
  }

  /** Aborts the running batch only if this sequence is alone in it. */
  private cancel(context: NativeContext, job: Job): void {
    if (this.current.includes(job) && this.current.length === 1) context.abort();
    this.end(job, new AbortError());
  }

  /** Whether it succeeds; otherwise the job gets the error, or `instead`. */
  private attempt(job: Job, action: () => void, instead?: unknown): boolean {
    try {
      action();
      return true;
    } catch (error) {
      this.end(job, instead ?? error);
      return false;
    }
  }

  private end(job: Job, error?: unknown): void {
    this.jobs.delete(job);
    for (const reading of job.readings) reading.isOver = true;
    if (error !== undefined) job.reject(error);
  }
}

const disposed = (): InputError => new InputError("these sequences were disposed", { code: "DISPOSED" });
