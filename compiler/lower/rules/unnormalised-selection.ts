/**
 * Choosing needs no probabilities that sum to 1: where a softmax of the same logits is at hand from before some rows were
 * dropped, its values times the mask are the weights to draw by, compared with the draw times their own sum. (For this the
 * best row must be among those left; the weights of others alone could all be 0.)
 *
 *     %9 = soft_max(%1)                    %9 = soft_max(%1)
 *     ...                                  ...
 *     %13 = scale(mask) s=1e33 b=-1e33     %13 = mul(%9, mask)
 *     %14 = soft_max(%1, %13)          ->  %14 = cumsum(%13)
 *     %15 = cumsum(%14)
 */
import { mul } from "../rows/arith.js";
import type { Lowering } from "../rows/lowering.js";
import { cached, probOf } from "../rows/columns.js";
import type { NodeValue } from "../rows/value.js";
import type { Rule } from "./rule.js";

export const unnormalisedSelection: Rule = {
  name: "unnormalised-selection",
  doc: "drawing by the weights of a softmax from before rows were dropped, without a second softmax",
  example: "top_p(0.95) |> dist(42)",
};

/** `prob` but for a positive factor: 0 in dropped rows, and of a sum that is no smaller than 1 / V. */
export function weightsOf(cx: Lowering, rule: Rule): NodeValue {
  const { mask, weights: before, cache } = cx.table;
  if (!cx.uses(rule) || !before || !mask || cache.has("prob")) return probOf(cx);
  return cached(cx, "weights", () => {
    const weights = mul(cx, before, mask) as NodeValue;
    const falls = before.facts.trend === "falls" && mask.facts.trend === "falls";
    return { ...weights, facts: { isZeroDropped: true, trend: falls ? "falls" : undefined } };
  });
}
