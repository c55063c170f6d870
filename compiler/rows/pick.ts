/** `pick`: the row that becomes the token. */
import { emit } from "../graph/build.js";
import type { NodeId } from "../graph/graph.js";
import { UNIT, type Interval } from "../graph/interval.js";
import { canPickByRatio, pickByRatio } from "../rules/ratio-pick.js";
import { usesFalling } from "../rules/order-facts.js";
import { selectionWeights } from "../rules/unnormalised-selection.js";
import { add, asColumn, asNode, div, mul, neg, unary } from "../table/arith.js";
import type { Lowering, Picked } from "../table/lowering.js";
import { cumsum, sum } from "./reduce.js";
import { keyOf, logitKey, logitOf, probOf, rowNumbers, scalar } from "../table/columns.js";
import { unchecked } from "../table/unchecked.js";
import { constant, uniformOp, type UniformValue, type NodeValue, type Value } from "../table/value.js";

/** The sum of weights: at least 1 / V, the best row's share, and at most 1 apart from rounding. */
const TOTAL: Interval = { lo: 2 ** -25, hi: 2 };

/**
 * Draws are clamped to this, 16 ulp below 1. If a device sums in parts, the last prefix sums, also of dropped rows, are a few
 * ulp above or below that of the last row left.
 */
const HIGHEST_DRAW = 1 - 2 ** -20;

/**
 * The first row with nonzero weight whose prefix sum reaches `draw` times the last prefix sum. On some devices prefix sums are
 * not monotonic, and rows of zero weight may change them, so no way of picking relies on either.
 */
export function pickSample(cx: Lowering, draw: UniformValue): Picked {
  const weights = selectionWeights(cx);
  const running = cumsum(cx, weights);
  const total = scalar(cx, emit(cx.builder, "view", [running.id], { offset: -1, count: 1 }, { range: TOTAL }));
  const threshold = mul(cx, total, uniformOp("min", draw, constant(HIGHEST_DRAW))) as NodeValue;
  const pick = canPickByRatio(cx, weights) ? pickByRatio : usesFalling(cx, weights.facts) ? pickByCount : pickFirst;
  const row = pick(cx, weights, running, threshold);
  return { row, token: tokenAt(cx, row), drawn: { weights, total } };
}

/** The index is the number of rows below the threshold. Rows of zero weight come last, above the threshold. */
function pickByCount(cx: Lowering, _: NodeValue, running: NodeValue, threshold: NodeValue): NodeId {
  const isBelow = unary(cx, "step", asNode(cx, add(cx, neg(cx, running), threshold)));
  const below = sum(cx, { ...isBelow, facts: { isZeroDropped: true } });
  return emit(cx.builder, "cast", [below.id], { to: "i32" });
}

/** Larger than any row index. */
const PLACES = 2 ** 24;

/**
 * The first row with nonzero weight that reaches the threshold. `p / (c - threshold)` is positive only for such rows: infinite
 * if c = threshold; for zero weight it is 0 or 0 / 0, neither of which is positive.
 */
function pickFirst(cx: Lowering, weights: NodeValue, running: NodeValue, threshold: NodeValue): NodeId {
  const over = emit(cx.builder, "sub", [running.id, threshold.id]);
  const ratio = emit(cx.builder, "div", [weights.id, over]);
  const reaches = emit(cx.builder, "step", [ratio], {}, { range: UNIT });
  const lifted = emit(cx.builder, "scale", [reaches], { s: PLACES, b: 0 });
  return emit(cx.builder, "argmax", [emit(cx.builder, "sub", [lifted, rowNumbers(cx).id])]);
}

/** The index of the largest value over the rows left. */
export function pickArgmax(cx: Lowering, value: Value): Picked {
  const column = asColumn(cx, value, cx.table.dim);
  const key: NodeValue = column.id === logitOf(cx).id ? logitKey(cx) : keyOf(cx, column);
  const row = emit(cx.builder, "argmax", [key.id]);
  return { row, token: tokenAt(cx, row) };
}

/** The token id of a row. */
function tokenAt(cx: Lowering, row: NodeId): NodeId {
  const { ids } = cx.table;
  return ids === undefined ? row : emit(cx.builder, "get_rows", [ids, row], {}, { name: "token" });
}

/** The value of a column in the picked row; a scalar is the same for every row. */
export function pickedValue(cx: Lowering, value: Value): Value {
  if (value.kind === "uniform" || !value.isColumn) return value;
  return scalar(cx, emit(cx.builder, "get_rows", [value.id, rowOf(cx)]));
}

/** The probability of the picked row: its weight divided by the sum of weights. */
export function pickedProb(cx: Lowering): Value {
  const row = rowOf(cx);
  const drawn = cx.picked?.drawn;
  if (!drawn || drawn.weights.id === cx.table.cache.get("prob")?.id) return pickedValue(cx, probOf(cx));
  return div(cx, scalar(cx, emit(cx.builder, "get_rows", [drawn.weights.id, row])), drawn.total);
}

const rowOf = (cx: Lowering): NodeId => pickedOf(cx).row;

/** The picked token's id as a number. */
export const pickedId = (cx: Lowering): NodeValue => ({
  ...scalar(cx, emit(cx.builder, "cast", [pickedToken(cx)], { to: "f32" })),
  range: { lo: 0, hi: 2 ** 24 },
});

/** The picked token's id. */
export const pickedToken = (cx: Lowering): NodeId => pickedOf(cx).token;

const pickedOf = ({ picked }: Lowering): Picked => picked ?? unchecked("`picked` before the pick");
