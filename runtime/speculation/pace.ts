/**
 * How long the drafts of one sequence are: as long as pays, from what was accepted lately and from what decodes cost. What drafts
 * lose in all is bounded, so that a text without luck is not slower than one without drafts.
 */
import type { Cost, Costs } from "./costs.js";

/** Few, because llama.cpp builds its graph anew for another number of rows. */
const LENGTHS = [1, 2, 4, 8, 16, 32];

/** The share of the running time that drafts may lose, and how many decodes more, so that a short text can try one. */
const LOSS = 0.02;
const GRACE = 3;
/** Gains that may be lost again, in decodes. */
const CREDIT = 8;
/** How much better another length must be: another number of rows is another graph. */
const BETTER = 1.05;
/** How fast earlier drafts are forgotten. */
const DECAY = 0.95;
/** After so many tokens without a draft, measured costs are doubted. */
const PATIENCE = 32;

interface Tries {
  readonly hits: number;
  readonly count: number;
}
/** Before the first draft of a kind: half of its tokens are expected to be right, or none if guesses can be compared at no cost. */
const UNTRIED: Tries = { hits: 0.5, count: 1 };
const UNSEEN: Tries = { hits: 0, count: 0.5 };

export class Pace {
  private readonly untried: Tries;
  /** By the kind of the draft. */
  private readonly tries = new Map<number, Tries>();
  private elapsed = 0;
  /** What drafts have lost so far, less what they have gained. */
  private loss = 0;
  private latest = 0;
  private idle = 0;
  /** Sequences of the latest batch. */
  private sequences = 1;
  /** Those of drafts in it. */
  private rows = 0;
  /** The time of drafting a token. */
  private drafting = 0;

  constructor(
    private readonly costs: Costs,
    private readonly most: number,
    isFree: boolean,
  ) {
    this.untried = isFree ? UNSEEN : UNTRIED;
  }

  /** How many tokens of a draft of this kind to decode, at most `most`. */
  length(kind: number, most: number): number {
    const base = this.costs.without(this.sequences);
    if (most === 0 || base === undefined || this.loss > LOSS * this.elapsed + GRACE * base) return this.chosen(0, base);
    const { hits, count } = this.tries.get(kind) ?? this.untried;
    const share = Math.min(hits / count, 0.98);
    const rate = (extra: number): number => {
      const gained = (share * (1 - share ** extra)) / (1 - share);
      return (this.sequences + gained) / (this.costs.of(this.sequences, extra)! + extra * this.drafting);
    };
    let best = 0;
    let bestRate = (this.sequences / base) * (this.latest === 0 ? BETTER : 1);
    for (const extra of [...LENGTHS.filter((l) => l < most), most]) {
      if (extra > this.most) continue;
      const found = rate(extra) * (extra === this.latest ? BETTER : 1);
      if (found > bestRate) [best, bestRate] = [extra, found];
    }
    return this.chosen(best, base);
  }

  private chosen(length: number, base: number | undefined): number {
    this.latest = length;
    this.idle = length > 0 ? 0 : this.idle + 1;
    if (base !== undefined && this.idle % PATIENCE === PATIENCE - 1) {
      this.costs.forget(this.sequences);
      for (const [kind, { hits, count }] of this.tries)
        this.tries.set(kind, { hits: (hits + 0.5) / 2, count: (count + 1) / 2 });
    }
    return length;
  }

  /** `right` of the tokens of a draft were the text's; `isWrong` if the next one was not. */
  learn(kind: number, right: number, isWrong: boolean): void {
    const { hits, count } = this.tries.get(kind) ?? this.untried;
    this.tries.set(kind, { hits: DECAY * hits + right, count: DECAY * count + right + (isWrong ? 1 : 0) });
  }

  /**
   * A decode with `own` rows of this sequence's draft. It counts with the time that it needs: one that a busy machine made longer must not
   * end the drafts.
   */
  spend({ sequences, extra }: Cost, own: number): void {
    const base = this.costs.without(sequences);
    const isChanged = extra !== this.rows;
    [this.sequences, this.rows] = [sequences, extra];
    if (base === undefined) return;
    const time = this.costs.measured(sequences, extra) ?? base;
    const build = isChanged ? this.costs.build(sequences) : 0;
    this.elapsed += time + build;
    // without drafts of others, the first decode after a draft pays for building the graph again
    const part = extra > 0 ? own / extra : this.idle === 1 ? 1 : 0;
    if (part > 0) this.lose((time - base + build) * part);
  }

  /** Drafting took this long. */
  draft(milliseconds: number, tokens: number): void {
    this.elapsed += milliseconds;
    this.lose(milliseconds);
    if (tokens > 0)
      this.drafting = this.drafting === 0 ? milliseconds / tokens : 0.8 * this.drafting + (0.2 * milliseconds) / tokens;
  }

  /** A token was accepted: a decode less for this sequence. */
  gain(): void {
    this.lose(-(this.costs.without(this.sequences) ?? 0) / this.sequences);
  }

  private lose(milliseconds: number): void {
    const credit = CREDIT * (this.costs.without(this.sequences) ?? 0);
    this.loss = Math.max(this.loss + milliseconds, -credit);
  }
}
