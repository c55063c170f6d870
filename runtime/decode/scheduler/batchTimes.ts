/** How long batches take that texts with drafts are in. */
import type { Cost, Costs } from "./costs.js";
import type { Turn } from "./prefill.js";
import { draftedOf } from "./step.js";

export class BatchTimes {
  /** What the latest batch had. */
  private shape = 0;
  /** When the latest batch that was asked for ended. */
  private end = 0;

  constructor(private readonly costs: Costs) {}

  /**
   * Undefined for a batch in which a text is read. What the host did since the tokens were asked for counts too: a text that goes on by
   * itself does not wait for it.
   * @param start of the batch, in milliseconds of `performance.now()`, as `end`
   */
  add(turns: readonly Turn[], start: number, end: number): Cost | undefined {
    const isBuilt = this.isBuilt(shapeOf(turns));
    const asked = turns.reduce((first, { job: { step } }) => Math.min(first, step.since ?? start), start);
    // who asked while another batch was decoded has waited for that
    const cost = costOf(turns, end - (asked < this.end ? start : asked));
    this.end = end;
    if (cost) this.costs.add(cost, isBuilt);
    return cost;
  }

  /** A batch after that of the turns, in which as many texts went on by themselves. */
  pass(turns: readonly Turn[], texts: number, milliseconds: number): void {
    const isBuilt = this.isBuilt(shapeOf(turns, 1));
    this.costs.add({ sequences: texts, extra: 0, milliseconds }, isBuilt);
  }

  /** Whether llama.cpp builds its graph again, as for a batch of another shape. */
  private isBuilt(shape: number): boolean {
    const isOther = shape !== this.shape;
    this.shape = shape;
    return isOther;
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
  const extra = turns.reduce((sum, { job }) => sum + draftedOf(job.step), 0);
  const isWriting = turns.every(
    ({ isLast, chunks }) => isLast && chunks.every(({ reading, tokens }) => tokens.length === reading.rows),
  );
  return isWriting ? { sequences: turns.length, extra, milliseconds } : undefined;
}
