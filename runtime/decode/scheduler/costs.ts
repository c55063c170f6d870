/** What decodes of a model cost, measured while it runs. */
import { Cache } from "../../core/cache.js";

/** A decode of `sequences` sequences, with `extra` rows of drafts beside the row of each. */
export interface Cost {
  readonly sequences: number;
  readonly extra: number;
  readonly milliseconds: number;
}

/** The latest values that are kept. */
const SAMPLES = 7;

/** From this many values on they are believed. */
const ENOUGH = 3;

/** What a row is expected to cost before one was tried, relative to a decode. */
const UNTRIED_ROW = 0.15;
/** Rows beyond those that were tried are expected to cost this share of the ones before. */
const CHEAPER = 0.6;
/** The most that is believed of a row, relative to a decode, after fewer than `ENOUGH` decodes. */
const BELIEVED_ROW = 0.3;
/** The same of a build. */
const BELIEVED_BUILD = 0.5;

/** The latest values of one quantity. */
class Window {
  private readonly values: number[] = [];
  private readonly sorted: number[] = [];
  private next = 0;

  get count(): number {
    return this.sorted.length;
  }

  /** One of the least, because a busy machine makes decodes longer and none shorter; undefined without values. */
  get typical(): number | undefined {
    const { sorted } = this;
    return sorted[sorted.length > ENOUGH ? 1 : 0];
  }

  add(value: number): void {
    const { values, sorted } = this;
    if (values.length === SAMPLES) sorted.splice(sorted.indexOf(values[this.next]!), 1);
    values[this.next] = value;
    this.next = (this.next + 1) % SAMPLES;
    let at = sorted.length;
    while (at > 0 && sorted[at - 1]! > value) at--;
    sorted.splice(at, 0, value);
  }

  clear(): void {
    this.values.length = this.sorted.length = this.next = 0;
  }
}

/** The costs of batches with one number of sequences. */
class BatchCosts {
  /** Milliseconds of a decode without drafts. */
  readonly base = new Window();
  /** How much longer a decode takes because llama.cpp builds its graph, in milliseconds. */
  readonly build = new Window();
  /** The costs by extra rows: relative to a decode without, so that they stay right on a machine that gets busy, and for another chain. */
  readonly ratios = new Map<number, Window>();
}

const NONE = new BatchCosts();

export class Costs {
  private readonly bySequences = new Map<number, BatchCosts>();
  /** What drafts may still lose, in decodes. See `Pace`. */
  allowance: number | undefined;
  /** Drafts that are refused in a row before what was measured is doubted. See `Pace`. */
  patience: number | undefined;
  /** Sequences of the latest batch. */
  sequences = 1;
  /** Of a batch with more texts each draft would be a graph of its own. */
  mostDrafting = Infinity;

  /** @param isBuilt whether llama.cpp built its graph for it */
  add({ sequences, extra, milliseconds }: Cost, isBuilt: boolean): void {
    this.sequences = sequences;
    let measured = this.bySequences.get(sequences);
    if (!measured) this.bySequences.set(sequences, (measured = new BatchCosts()));
    const { base, build, ratios } = measured;
    const typical = base.typical;
    if (extra === 0) {
      if (!isBuilt) base.add(milliseconds);
      else if (typical !== undefined) build.add(Math.max(0, milliseconds - typical));
      return;
    }
    if (typical === undefined) return;
    let ratio = ratios.get(extra);
    if (!ratio) ratios.set(extra, (ratio = new Window()));
    ratio.add(Math.max(1, (milliseconds - (isBuilt ? (build.typical ?? 0) : 0)) / typical));
  }

  /** Milliseconds of a decode without drafts; undefined before there were enough. */
  without(sequences: number): number | undefined {
    const base = this.bySequences.get(sequences)?.base;
    return base && base.count >= ENOUGH ? base.typical : undefined;
  }

  /** How much longer a decode takes because llama.cpp builds its graph, relative to one without drafts. */
  build(sequences: number): number {
    const { base, build } = this.bySequences.get(sequences) ?? NONE;
    if (base.count === 0 || build.count === 0) return 0;
    const ratio = build.typical! / base.typical!;
    return build.count >= ENOUGH ? ratio : Math.min(ratio, BELIEVED_BUILD);
  }

  /** What a decode with drafts has cost, relative to one without. */
  spent(sequences: number, extra: number): number {
    return (this.bySequences.get(sequences) ?? NONE).ratios.get(extra)?.typical ?? 1;
  }

  /** Whether decodes with these rows of drafts were measured. */
  isKnown(sequences: number, extra: number): boolean {
    return (this.bySequences.get(sequences)?.ratios.get(extra)?.count ?? 0) > 0;
  }

  /**
   * What a decode with drafts is expected to cost, relative to one without: as measured, or on a line through what was measured. Few
   * measurements are not believed if they are bad.
   */
  of(sequences: number, extra: number): number {
    let [below, belowAt, above, aboveAt] = [1, 0, 0, Infinity];
    for (const [rows, window] of this.bySequences.get(sequences)?.ratios ?? []) {
      if (window.count === 0) continue;
      if (rows <= extra && rows > belowAt) [below, belowAt] = [believed(window, rows), rows];
      if (rows > extra && rows < aboveAt) [above, aboveAt] = [believed(window, rows), rows];
    }
    if (belowAt === extra) return below;
    const slope =
      aboveAt < Infinity
        ? (above - below) / (aboveAt - belowAt)
        : belowAt === 0
          ? UNTRIED_ROW
          : (CHEAPER * (below - 1)) / belowAt;
    return below + slope * (extra - belowAt);
  }

  /** Forgets what rows of drafts cost, so that they are tried again. */
  forget(sequences: number): void {
    for (const window of this.bySequences.get(sequences)?.ratios.values() ?? []) window.clear();
  }
}

const believed = ({ count, typical }: Window, rows: number): number =>
  count >= ENOUGH ? typical! : Math.min(typical!, 1 + BELIEVED_ROW * rows);

/** Contexts of one model whose costs are kept. */
const KEPT = 16;
const known = new WeakMap<object, Cache<Costs>>();

/** The costs of a model in contexts of these settings: what one text has measured serves the next. */
export function costsOf(model: object, settings: string): Costs {
  const bySettings = known.get(model) ?? new Cache<Costs>(KEPT);
  known.set(model, bySettings);
  return bySettings.getOrMake(settings, () => new Costs());
}
