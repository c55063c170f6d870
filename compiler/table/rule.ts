/** A rule: an optimization during lowering. */
import type { Optimization } from "../graph/optimization.js";

/**
 * A rule needs facts that the finished graph does not show, such as the meaning of a condition. If it is disabled, lowering emits
 * the unoptimized nodes.
 */
export type Rule = Optimization;
