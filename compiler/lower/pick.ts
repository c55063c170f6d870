/** `pick`: the row that becomes the token. */
import { emit } from "../graph/build.js";
import type { NodeId } from "../graph/graph.js";
import { add, asColumn, asNode, mul, neg, unary } from "./arith.js";
import type { Context } from "./context.js";
import { cumsum, sum } from "./reduce.js";
import { keyOf, logitKey, logitOf, probOf, scalar } from "./table.js";
import { constant, hostOp, type HostValue, type NodeValue, type Value } from "./value.js";

/** Up to this many rows, running sums in f32 tell every row of some weight from the next. */
const MAX_FEW = 1024;

/**
 * The first row whose running sum of probabilities reaches `draw` times the last running sum: the sum's own last value, so
 * that rounding can not carry a draw past the end. Rows of probability 0 before the first other one are below any draw.
 */
export function pickSample(cx: Context, draw: HostValue): NodeId {
  const prob = probOf(cx);
  const running = cumsum(cx, prob);
  const total = scalar(cx, emit(cx.builder, "view", [running.id], { offset: -1, count: 1 }));
  const { dim } = cx.table;
  if (prob.facts.trend === "falls" && dim !== "V" && dim <= MAX_FEW) return pickByRatio(cx, prob, running, total, draw);
  const threshold = mul(cx, total, draw);
  const isBelow = unary(cx, "step", asNode(cx, add(cx, neg(cx, running), threshold)));
  const below = sum(cx, { ...isBelow, facts: { isZeroDropped: true } });
  return emit(cx.builder, "cast", [below.id], { to: "i32" });
}

/**
 * The same for few rows in falling order, in fewer nodes: p / (c - threshold), with c the running sum of p, is at least 1 in
 * the first row that reaches the threshold, below 1 in later ones, where c - threshold is p and more, and negative before.
 * A draw below 1 keeps dropped rows at the end, with p = 0, from meeting c - threshold = 0.
 */
function pickByRatio(cx: Context, prob: NodeValue, running: NodeValue, total: NodeValue, draw: HostValue): NodeId {
  const threshold = mul(cx, total, hostOp("min", draw, constant(1 - 2 ** -22))) as NodeValue;
  const over = emit(cx.builder, "sub", [running.id, threshold.id]);
  return emit(cx.builder, "argmax", [emit(cx.builder, "div", [prob.id, over])]);
}

/** The row of the largest value among the rows left. */
export function pickArgmax(cx: Context, value: Value): NodeId {
  const column = asColumn(cx, value, cx.table.dim);
  const key: NodeValue = column.id === logitOf(cx).id ? logitKey(cx) : keyOf(cx, column);
  return emit(cx.builder, "argmax", [key.id]);
}

/** The token id of a row. */
export function tokenAt(cx: Context, row: NodeId): NodeId {
  const { ids } = cx.table;
  return ids === undefined ? row : emit(cx.builder, "get_rows", [ids, row], {}, { name: "token" });
}

/** The value of a column in the picked row; a scalar is the same for every row. */
export function pickedValue(cx: Context, value: Value): Value {
  if (value.kind === "host" || !value.isColumn) return value;
  if (!cx.picked) throw new Error("`picked` before the pick passed the checker");
  return scalar(cx, emit(cx.builder, "get_rows", [value.id, cx.picked.row]));
}
