/** What an optimization is: a pass over the finished graph, or a rule that lowering asks while it makes the graph. */
import type { Draft } from "./draft.js";

interface Described {
  /** As in `--disable NAME`. */
  readonly name: string;
  /** What it does, in one line. */
  readonly doc: string;
  /** A program, or stages of standard samplers, that it makes better; tests and docs/optimizer.md show the graph without and with it. */
  readonly example: string;
}

/** Graph to graph. */
export interface Pass extends Described {
  readonly run: (draft: Draft) => Draft;
}

/**
 * Where lowering knows what no graph shows (what a program means by a condition, say), the choice is made while the graph is
 * made. Without the rule, lowering takes the plain way.
 */
export type Rule = Described;
