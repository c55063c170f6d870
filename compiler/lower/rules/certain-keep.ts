/**
 * At least one row stays, whatever a condition says; where it holds for some row for certain (`x >= c` with c at most the
 * largest x, or a running sum that starts at 0), nothing is computed for the case that it does not.
 *
 *     %3 = step(%2)                        %3 = step(%2)
 *     %4 = argmax(logits)
 *     %5 = set_rows(0, 1, %4)          ->
 *     %6 = sum_rows(%3)
 *     ...
 */
import type { Lowering } from "../rows/lowering.js";
import { isConstant, type Value } from "../rows/value.js";
import type { Rule } from "./rule.js";

export const certainKeep: Rule = {
  name: "certain-keep",
  doc: "a condition that some row is certain to meet needs no fallback row",
  example: "min_p(0.05) |> dist(42)",
};

/** Whether at least `minimum` rows meet `condition` for certain. */
export const holdsForEnough = (cx: Lowering, condition: Value, minimum: Value): boolean =>
  cx.uses(certainKeep) &&
  isConstant(minimum) &&
  minimum.expr <= 1 &&
  condition.kind === "node" &&
  condition.facts.holdsSomewhere === true;
