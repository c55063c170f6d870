/**
 * Continuous batching: decodes the sequences of one context together. Every sequence that waits for a token joins the next
 * batch, so sequences can start and end while others run.
 */
import { onAbort } from "../../core/aborts.js";
import { AbortError, InputError } from "../../core/errors.js";
import { nextTask } from "../../core/nextTask.js";
import type { Binding, ContextStats, NativeContext, NativeError, NativeGraph } from "../../backends/native/binding.js";
import { canRun } from "./ahead.js";
import { batchOf } from "./batch.js";
import { Budget } from "./budget.js";
import { Chains } from "./chains.js";
import { all, append, evict, Place, takePlaces, type Places } from "./places.js";
import type { Later } from "./later.js";
import { Line } from "./line.js";
import { Writing } from "./writing.js";
import type { Written } from "./written.js";
import { chunksOf, mostOf, turnsOf, withSources, type TokenLimits, type Turn } from "./prefill.js";
import { Queue } from "./queue.js";
import { readingsOf, type Job, type Reading } from "./reading.js";
import { begin } from "./sharing.js";
import { Costs, type Cost } from "./costs.js";
import { giveChain, isOfOne, outputsOf, setInputs } from "./feeding.js";
import { Drafts, sizeFor } from "./drafts.js";
import { closeGaps } from "./gaps.js";
import { grouped } from "./grouped.js";
import type { Open, SchedulerOptions } from "./options.js";
import type { Request, Rows, Slot, SlotOutput, Step } from "./step.js";

export class Scheduler {
  private opening: Promise<NativeContext> | undefined;
  private places: Place[] = [];
  private readonly chains: Chains;
  private readonly queue = new Queue();
  /** In the order of arrival. */
  private readonly jobs = new Set<Job>();
  /** The jobs with tokens in the running batch. */
  private current: readonly Job[] = [];
  /** Whether that has tokens of texts, too, that go on by themselves. */
  private isShared = false;
  /** What goes on by itself. */
  private readonly ahead: Writing;
  /** The slots that have had an output. */
  private readonly writing = new Set<Places>();
  private isRunning = false;
  private isDisposed = false;
  private releases = 0;
  /** After the context is freed. */
  private lastStats: ContextStats | undefined;
  private readonly drafts: Drafts<Scheduler>;
  private readonly budget: Budget | undefined;

  constructor(
    readonly sequences: number,
    Graph: Binding["Graph"],
    private readonly open: Open,
    private readonly limits: TokenLimits,
    private readonly costs = new Costs(),
    private readonly options: SchedulerOptions = {},
  ) {
    this.drafts = new Drafts(sequences, costs);
    const { decodeWork } = options;
    this.budget = decodeWork === undefined ? undefined : new Budget(decodeWork);
    const { joinsAtOnce = false } = options;
    const toldOf = (error: unknown): Error => (this.isDisposed ? disposed() : (error as Error));
    this.ahead = new Writing({ isAlone: sequences === 1, joinsAtOnce, toldOf });
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
    this.drafts.expect(rows);
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
        this.wake(context);
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
          place.isTaken = place.isFixed = false;
          place.lastUsed = this.releases;
        }
        this.queue.wake();
      },
    };
  }

  /** The scheduler of a draft model, which is disposed with this one. */
  companion(model: object, open: (sequences: number) => Scheduler): Scheduler {
    return this.drafts.companion(model, open);
  }

  /** Frees the context. Pending requests fail. */
  dispose(): void {
    this.isDisposed = true;
    this.ahead.endRest(disposed());
    this.drafts.dispose();
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
      this.drafts.open(rows);
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

  /** Something waits for its next token. */
  private wake(context: NativeContext): void {
    this.ahead.join();
    if (!this.isRunning) void this.run(context);
  }

  /** Decodes while anything waits. */
  private async run(context: NativeContext): Promise<void> {
    this.isRunning = true;
    while (this.jobs.size > 0 || this.ahead.wanted.length > 0) {
      // Lets the readers of the last batch request their next token first.
      if (this.sequences > 1) await nextTask();
      if (this.drafts.areUsed) {
        this.ahead.endRest();
        this.drafts.fit(context, [...this.jobs]);
      }
      this.closeGaps(context);
      this.begin(context);
      const jobs = [...this.jobs];
      const lines = this.ahead.wanted;
      await this.decode(context, jobs, mostOf(jobs, lines.length, this.writing, this.limits), lines);
    }
    this.isRunning = false;
  }

  /** Unless texts wait for the free places. */
  private closeGaps(context: NativeContext): void {
    if (!this.queue.isEmpty || this.isDisposed) return;
    try {
      closeGaps(context, this.places);
    } catch {
      this.ahead.endRest(); // a text that has lost its tokens gets the error when it asks for the next one
    }
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

  /** @param lines texts that go on by themselves */
  private async decode(
    context: NativeContext,
    jobs: readonly Job[],
    most: number,
    lines: readonly Line[] = [],
  ): Promise<void> {
    const all = turnsOf(jobs, most);
    const planned = this.budget?.share(all) ?? all;
    // with a budget, who waits for a later batch must not wait for more of them
    const mayRun = planned === all && (!this.drafts.areUsed || planned.every(canRun));
    const runs = (turn: Turn): boolean => mayRun && canRun(turn);
    const isFed = ({ job, isLast }: Turn): boolean => !isLast || this.attempt(job, () => setInputs(context, job));
    const turns = withSources(planned.filter((turn) => runs(turn) || isFed(turn)));
    const begun = turns.filter(runs);
    const others = turns.filter((turn) => !runs(turn));
    if (turns.length + lines.length === 0) return;
    this.current = turns.map(({ job }) => job);
    this.isShared = lines.length > 0;
    for (const { reading, tokens } of chunksOf(turns)) append(reading.place.tokens, tokens);
    for (const { job } of turns) if (job.readings[0]!.follows) job.readings[0]!.takeOver();
    try {
      if (begun.length + lines.length > 0) return await this.write(context, begun, others, lines);
      const start = performance.now();
      const outputs = await context.decode(batchOf(turns));
      this.current = [];
      const end = performance.now();
      this.options.onDecode?.(end - start);
      this.finish(turns, outputs, this.drafts.spent(turns, start, end));
    } catch (error) {
      this.current = [];
      await this.recover(context, turns, error, lines.length > 0);
    }
  }

  /** A batch of texts that go on by themselves, and of others. */
  private async write(
    context: NativeContext,
    turns: readonly Turn[],
    others: readonly Turn[],
    lines: readonly Line[],
  ): Promise<void> {
    const begun = new Map(
      turns.map((turn) => [new Line(turn.job.places.main, turn.job.step, () => this.wake(context)), turn]),
    );
    const beside = {
      batch: batchOf([...turns, ...others]),
      hasOthers: others.length > 0,
      isAwaited: !this.queue.isEmpty || turns.length + others.length < this.jobs.size,
      rest: this.budget === undefined && !this.drafts.areUsed,
      onDecode: this.drafts.told(turns, this.options.onDecode),
      onFirst: (line: Line, first: Written): void => {
        this.current = [];
        const { later, place } = line;
        const turn = begun.get(line)!;
        if (!this.jobs.has(turn.job)) later.stop();
        const output = { sequence: place.sequence, sampled: Int32Array.of(first.token), written: { first, later } };
        this.finish([turn], [output], undefined);
      },
    };
    const isWaited = (): boolean => this.jobs.size > others.length || this.ahead.wanted.length > 0;
    const outputs = await this.ahead.write(context, [...begun.keys(), ...lines], beside, isWaited);
    this.current = [];
    this.finish(others, outputs, undefined);
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

  /**
   * After a batch failed.
   * @param isShared whether it had texts that go on by themselves, too, which ask for their next tokens now
   */
  private async recover(
    context: NativeContext,
    turns: readonly Turn[],
    thrown: unknown,
    isShared: boolean,
  ): Promise<void> {
    const error = this.isDisposed ? disposed() : thrown;
    const { code } = error as NativeError;
    const isOne = isOfOne(code);
    for (const { job } of turns) job.readings[0]!.leave();
    if (!isOne && code !== "CONTEXT_FULL") for (const { reading } of chunksOf(turns)) reading.place.forget();
    const takeBack = ({ job, chunks }: Turn): boolean =>
      this.attempt(job, () => chunks.forEach(({ reading, position }) => reading.begin(context, position)), error);
    // the texts of those that are gone make room for others
    if (code === "CONTEXT_FULL" && evict(context, this.places)) {
      turns.forEach(takeBack);
      return;
    }
    if (!isOne || (turns.length === 1 && !isShared)) return turns.forEach(({ job }) => this.end(job, error));
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
    if (this.current.includes(job) && this.current.length === 1 && !this.isShared) context.abort();
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
