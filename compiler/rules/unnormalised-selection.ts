/**
 * A draw needs no normalised probabilities: if a softmax of the same logits exists from before some rows were dropped, its
 * values times the mask are the weights, and the threshold is the draw times their sum. (The best row must still be left,
 * otherwise all weights could be 0.)
 *
 *     %9 = soft_max(%1)                    %9 = soft_max(%1)
 *     ...                                  ...
 *     %13 = scale(mask) s=1e33 b=-1e33     %13 = mul(%9, mask)
 *     %14 = soft_max(%1, %13)          ->  %14 = cumsum(%13)
 *     %15 = cumsum(%14)
 */
import type { Lowering } from "../table/lowering.js";
import { probOf, weightsOf } from "../table/columns.js";
import type { NodeValue } from "../table/value.js";
import type { Rule } from "../table/rule.js";

export const unnormalisedSelection: Rule = {
  name: "unnormalised-selection",
  doc: "a draw reuses the softmax from before rows were dropped",
  example: "top_p(0.95) |> dist(42)",
};

/** The weights of a draw: `prob`, or a multiple of it. */
export const selectionWeights = (cx: Lowering): NodeValue =>
  cx.uses(unnormalisedSelection) ? weightsOf(cx) : probOf(cx);
