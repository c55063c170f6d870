/**
 * A draw among a few descending rows in fewer steps: p / (c - threshold), with c the prefix sum of p, is at least 1 in the
 * first row that reaches the threshold, below 1 in later rows, where c - threshold > p, and negative in earlier ones.
 *
 *     %3 = sub(threshold, c)               %3 = sub(c, threshold)
 *     %4 = step(%3)                    ->  %4 = div(p, %3)
 *     %5 = sum_rows(%4)                    %5 = argmax(%4)
 *     %6 = cast(%5) to=i32
 */
import { emit } from "../graph/build.js";
import type { NodeId } from "../graph/graph.js";
import type { Lowering } from "../table/lowering.js";
import type { NodeValue } from "../table/value.js";
import { usesFalling } from "./order-facts.js";
import type { Rule } from "../table/rule.js";

export const ratioPick: Rule = {
  name: "ratio-pick",
  doc: "a draw among a few sorted rows is one argmax of a ratio",
  example: "top_k(40) |> dist(42)",
};

/** Up to this many rows, f32 prefix sums distinguish every row of nonzero weight from the next. */
const MAX_FEW = 1024;

export const canPickByRatio = (cx: Lowering, weights: NodeValue): boolean =>
  cx.uses(ratioPick) && usesFalling(cx, weights.facts) && cx.table.dim !== "V" && cx.table.dim <= MAX_FEW;

/** The threshold stays below the last prefix sum, so trailing dropped rows (p = 0) never give 0 / 0. */
export function pickByRatio(cx: Lowering, weights: NodeValue, running: NodeValue, threshold: NodeValue): NodeId {
  const over = emit(cx.builder, "sub", [running.id, threshold.id]);
  return emit(cx.builder, "argmax", [emit(cx.builder, "div", [weights.id, over])]);
}
