/**
 * Order: after `top` and `sort` the best row is row 0, a monotonic condition selects a prefix of the table, and rows that
 * are sorted by their logits or by their token ids need no second sort.
 *
 *     %3 = argmax(%2)                  %3 = view(%2) offset=0 count=1
 *     %4 = get_rows(%2, %3)        ->
 */
import type { Lowering } from "../table/lowering.js";
import type { Facts } from "../table/value.js";
import type { Rule } from "../table/rule.js";

export const orderFacts: Rule = {
  name: "order-facts",
  doc: "in sorted rows the best is row 0, and a threshold is a prefix",
  example: "top_k(40) |> min_p(0.05) |> dist(42)",
};

/** Whether a column is known to fall in the present order, and the graph may rely on it. */
export const usesFalling = (cx: Lowering, { trend }: Facts): boolean => trend === "falls" && cx.uses(orderFacts);
