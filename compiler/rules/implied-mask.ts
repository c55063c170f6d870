/**
 * Rows that came as -inf need no mask while their clamped logits are far below all others: their probability is 0, and no
 * condition holds for them alone.
 *
 *     %0 = clamp(logits)                   %0 = clamp(logits)
 *     %1 = div(%0, u0)                     %1 = div(%0, u0)
 *     %2 = scale(logits) b=9e29        ->  %2 = soft_max(%1)
 *     %3 = step(%2)
 *     %4 = scale(%3) s=1e33 b=-1e33
 *     %5 = soft_max(%1, %4)
 */
import type { Gap } from "../table/gap.js";
import type { Lowering } from "../table/lowering.js";
import type { Rule } from "../table/rule.js";

export const impliedMask: Rule = {
  name: "implied-mask",
  doc: "rows that came as -inf need no mask while their logits are far below all others",
  example: "temp(0.8) |> dist(42)",
};

/** Below a gap of this many nats a dropped row could have a nonzero probability. */
const MIN_GAP = 1000;
/** Whether logits with this gap identify the rows that are dropped by their logits. */
export const tellsDropped = (cx: Lowering, gap: Gap | undefined): gap is Gap =>
  cx.uses(impliedMask) && gap !== undefined && gap.size >= MIN_GAP && gap.drops === cx.table.drops;
