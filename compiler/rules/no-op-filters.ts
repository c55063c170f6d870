/**
 * Removes filters that cannot drop a row: a condition that is certain to hold, any condition on a table of one row (the best
 * row always stays), and a `top` of at least as many rows as the table has.
 *
 *     top_k(1) |> min_p(0.05) |> dist(42)      ->      top_k(1) |> dist(42)
 */
import type { Lowering } from "../table/lowering.js";
import type { Value } from "../table/value.js";
import type { Rule } from "../table/rule.js";

export const noOpFilters: Rule = {
  name: "no-op-filters",
  doc: "filters that cannot drop a row are removed",
  example: `import { dist } from "std"

sampler at_least(p: f32) {
  logit *= 2
  keep prob >= p
}

chain c = at_least(0) |> dist(42)
`,
};

/** Whether `keep condition` keeps every row. */
export const keepsAll = (cx: Lowering, condition: Value): boolean =>
  cx.uses(noOpFilters) && (condition.range.lo >= 1 || cx.table.dim === 1);

/** Whether `top count` keeps every row. */
export const takesAll = (cx: Lowering, count: number): boolean => cx.uses(noOpFilters) && count === cx.table.dim;
