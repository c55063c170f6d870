/** What decodes of a context cost, measured while it runs. */

/** A decode of `sequences` sequences, with `extra` rows of drafts beside the row of each. */
export interface Cost {
  readonly sequences: number;
  readonly extra: number;
  readonly milliseconds: number;
}

/** The latest ones that are kept. */
const SAMPLES = 7;

/** What a row is expected to cost before one was tried, relative to a decode. */
const UNTRIED_ROW = 0.15;

/** Of so many on, the median is what a decode costs; of fewer the least, because a busy machine makes some longer. */
const ENOUGH = 3;
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
const typical = (values: readonly number[]): number => (values.length < ENOUGH ? Math.min(...values) : median(values));

/** Times of decodes with one number of rows: those for which llama.cpp built its graph anew, and the others. */
interface Times {
  readonly built: readonly number[];
  readonly steady: readonly number[];
}
const UNTRIED: Times = { built: [], steady: [] };

export class Costs {
  /** By sequences, then by extra rows. */
  private readonly samples = new Map<number, Map<number, Times>>();

  /** @param isBuilt whether llama.cpp built its graph for it */
  add({ sequences, extra, milliseconds }: Cost, isBuilt: boolean): void {
    const byExtra = this.samples.get(sequences) ?? new Map<number, Times>();
    this.samples.set(sequences, byExtra);
    const known = byExtra.get(extra) ?? UNTRIED;
    const kind = isBuilt ? "built" : "steady";
    byExtra.set(extra, { ...known, [kind]: [...known[kind], milliseconds].slice(-SAMPLES) });
  }

  /** Of a decode without drafts; undefined if there was none. */
  without(sequences: number): number | undefined {
    const { steady } = this.samples.get(sequences)?.get(0) ?? UNTRIED;
    return steady.length === 0 ? undefined : typical(steady);
  }

  /** What a decode costs more because llama.cpp builds its graph for it. */
  build(sequences: number): number {
    const differences = [...(this.samples.get(sequences)?.values() ?? [])]
      .filter(({ built, steady }) => built.length > 0 && steady.length > 0)
      .map(({ built, steady }) => typical(built) - typical(steady));
    return differences.length === 0 ? 0 : Math.max(0, Math.min(...differences));
  }

  /** Of the latest decodes with so many rows of drafts. */
  measured(sequences: number, extra: number): number | undefined {
    const base = this.without(sequences);
    const { built, steady } = this.samples.get(sequences)?.get(extra) ?? UNTRIED;
    if (base === undefined || built.length + steady.length === 0) return undefined;
    return steady.length > 0 ? typical(steady) : Math.max(base, typical(built) - this.build(sequences));
  }

  /**
   * What a decode with drafts is expected to cost: as measured, or on a line through what was measured. Few measurements are not
   * believed if they are bad. Undefined without a decode that had none.
   */
  of(sequences: number, extra: number): number | undefined {
    const base = this.without(sequences);
    if (base === undefined) return undefined;
    const timeOf = ({ built, steady }: Times, rows: number): number => {
      const measured = this.measured(sequences, rows)!;
      const isKnown = rows === 0 || built.length + steady.length >= ENOUGH;
      return isKnown ? measured : Math.min(measured, base * (1 + UNTRIED_ROW * rows));
    };
    const known = [...this.samples.get(sequences)!]
      .map(([rows, times]) => ({ rows, time: timeOf(times, rows) }))
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
    for (const [extra, { built, steady }] of [...(byExtra ?? [])]) {
      if (extra === 0) continue;
      if (built.length + steady.length > 1)
        byExtra!.set(extra, { built: [], steady: steady.slice(built.length > 0 ? 0 : 1) });
      else byExtra!.delete(extra);
    }
  }
}
