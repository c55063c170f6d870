/** What decodes of a context cost, measured while it runs. */

/** A decode of `sequences` sequences, with `extra` rows of drafts beside the row of each. */
export interface Cost {
  readonly sequences: number;
  readonly extra: number;
  readonly milliseconds: number;
}

const SAMPLES = 7;

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

  /**
   * Of a decode with drafts. Between two known numbers of rows it is interpolated; more rows than were tried are expected to cost
   * nothing more, so that they are tried.
   */
  of(sequences: number, extra: number): number | undefined {
    const known = [...(this.samples.get(sequences) ?? [])].sort(([a], [b]) => a - b);
    const below = known.filter(([rows]) => rows <= extra).at(-1);
    const above = known.find(([rows]) => rows > extra);
    if (!below || this.without(sequences) === undefined) return undefined;
    const low = median(below[1]);
    if (!above || below[0] === extra) return low;
    const share = (extra - below[0]) / (above[0] - below[0]);
    return low + share * (median(above[1]) - low);
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
