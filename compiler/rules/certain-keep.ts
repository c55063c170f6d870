/**
 * `keep` leaves at least one row. If the condition is certain to hold for some row (`x >= c` with c at most the largest x, or a
 * prefix sum that starts at 0), the fallback row is not computed.
 *
 *     %3 = step(%2)                        %3 = step(%2)
 *     %4 = argmax(logits)
 *     %5 = set_rows(0, 1, %4)          ->
 *     %6 = sum_rows(%3)
 *     ...
 */
import type { Lowering } from "../table/lowering.js";
import { isConstant, type Value } from "../table/value.js";
import type { Rule } from "../table/rule.js";

export const certainKeep: Rule = {
  name: "certain-keep",
  doc: "a condition that some row is certain to meet needs no fallback row",
  example: "min_p(0.05) |> dist(42)",
};

/** Whether at least `minimum` rows are certain to meet `condition`. */
export const holdsForEnough = (cx: Lowering, condition: Value, minimum: Value): boolean =>
  cx.uses(certainKeep) &&
  isConstant(minimum) &&
  minimum.expr <= 1 &&
  condition.kind === "node" &&
  condition.facts.holdsSomewhere === true;
