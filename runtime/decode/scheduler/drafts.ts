/** Drafted tokens in batches: how many fit. */
import { DRAFTING_TOGETHER } from "@ggsl/compiler/llama/contexts.js";
import type { NativeContext } from "../../backends/native/binding.js";
import type { Cost, Costs } from "./costs.js";
import type { RunEvents } from "./ahead.js";
import type { SchedulerOptions } from "./options.js";
import { BatchTimes } from "./batchTimes.js";
import type { Turn } from "./prefill.js";
import { readingsOf, type Job } from "./reading.js";
import { draftedOf, withDraft } from "./step.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

/** The rows of a sequence once the first one speculates in a context that was opened without: as many as kernels compute well. */
export const GROWN_ROWS = 16;

/** Sequences of a large batch that can have all their rows at once. */
const FULL_SEQUENCES = 4;

/** What one graph of a context can have. */
interface Size {
  /** Outputs of one sequence. */
  readonly rows: number;
  /** Outputs of all sequences. */
  readonly outputs: number;
}

export const sizeFor = (rows: number, sequences: number): Size => ({
  rows,
  outputs: sequences + (rows - 1) * Math.min(sequences, FULL_SEQUENCES),
});

const draftOf = ({ step }: Job): number => draftedOf(step);

/** The rows of a batch that drafts may take. */
class DraftRows {
  /** More rows need more memory than there is. */
  private isFull = false;

  constructor(private size: Size) {}

  /** Makes room for the drafts of jobs: once, because it makes a new context of llama.cpp. Drafts that do not fit are cut. */
  fit(context: NativeContext, sequences: number, jobs: readonly Job[]): void {
    const drafting = jobs.filter((job) => draftOf(job) > 0);
    if (drafting.length === 0) return;
    if (this.size.rows === 1 && !this.isFull) this.grow(context, sequences, 1 + greatest(drafting.map(draftOf)));
    const { rows, outputs } = this.size;
    let most = rows - 1;
    const total = (): number =>
      jobs.reduce((sum, job) => sum + (1 + job.places.guides.length) * (1 + Math.min(most, draftOf(job))), 0);
    while (most > 0 && total() > outputs) most--;
    for (const job of drafting) {
      if (draftOf(job) <= most) continue;
      job.step = withDraft(job.step, most);
      job.readings = readingsOf(job.places, job.step);
    }
  }

  private grow(context: NativeContext, sequences: number, rows: number): void {
    try {
      const size = sizeFor(Math.max(rows, GROWN_ROWS), sequences);
      context.setRows(size.rows, size.outputs);
      this.size = size;
    } catch {
      this.isFull = true;
    }
  }
}

/** What a scheduler has for texts with drafts. */
export class Drafts<Companion extends { dispose(): void }> {
  /** Whether some text has had drafts. */
  private isUsed = false;
  private rows = new DraftRows({ rows: 1, outputs: 0 });
  private readonly times: BatchTimes;
  /** The schedulers of draft models, by model. */
  private readonly companions = new Map<object, Companion>();

  constructor(
    private readonly sequences: number,
    costs: Costs,
  ) {
    this.times = new BatchTimes(costs);
    if (sequences > DRAFTING_TOGETHER) costs.mostDrafting = 1;
  }

  get areUsed(): boolean {
    return this.isUsed;
  }

  /** A text has up to `rows` outputs in a batch. */
  expect(rows: number): void {
    this.isUsed ||= rows > 1;
  }

  /** The context was opened for texts with up to `rows` outputs in a batch. */
  open(rows: number): void {
    this.rows = new DraftRows(sizeFor(rows, this.sequences));
  }

  fit(context: NativeContext, jobs: readonly Job[]): void {
    this.rows.fit(context, this.sequences, jobs);
  }

  /** A batch that was asked for has ended; see `BatchTimes.add`. */
  spent(turns: readonly Turn[], start: number, end: number): Cost | undefined {
    return this.isUsed ? this.times.add(turns, start, end) : undefined;
  }

  /** What a run of texts that go on by themselves tells of its batches; the first has the turns. */
  told(turns: readonly Turn[], onDecode: SchedulerOptions["onDecode"]): RunEvents["onDecode"] {
    if (!this.isUsed) return onDecode;
    let isFirst = true;
    return (milliseconds, texts) => {
      onDecode?.(milliseconds);
      const now = performance.now();
      if (isFirst) this.times.add(turns, now - milliseconds, now);
      else this.times.pass(turns, texts, milliseconds);
      isFirst = false;
    };
  }

  companion(model: object, open: (sequences: number) => Companion): Companion {
    const known = this.companions.get(model) ?? open(this.sequences);
    this.companions.set(model, known);
    return known;
  }

  dispose(): void {
    for (const companion of this.companions.values()) companion.dispose();
  }
}
