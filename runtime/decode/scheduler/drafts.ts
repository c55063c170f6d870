/** Drafted tokens in batches: how many fit, and what they cost. */
import type { NativeContext } from "../../backends/native/binding.js";
import type { Cost, Costs } from "./costs.js";
import type { Turn } from "./prefill.js";
import { readingsOf, type Job } from "./reading.js";
import { withDraft } from "./step.js";
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

const draftOf = ({ step: { more } }: Job): number => more?.length ?? 0;

/** The rows of a batch that drafts may take. */
export class DraftRows {
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

/** What batches cost, for drafts. */
export class Measured {
  /** What the latest batch had. */
  private shape = 0;

  constructor(private readonly costs: Costs) {}

  /** Undefined for a batch in which a text is read. */
  add(turns: readonly Turn[], milliseconds: number): Cost | undefined {
    const shape = shapeOf(turns);
    // llama.cpp builds its graph again for a batch of another shape
    const isBuilt = shape !== this.shape;
    this.shape = shape;
    const cost = costOf(turns, milliseconds);
    if (cost) this.costs.add(cost, isBuilt);
    return cost;
  }

  /** A batch after that of the turns, in which as many texts went on by themselves: when it is told says little of its time. */
  pass(turns: readonly Turn[], texts: number): void {
    this.costs.sequences = texts;
    this.shape = shapeOf(turns, 1);
  }
}

/**
 * Equal for batches with as many tokens of the same sequences.
 * @param each tokens of each sequence, where they are not those of the turns
 */
function shapeOf(turns: readonly Turn[], each?: number): number {
  let shape = 0;
  for (const { chunks } of turns)
    for (const { reading, tokens } of chunks)
      shape = (shape + Math.imul(reading.place.sequence + 1, 0x9e3779b1) * (each ?? tokens.length)) | 0;
  return shape;
}

/** Undefined for a batch in which a text is read. */
function costOf(turns: readonly Turn[], milliseconds: number): Cost | undefined {
  const extra = turns.reduce((sum, { job }) => sum + draftOf(job), 0);
  const isWriting = turns.every(
    ({ isLast, chunks }) => isLast && chunks.every(({ reading, tokens }) => tokens.length === reading.rows),
  );
  return isWriting ? { sequences: turns.length, extra, milliseconds } : undefined;
}
