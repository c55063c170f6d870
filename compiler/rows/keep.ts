/** `keep cond at least m`: drops rows, except those that stay in any case. */
import { emit } from "../graph/build.js";
import type { NodeId } from "../graph/graph.js";
import * as I from "../graph/interval.js";
import { PENALTY } from "../graph/masks.js";
import { holdsForEnough } from "../rules/certain-keep.js";
import { tellsDropped } from "../rules/implied-mask.js";
import { keepsAll } from "../rules/no-op-filters.js";
import { usesFalling } from "../rules/order-facts.js";
import { add, asColumn, mul, node, scale, sub, unary } from "../table/arith.js";
import { dropByLogit, isRanked, narrow } from "./changes.js";
import {
  aliveOf,
  column,
  largestKey,
  levelOf,
  logitKey,
  logitOf,
  rankOf,
  rowNumbers,
  scalar,
} from "../table/columns.js";
import { and, atLeast, greater, holding, larger, or } from "../table/conditions.js";
import { isForOthers } from "./few-tokens.js";
import type { Lowering } from "../table/lowering.js";
import { sum } from "./reduce.js";
import { constant, isConditionValue, isConstant, type NodeValue, type Value } from "../table/value.js";

/**
 * Keeps the rows where `condition` holds. If these are fewer than `m`, the `m` best by logit also stay, or the first `m`
 * of a sorted table.
 */
export function keepRows(cx: Lowering, condition: Value, m: Value): void {
  if (keepsAll(cx, condition)) return;
  const minimum = m.range.hi <= 1 ? constant(1) : m.range.lo >= 1 ? m : larger(cx, m, constant(1));
  if (holdsForEnough(cx, condition, minimum)) return narrowTo(cx, condition, false);

  // all rows or none: the best rows stay either way
  const isOrdered = isRanked(cx);
  const isPrefix = condition.kind === "uniform" || (isOrdered && cx.table.isPacked && usesFalling(cx, condition.facts));
  if (isPrefix) return narrowTo(cx, or(cx, bestOf(cx, minimum), condition), false);

  const isOne = isConstant(minimum) && minimum.expr <= 1;
  if (isOne && !isOrdered) {
    if (!dropsFewTokens(cx, condition)) narrowTo(cx, withBest(cx, condition), true);
    return;
  }

  // `or` below clamps, and for the best row it suffices that some row is met
  const kept = isOne ? holding(cx, condition) : condition;
  const met = asColumn(cx, and(cx, aliveOf(cx), kept), cx.table.dim);
  const stay = and(cx, bestOf(cx, minimum), aliveOf(cx));
  narrowTo(cx, or(cx, met, mul(cx, stay, greater(cx, minimum, sum(cx, met)))), true);
}

/** The rows where `condition` holds, or the best row: that row alone is written, so that other rows cost nothing. */
function withBest(cx: Lowering, condition: Value): NodeValue {
  const alive = aliveOf(cx);
  const met = asColumn(cx, and(cx, alive, condition), cx.table.dim);
  const row = bestRow(cx);
  const at = (column: NodeValue): NodeValue =>
    scalar(cx, emit(cx.builder, "get_rows", [column.id, row], {}, { range: I.UNIT }));
  // one of the summands is 0
  const stays = add(cx, at(met), and(cx, at(alive), greater(cx, constant(1), sum(cx, met)))) as NodeValue;
  return column(cx, emit(cx.builder, "set_rows", [met.id, stays.id, row], {}, { range: I.UNIT }));
}

/**
 * Drops the rows where `condition` does not hold, if these are of a sparse feature's tokens: their logits fall below those of all
 * other rows, and the best of them rises again if no other row is left. So no column but the logits changes.
 */
function dropsFewTokens(cx: Lowering, condition: Value): boolean {
  if (cx.table.mask || condition.kind === "uniform" || !isConditionValue(condition)) return false;
  if (!isForOthers(cx, condition.id, 1)) return false;
  const logit = logitOf(cx);
  const { gap } = logit.facts;
  if (!tellsDropped(cx, gap)) return false;
  const level = levelOf(cx, gap);
  const after = node(cx, "add", [logit, scale(cx, condition, PENALTY, -PENALTY) as NodeValue]);
  const best = bestRow(cx);
  const at = (from: NodeValue, row: NodeId): NodeValue => scalar(cx, emit(cx.builder, "get_rows", [from.id, row]));
  const highest = at(after, emit(cx.builder, "argmax", [after.id]));
  const isAnyLeft = unary(cx, "step", scale(cx, highest, 1, -level) as NodeValue);
  const before = at(logit, best);
  const stays = add(cx, before, mul(cx, sub(cx, at(after, best), before), isAnyLeft)) as NodeValue;
  const highestDropped = Math.max(gap.highestDropped, after.range.hi - PENALTY);
  const left = { ...gap, highestDropped, size: Math.min(gap.size, gap.lowest - highestDropped) };
  const id = emit(cx.builder, "set_rows", [after.id, stays.id, best], {}, { range: after.range });
  dropByLogit(cx, column(cx, id), left, level);
  return true;
}

const bestRow = (cx: Lowering): NodeId => emit(cx.builder, "argmax", [largestKey(cx).id]);

function narrowTo(cx: Lowering, condition: Value, isFull: boolean): void {
  if (keepsAll(cx, condition)) return;
  const mask = asColumn(cx, condition, cx.table.dim);
  narrow(cx, { ...mask, range: I.clampTo(mask.range, 0, 1) }, isFull);
}

/** Mask of the `m` best rows (may include dropped ones): the first `m` if the table is sorted, else the `m` largest logits. */
function bestOf(cx: Lowering, m: Value): NodeValue {
  if (isRanked(cx)) return asColumn(cx, greater(cx, m, rankOf(cx)), cx.table.dim);
  const { dim } = cx.table;
  const zeros = emit(cx.builder, "fill", [], { value: 0, dim });
  if (isConstant(m) && m.expr <= 1) {
    const one = cx.uniform(constant(1));
    return column(cx, emit(cx.builder, "set_rows", [zeros, one, bestRow(cx)], {}, { range: I.UNIT }));
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
