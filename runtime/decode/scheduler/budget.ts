/** Decodes with a budget of work: texts with costly chains take turns, by lane, so that they hold up no others. */
import { Shares } from "../../core/shares.js";
import { grouped } from "./grouped.js";
import type { Places } from "./places.js";
import { withoutOutputs, type Turn } from "./prefill.js";
import { rowsOf } from "./step.js";

/** The share of the budget, at most, that texts may take that come after one that waits; the rest is saved for that one. */
const OVERTAKING = 3 / 4;

/** A text whose next tokens may wait. */
interface Waiting {
  readonly turn: Turn;
  readonly work: number;
  /** What its lane will have had with them, and with those of the lane's texts before it. */
  readonly had: number;
}

/**
 * Each decode adds the budget to what is saved. The texts come in the order of what each lane will have had with their next tokens, and
 * those of a lane in the order of what each text will have had, so that all have the same in the end; one that needs more than is saved
 * waits until it is enough. Those after it may go on with most of the budget of the decode: a text with a cheap chain is part of every
 * decode, whatever waits beside it. A decode with nothing else has one text in any case.
 */
export class Budget {
  /** Tokens that waited for a later decode. */
  postponed = 0;
  private saved = 0;
  private readonly lanes = new Shares<string>();
  /** Those of the texts of each lane. */
  private texts: ReadonlyMap<string, Shares<Places>> = new Map();

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
    const byLane = grouped(turns, ({ job }) => job.lane);
    this.lanes.want(byLane.keys());
    this.texts = new Map([...byLane.keys()].map((lane) => [lane, this.texts.get(lane) ?? new Shares()]));
    return [...byLane]
      .flatMap(([lane, own]) => {
        let had = this.lanes.of(lane);
        return this.inLane(lane, own).map((turn): Waiting => {
          const work = workOf(turn);
          return { turn, work, had: (had += work) };
        });
      })
      .sort((a, b) => a.had - b.had);
  }

  private inLane(lane: string, turns: readonly Turn[]): readonly Turn[] {
    const texts = this.texts.get(lane)!;
    texts.want(turns.map(({ job }) => job.places));
    const hadBy = (turn: Turn): number => texts.of(turn.job.places) + workOf(turn);
    return [...turns].sort((a, b) => hadBy(a) - hadBy(b));
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
      chosen.push(this.go(one, isHeld ? this.most : Infinity));
      used += work;
    }
    return chosen;
  }

  private go({ turn, work }: Waiting, ahead = Infinity): Turn {
    const { lane, places } = turn.job;
    this.lanes.add(lane, work, ahead);
    this.texts.get(lane)!.add(places, work, ahead);
    this.saved = Math.max(0, this.saved - work);
    return turn;
  }
}

const workOf = ({ job }: Turn): number => job.work * rowsOf(job.step).length;
