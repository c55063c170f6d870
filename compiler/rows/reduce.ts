/** Reductions, scans and softmax over the rows left. */
import { emit } from "../graph/build.js";
import type { NodeId } from "../graph/graph.js";
import * as I from "../graph/interval.js";
import { asColumn, clamp, div, log, mul, neg, node, sub, unary } from "../table/arith.js";
import { greater, not, select } from "../table/conditions.js";
import { usesFalling } from "../rules/order-facts.js";
import type { Lowering } from "../table/lowering.js";
import { aliveOf, column, keyOf, largestKey, LOGIT_MAX, logitOf, probOf, rankOf, scalar } from "../table/columns.js";
import { constant, type NodeValue, type Value } from "../table/value.js";

/** A column with 0 in dropped rows. */
function zeroDropped(cx: Lowering, x: NodeValue): NodeValue {
  if (x.facts.isZeroDropped) return x;
  const zeroed = mul(cx, x, aliveOf(cx)) as NodeValue;
  const trend = cx.table.isPacked && x.range.lo >= 0 && x.facts.trend === "falls" ? "falls" : undefined;
  return { ...zeroed, facts: { isZeroDropped: true, trend } };
}

/** Terms of a sum are clamped to plus and minus this, more than any logit: the sum of 2^24 of them is finite. */
const TERM_MAX = 2 ** 103;

/**
 * Clamps terms so that their sum is not NaN on any device, in any order of summation: partial sums of inf and -inf give NaN, and
 * so does an exclusive prefix sum that subtracts an inf again.
 */
const summable = (cx: Lowering, terms: NodeValue): NodeValue => {
  const { id, range } = clamp(cx, terms, -TERM_MAX, TERM_MAX) as NodeValue;
  return { ...terms, id, range };
};

export function sum(cx: Lowering, x: Value): NodeValue {
  const terms = summable(cx, zeroDropped(cx, asColumn(cx, x, cx.table.dim)));
  return { ...node(cx, "sum_rows", [terms]), isColumn: false };
}

/** Number of rows left. */
export function countRows(cx: Lowering): NodeValue {
  const count = sum(cx, aliveOf(cx));
  return { ...count, range: I.interval(1, 2 ** 24) };
}

export function max(cx: Lowering, x: Value): Value {
  // a constant condition may have left one number for all rows
  if (x.kind === "uniform" || !x.isColumn) return x;
  const { isZeroDropped = false } = x.facts;
  if (cx.table.isPacked && usesFalling(cx, x.facts)) return firstRow(cx, x);
  const isMaskedByItself = isZeroDropped && x.range.lo >= 0;
  const key = isMaskedByItself ? x : x.id === logitOf(cx).id ? largestKey(cx) : keyOf(cx, x);
  const row = emit(cx.builder, "argmax", [key.id]);
  return scalar(cx, emit(cx.builder, "get_rows", [x.id, row]), { atMostMaxOf: x.id });
}

function firstRow(cx: Lowering, x: NodeValue): NodeValue {
  const id = emit(cx.builder, "view", [x.id], { offset: 0, count: 1 });
  return scalar(cx, id, { atMostMaxOf: x.id });
}

export const min = (cx: Lowering, x: Value): Value => neg(cx, max(cx, neg(cx, x)));

export const mean = (cx: Lowering, x: Value): Value => (x.kind === "uniform" ? x : div(cx, sum(cx, x), countRows(cx)));

/** Population variance. */
export function variance(cx: Lowering, x: Value): Value {
  if (x.kind === "uniform") return constant(0);
  const deviation = sub(cx, x, mean(cx, x)) as NodeValue;
  return mean(cx, unary(cx, "sqr", deviation));
}

export function standardDeviation(cx: Lowering, x: Value): Value {
  const v = variance(cx, x);
  return v.kind === "uniform" ? v : unary(cx, "sqrt", { ...v, range: I.interval(0, Math.max(v.range.hi, 0)) });
}

export const count = (cx: Lowering, condition: Value): Value => sum(cx, condition);

export const any = (cx: Lowering, condition: Value): Value =>
  condition.kind === "uniform" ? condition : greater(cx, sum(cx, condition), constant(0));

export const all = (cx: Lowering, condition: Value): Value => not(cx, any(cx, not(cx, condition)));

/** Shannon entropy of `prob` in nats; rows with probability 0 contribute 0. */
export function entropy(cx: Lowering): NodeValue {
  const prob = probOf(cx);
  const surprise = log(cx, clamp(cx, prob, I.F32_MIN, 1));
  const terms = mul(cx, surprise, prob) as NodeValue;
  const total = neg(cx, sum(cx, { ...terms, facts: { isZeroDropped: true } })) as NodeValue;
  return { ...total, range: I.interval(0, 20) };
}

/** Prefix sum over the rows left, this row included. */
export function cumsum(cx: Lowering, x: Value): NodeValue {
  const terms = summable(cx, zeroDropped(cx, asColumn(cx, x, cx.table.dim)));
  const trend = terms.range.lo >= 0 ? "rises" : undefined;
  const isSame = x.kind === "node" && terms.id === x.id;
  return node(cx, "cumsum", [terms], {}, { trend, ...(isSame && { cumsumOf: terms.id }) });
}

/** Softmax of any column over the rows left. */
export function softmax(cx: Lowering, x: Value): NodeValue {
  const bounded = clamp(cx, asColumn(cx, x, cx.table.dim), -LOGIT_MAX, LOGIT_MAX) as NodeValue;
  const trend = cx.table.isPacked && bounded.facts.trend === "falls" ? "falls" : undefined;
  return { ...node(cx, "soft_max", [keyOf(cx, bounded)]), facts: { isZeroDropped: true, trend } };
}

/** x - log(sum(exp(x))), shifted by the largest x against overflow. */
export function logSoftmax(cx: Lowering, x: Value): Value {
  const col = asColumn(cx, x, cx.table.dim);
  const shifted = clamp(cx, sub(cx, col, max(cx, col)), -LOGIT_MAX, 0) as NodeValue;
  const total = sum(cx, unary(cx, "exp", shifted));
  return sub(cx, shifted, log(cx, { ...total, range: I.interval(1, 2 ** 24) }));
}

/** The row before (`shift` 1) or after (-1) this one among the rows left; `edge` where there is none. */
export function rowBeside(cx: Lowering, x: Value, edge: Value, shift: 1 | -1): Value {
  const moved = column(cx, shiftRows(cx, asColumn(cx, x, cx.table.dim).id, shift));
  const place = rankOf(cx);
  const lastRow = shift === 1 ? constant(0) : sub(cx, countRows(cx), constant(1));
  const isInside = shift === 1 ? greater(cx, place, lastRow) : greater(cx, lastRow, place);
  return select(cx, isInside, moved, edge);
}

/** Each row left gets the value of its neighbour among the rows left; rows do not move. */
function shiftRows(cx: Lowering, id: NodeId, shift: 1 | -1): NodeId {
  if (cx.table.isPacked) return emit(cx.builder, "roll", [id], { shift });
  const key = keyOf(cx, neg(cx, rankOf(cx)) as NodeValue);
  const rows = emit(cx.builder, "argsort", [key.id], { order: "desc" });
  const packed = emit(cx.builder, "get_rows", [id, rows]);
  const shifted = emit(cx.builder, "roll", [packed], { shift });
  return emit(cx.builder, "set_rows", [id, shifted, rows]);
}
