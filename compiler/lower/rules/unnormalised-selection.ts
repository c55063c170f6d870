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
import type { Lowering } from "../rows/lowering.js";
import { probOf, weightsOf } from "../rows/columns.js";
import type { NodeValue } from "../rows/value.js";
import type { Rule } from "./rule.js";

export const unnormalisedSelection: Rule = {
  name: "unnormalised-selection",
  doc: "a draw reuses the softmax from before rows were dropped",
  example: "top_p(0.95) |> dist(42)",
};

/** What rows are drawn by: `prob`, or numbers in its proportions. */
export const selectionWeights = (cx: Lowering): NodeValue =>
  cx.uses(unnormalisedSelection) ? weightsOf(cx) : probOf(cx);
