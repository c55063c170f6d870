/** What decodes of a context cost, measured while it runs. */

/** A decode of `sequences` sequences, with `extra` rows of drafts beside the row of each. */
export interface Cost {
  readonly sequences: number;
  readonly extra: number;
  readonly milliseconds: number;
}

const SAMPLES = 7;

/** What a row is expected to cost before one was tried, relative to a decode. */
const UNTRIED_ROW = 0.15;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

export class Costs {
  /** By sequences, then by extra rows: the latest times. */
  private readonly samples = new Map<number, Map<number, number[]>>();

  /** @param isBuilt whether llama.cpp built its graph for it, which a decode without drafts needs only beside others with them */
  add({ sequences, extra, milliseconds }: Cost, isBuilt: boolean): void {
    if (extra === 0 && isBuilt) return;
    const byExtra = this.samples.get(sequences) ?? new Map<number, number[]>();
    this.samples.set(sequences, byExtra);
    const known = byExtra.get(extra) ?? [];
    byExtra.set(extra, [...known, milliseconds].slice(-SAMPLES));
  }

  /** Of a decode without drafts; undefined if there was none. */
  without(sequences: number): number | undefined {
    const known = this.samples.get(sequences)?.get(0);
    return known && median(known);
  }

  /** Of a decode with drafts: measured, or on a line through what was measured. Undefined without a decode that had none. */
  of(sequences: number, extra: number): number | undefined {
    const base = this.without(sequences);
    if (base === undefined) return undefined;
    const known = [...this.samples.get(sequences)!]
      .map(([rows, times]) => ({ rows, time: median(times) }))
      .sort((a, b) => a.rows - b.rows);
    const below = known.filter(({ rows }) => rows <= extra).at(-1)!;
    const above = known.find(({ rows }) => rows > extra);
    const slope = above
      ? (above.time - below.time) / (above.rows - below.rows)
      : below.rows === 0
        ? UNTRIED_ROW * base
        : (below.time - base) / below.rows;
    return below.time + slope * (extra - below.rows);
  }

  /** Forgets the oldest time of each number of extra rows, so that one that was slow once is tried again. */
  forget(sequences: number): void {
    const byExtra = this.samples.get(sequences);
    for (const [extra, times] of [...(byExtra ?? [])]) {
      if (extra === 0) continue;
      if (times.length > 1) byExtra!.set(extra, times.slice(1));
      else byExtra!.delete(extra);
    }
  }
}
