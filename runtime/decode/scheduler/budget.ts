/** Decodes with a budget of work: texts with costly chains take turns, so that they hold up no others. */
import type { Places } from "./places.js";
import { withoutOutputs, type Turn } from "./prefill.js";
import { rowsOf } from "./step.js";

/** The share of the budget, at most, that texts may take that come after one that waits; the rest is saved for that one. */
const OVERTAKING = 3 / 4;

/** A text whose next tokens may wait. */
interface Waiting {
  readonly turn: Turn;
  readonly work: number;
  /** What it had had, when it began to wait. */
  readonly start: number;
}

/**
 * Each decode adds the budget to what is saved. The texts come in the order of what each will have had with its next tokens, so that all
 * have the same in the end; one that needs more than is saved waits until it is enough. Those after it may go on with most of the budget
 * of the decode: a text with a cheap chain is part of every decode, whatever waits beside it. A decode with nothing else has one text
 * in any case.
 */
export class Budget {
  /** Tokens that waited for a later decode. */
  postponed = 0;
  private saved = 0;
  /** The least that any waiting text has had; who is new begins there. */
  private clock = 0;
  private readonly had = new WeakMap<Places, number>();

  /** @param most that the chains of a decode may take together */
  constructor(private readonly most: number) {}

  /** What becomes of a decode: the tokens with outputs of texts that wait are taken out. */
  share(turns: readonly Turn[]): readonly Turn[] {
    const counted = turns.filter((turn) => turn.isLast && workOf(turn) > 0);
    const total = counted.reduce((sum, turn) => sum + workOf(turn), 0);
    if (total <= this.most || turns.length === 1) {
      this.saved = 0;
      return turns;
    }
    const rest = new Map(counted.map((turn) => [turn, withoutOutputs(turn)]));
    const isEmpty = rest.size === turns.length && [...rest.values()].every((turn) => turn === undefined);
    const waiting = this.inOrder(counted);
    const chosen = this.choose(waiting);
    if (isEmpty && chosen.length === 0) chosen.push(this.go(waiting[0]!));
    for (const turn of chosen) rest.delete(turn);
    this.postponed += rest.size;
    return turns.flatMap((turn) => (rest.has(turn) ? (rest.get(turn) ?? []) : turn));
  }

  private inOrder(turns: readonly Turn[]): readonly Waiting[] {
    const waiting = turns.map((turn) => ({
      turn,
      work: workOf(turn),
      start: Math.max(this.clock, this.had.get(turn.job.places) ?? 0),
    }));
    this.clock = waiting.reduce((least, { start }) => Math.min(least, start), Infinity);
    return waiting.sort((a, b) => a.start + a.work - b.start - b.work);
  }

  private choose(waiting: readonly Waiting[]): Turn[] {
    const chosen: Turn[] = [];
    let [used, isHeld] = [0, false];
    this.saved += this.most;
    for (const one of waiting) {
      const { work } = one;
      if (isHeld ? used + work > OVERTAKING * this.most : work > this.saved) {
        isHeld = true;
        continue;
      }
      // who goes on with what others cannot use is not behind them for long
      chosen.push(this.go(one, isHeld ? this.clock + this.most : Infinity));
      used += work;
    }
    return chosen;
  }

  private go({ turn, work, start }: Waiting, had = Infinity): Turn {
    this.had.set(turn.job.places, Math.min(start + work, had));
    this.saved = Math.max(0, this.saved - work);
    return turn;
  }
}

const workOf = ({ job }: Turn): number => job.work * rowsOf(job.step).length;
