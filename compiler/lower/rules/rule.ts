/** A rule: a choice that lowering makes while it makes the graph. */
import type { Optimization } from "../../graph/optimization.js";

/**
 * Where lowering knows what no graph shows (what a program means by a condition, say), the choice is made while the graph is
 * made. Without the rule, lowering takes the plain way.
 */
export type Rule = Optimization;
