/** `pick`: the row that becomes the token. */
import { emit } from "../graph/build.js";
import type { NodeId } from "../graph/graph.js";
import type { Interval } from "../graph/interval.js";
import { canPickByRatio, pickByRatio } from "../optimize/ratio-pick.js";
import { unnormalisedSelection, weightsOf } from "../optimize/unnormalised-selection.js";
import { add, asColumn, asNode, div, mul, neg, unary } from "./arith.js";
import type { Context, Picked } from "./context.js";
import { cumsum, sum } from "./reduce.js";
import { keyOf, logitKey, logitOf, probOf, scalar } from "./table.js";
import type { HostValue, NodeValue, Value } from "./value.js";

/** The sum of weights: at least the best row's share, 1 / V, at most 1 but for rounding. */
const TOTAL: Interval = { lo: 2 ** -25, hi: 2 };

/**
 * The first row whose running sum of weights reaches `draw` times the last running sum: the sum's own last value, so that
 * rounding can not carry a draw past the end. Rows of weight 0 before the first other one are below any draw.
 */
export function pickSample(cx: Context, draw: HostValue): Picked {
  const weights = weightsOf(cx, unnormalisedSelection);
  const running = cumsum(cx, weights);
  const total = scalar(cx, emit(cx.builder, "view", [running.id], { offset: -1, count: 1 }, { range: TOTAL }));
  const row = canPickByRatio(cx, weights)
    ? pickByRatio(cx, weights, running, total, draw)
    : pickByCount(cx, running, mul(cx, total, draw));
  return { row, token: tokenAt(cx, row), drawn: { weights, total } };
}

/** As many rows as lie below the threshold come before the row. */
function pickByCount(cx: Context, running: NodeValue, threshold: Value): NodeId {
  const isBelow = unary(cx, "step", asNode(cx, add(cx, neg(cx, running), threshold)));
  const below = sum(cx, { ...isBelow, facts: { isZeroDropped: true } });
  return emit(cx.builder, "cast", [below.id], { to: "i32" });
}

/** The row of the largest value among the rows left. */
export function pickArgmax(cx: Context, value: Value): Picked {
  const column = asColumn(cx, value, cx.table.dim);
  const key: NodeValue = column.id === logitOf(cx).id ? logitKey(cx) : keyOf(cx, column);
  const row = emit(cx.builder, "argmax", [key.id]);
  return { row, token: tokenAt(cx, row) };
}

/** The token id of a row. */
function tokenAt(cx: Context, row: NodeId): NodeId {
  const { ids } = cx.table;
  return ids === undefined ? row : emit(cx.builder, "get_rows", [ids, row], {}, { name: "token" });
}

/** The value of a column in the picked row; a scalar is the same for every row. */
export function pickedValue(cx: Context, value: Value): Value {
  if (value.kind === "host" || !value.isColumn) return value;
  return scalar(cx, emit(cx.builder, "get_rows", [value.id, rowOf(cx)]));
}

/** The probability of the picked row: its weight by the sum of all. */
export function pickedProb(cx: Context): Value {
  const row = rowOf(cx);
  const drawn = cx.picked?.drawn;
  if (!drawn || drawn.weights.id === cx.table.cache.get("prob")?.id) return pickedValue(cx, probOf(cx));
  return div(cx, scalar(cx, emit(cx.builder, "get_rows", [drawn.weights.id, row])), drawn.total);
}

function rowOf({ picked }: Context): NodeId {
  if (!picked) throw new Error("`picked` before the pick passed the checker");
  return picked.row;
}
