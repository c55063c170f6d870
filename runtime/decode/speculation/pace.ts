/**
 * How long the drafts of one sequence are: as long as pays, from what was accepted lately and from what decodes cost. What drafts
 * lose is bounded, so that a text without luck is not slower than one without drafts. Times are in decodes without drafts.
 */
import type { Cost, Costs } from "../scheduler/costs.js";

/** Few, because llama.cpp builds its graph again for another number of rows. With the text's own row, kernels like powers of two. */
const LENGTHS = [1, 3, 7, 15, 31];
/** The first one that is tried: two rows can cost more than their share. */
const FIRST = 3;

/** The share of the decodes that drafts may lose, and how many decodes more; all texts of a model share these. */
const LOSS = 0.01;
const GRACE = 3;
/** The most that is remembered of what was lost beyond it. */
const DEBT = 12;
/** Gains of a text that it may lose again. */
const CREDIT = 12;
/** How fast earlier drafts are forgotten. */
const DECAY = 0.95;
/** Expected of the best drafts. */
const BEST = 0.98;
/**
 * After this many drafts in a row that were not decoded, what was measured is doubted, and drafts are tried again: after twice as many where
 * that was in vain, up to the most. All texts of a model share it.
 */
const PATIENCE = { first: 32, most: 2048 };
/** Tokens of a text that goes on by itself after which a draft is weighed again: as many as were refused in a row, up to these. */
const WAIT = 16;

/** Right tokens of drafts, and all up to the first wrong one, by the kind of draft. */
class Tries {
  private readonly hits: number[] = [];
  private readonly counts: number[] = [];

  /** @param untried the expected share before the first draft */
  constructor(private readonly untried: number) {}

  /** The share of right tokens. A kind without drafts is expected to be as good as the next lower one. */
  share(kind: number): number {
    for (let at = kind; at >= 0; at--) {
      const count = this.counts[at];
      if (count !== undefined) return Math.min(this.hits[at]! / count, BEST);
    }
    return this.untried;
  }

  learn(kind: number, right: number, isWrong: boolean): void {
    const count = this.counts[kind];
    const [hits, all] = count === undefined ? [this.share(kind) / 2, 0.5] : [this.hits[kind]!, count];
    this.hits[kind] = DECAY * hits + right;
    this.counts[kind] = DECAY * all + right + (isWrong ? 1 : 0);
  }
}

export class Pace {
  private readonly tries: Tries;
  /** What this text has gained and not lost again. */
  private credit = 0;
  /** The length of the latest draft. */
  private latest = 0;
  /** Drafts that were not decoded, in a row, and tokens without a look at one. */
  private refused = 0;
  /** Tokens before the next look. */
  private waiting = 0;
  /** Sequences of the latest batch. */
  private sequences: number;
  /** Rows of drafts in it. */
  private rows = 0;
  /** Milliseconds of drafting a token. */
  private drafting = 0;

  /** @param isFree guesses can be compared with the text at no cost: drafts wait until one was right */
  constructor(
    private readonly costs: Costs,
    private readonly most: number,
    isFree: boolean,
  ) {
    this.tries = new Tries(isFree ? 0 : 0.5);
    this.sequences = costs.sequences;
    costs.allowance ??= GRACE;
    costs.patience ??= PATIENCE.first;
  }

  /** How many tokens of a draft of this kind to decode, at most `most`. */
  length(kind: number, most: number): number {
    return (this.latest = this.best(kind, most));
  }

  /** Whether drafts are decoded beside as many texts as there are. */
  get mayDraft(): boolean {
    return this.costs.sequences <= this.costs.mostDrafting;
  }

  /** Whether a draft is looked for at this token of a text that goes on by itself: what is refused again and again costs time. */
  looks(): boolean {
    if (!this.mayDraft) return false;
    if (this.waiting === 0) return true;
    this.waiting--;
    this.refused++;
    return false;
  }

  /** The text goes on by itself, without drafts. */
  rest(): void {
    const { costs, rows } = this;
    costs.allowance = Math.min(costs.allowance! + LOSS, GRACE);
    this.sequences = costs.sequences;
    // the first decode after a draft pays for building the graph again
    if (rows > 0) this.lose(costs.build(this.sequences));
    this.rows = this.latest = 0;
  }

  /** As `length`, for a draft that is not decoded next. */
  best(kind: number, most: number): number {
    const { costs, sequences, latest } = this;
    const share = this.tries.share(kind);
    const base = costs.without(sequences);
    if (most === 0 || share === 0 || base === undefined || sequences > costs.mostDrafting) return 0;
    const allowed = this.credit + costs.allowance!;
    const build = costs.build(sequences);
    const drafting = this.drafting / base;
    let best = 0;
    let bestRate = sequences / (1 + (latest > 0 ? build : 0));
    const tryLength = (extra: number): void => {
      const changes = extra === latest ? 0 : latest === 0 ? 2 : 1;
      const cost = costs.of(sequences, extra) + extra * drafting + changes * build;
      if (cost - 1 > allowed) return;
      const gained = (share * (1 - share ** extra)) / (1 - share);
      const rate = (sequences + gained) / cost;
      if (rate > bestRate) [best, bestRate] = [extra, rate];
    };
    const limit = Math.min(most, this.most);
    const isFirst = limit > FIRST && !costs.isKnown(sequences, FIRST);
    if (isFirst) tryLength(FIRST);
    else {
      for (const extra of LENGTHS) if (extra < limit) tryLength(extra);
      tryLength(limit);
    }
    this.refused = best > 0 ? 0 : this.refused + 1;
    this.waiting = Math.min(this.refused, WAIT);
    if (this.refused >= costs.patience!) {
      this.refused = 0;
      costs.patience = Math.min(2 * costs.patience!, PATIENCE.most);
      costs.forget(sequences);
    }
    return best;
  }

  /** `right` of the tokens of a draft were the text's; `isWrong` if the next one was not. */
  learn(kind: number, right: number, isWrong: boolean): void {
    this.tries.learn(kind, right, isWrong);
  }

  /**
   * A decode with `own` rows of this sequence's draft. It counts with what such decodes typically cost: one that a busy machine made
   * longer must not end the drafts.
   */
  spend({ sequences, extra }: Cost, own: number): void {
    const { costs, rows } = this;
    this.sequences = sequences;
    this.rows = extra;
    costs.allowance = Math.min(costs.allowance! + LOSS, GRACE);
    if (extra === 0 && rows === 0) return;
    const build = extra === rows ? 0 : costs.build(sequences);
    // without drafts of others, the first decode after a draft pays for building the graph again
    const part = extra > 0 ? own / extra : 1;
    this.lose((costs.spent(sequences, extra) - 1 + build) * part);
  }

  /** Drafting took this long. */
  draft(milliseconds: number, tokens: number): void {
    const base = this.costs.without(this.sequences);
    if (base !== undefined) this.lose(milliseconds / base);
    if (tokens > 0)
      this.drafting = this.drafting === 0 ? milliseconds / tokens : 0.8 * this.drafting + (0.2 * milliseconds) / tokens;
  }

  /** A token was accepted: a decode less for this sequence. */
  gain(): void {
    const { costs } = this;
    const back = Math.min(1 / this.sequences, GRACE - costs.allowance!);
    costs.allowance! += back;
    this.credit = Math.min(this.credit + 1 / this.sequences - back, CREDIT);
    if (this.credit === CREDIT) costs.patience = PATIENCE.first;
  }

  private lose(decodes: number): void {
    const own = Math.min(decodes, this.credit);
    this.credit -= own;
    this.costs.allowance = Math.max(this.costs.allowance! - (decodes - own), -DEBT);
  }
}
