/** `keep cond at least m`: drops rows, except those that stay in any case. */
import { emit } from "../../graph/build.js";
import * as I from "../../graph/interval.js";
import { asColumn, mul } from "./arith.js";
import { and, atLeast, greater, holding, larger, or } from "./conditions.js";
import type { Lowering } from "./lowering.js";
import { sum } from "./reduce.js";
import { narrow } from "./changes.js";
import { aliveOf, column, largestKey, logitKey, rankOf, rowNumbers } from "./columns.js";
import { holdsForEnough } from "../rules/certain-keep.js";
import { keepsAll } from "../rules/no-op-filters.js";
import { constant, isConstant, type NodeValue, type Value } from "./value.js";

/**
 * Keeps the rows where `condition` holds. If these are fewer than `m`, the `m` best by logit also stay, or the first `m`
 * of a sorted table.
 */
export function keepRows(cx: Lowering, condition: Value, m: Value): void {
  if (keepsAll(cx, condition)) return;
  const minimum = m.range.hi <= 1 ? constant(1) : m.range.lo >= 1 ? m : larger(cx, m, constant(1));
  if (holdsForEnough(cx, condition, minimum)) return narrowTo(cx, condition, false);

  const best = bestOf(cx, minimum);
  // all rows or none: the best rows stay either way
  const { isOrdered, isPacked } = cx.table;
  const isPrefix = condition.kind === "uniform" || (isOrdered && isPacked && condition.facts.trend === "falls");
  if (isPrefix) return narrowTo(cx, or(cx, best, condition), false);

  // `or` below clamps, and for the best row it suffices that some row is met
  const kept = isConstant(minimum) && minimum.expr <= 1 ? holding(cx, condition) : condition;
  const met = asColumn(cx, and(cx, aliveOf(cx), kept), cx.table.dim);
  const stay = and(cx, best, aliveOf(cx));
  narrowTo(cx, or(cx, met, mul(cx, stay, greater(cx, minimum, sum(cx, met)))), true);
}

function narrowTo(cx: Lowering, condition: Value, isFull: boolean): void {
  if (keepsAll(cx, condition)) return;
  const mask = asColumn(cx, condition, cx.table.dim);
  narrow(cx, { ...mask, range: I.clampTo(mask.range, 0, 1) }, isFull);
}

/** Mask of the `m` best rows (may include dropped ones): the first `m` if the table is sorted, else the `m` largest logits. */
function bestOf(cx: Lowering, m: Value): NodeValue {
  if (cx.table.isOrdered) return asColumn(cx, greater(cx, m, rankOf(cx)), cx.table.dim);
  const { dim } = cx.table;
  const zeros = emit(cx.builder, "fill", [], { value: 0, dim });
  if (isConstant(m) && m.expr <= 1) {
    const row = emit(cx.builder, "argmax", [largestKey(cx).id]);
    const one = cx.uniform(constant(1));
    return column(cx, emit(cx.builder, "set_rows", [zeros, one, row], {}, { range: I.UNIT }));
  }
  const order = emit(cx.builder, "argsort", [logitKey(cx).id], { order: "desc" });
  const places = column(
    cx,
    emit(cx.builder, "set_rows", [zeros, rowNumbers(cx).id, order], {}, { range: rowNumbers(cx).range }),
  );
  return asColumn(cx, atLeast(cx, m, places.range.lo === 0 ? addOne(cx, places) : places), dim);
}

/** Row indices from 1, so that `m >= index` selects the `m` best. */
const addOne = (cx: Lowering, places: NodeValue): NodeValue =>
  column(cx, emit(cx.builder, "scale", [places.id], { s: 1, b: 1 }));
