/**
 * Elementwise arithmetic on values. Each function emits the fewest nodes that are correct on every device: uniform values
 * fold, a scalar operand comes second (ggml broadcasts only the second operand), results that could overflow f32 are
 * clamped, and facts of the operands are propagated.
 */
import { emit } from "../graph/build.js";
import type { Dim, NodeId } from "../graph/graph.js";
import * as I from "../graph/interval.js";
import type { Interval } from "../graph/interval.js";
import type { UniformOp } from "../graph/uniformOps.js";
import { opRule, resultRange, type OpName } from "../graph/ops.js";
import { shiftedGap, stretchedGap, type Gap } from "./gap.js";
import type { Lowering } from "./lowering.js";
import { constant, uniformOp, isConstant, NO_FACTS, type Facts, type NodeValue, type Value } from "./value.js";

/** Whether every number of a range is finite after rounding to f32. */
const isFinite = ({ lo, hi }: Interval): boolean =>
  Number.isFinite(Math.fround(lo)) && Number.isFinite(Math.fround(hi));

/** Wraps a node; clamps a result that can overflow. */
export function node(
  cx: Lowering,
  op: OpName,
  operands: readonly NodeValue[],
  attrs: Record<string, number | string> = {},
  facts: Facts = NO_FACTS,
  known?: Interval,
): NodeValue {
  const ids = operands.map((v) => v.id);
  // a value can have tighter bounds than the node that computes it
  const ranges = operands.map((v) => v.range);
  const range = known ?? resultRange(op, ranges, attrs);
  let id = emit(cx.builder, op, ids, attrs, { range });
  if (!isFinite(cx.builder.ranges[id]!)) id = emit(cx.builder, "clamp", [id], { lo: -I.F32_MAX, hi: I.F32_MAX });
  const isColumn = operands.some((v) => v.isColumn);
  return { kind: "node", id, isColumn, range: cx.builder.ranges[id]!, facts };
}

/** A value as a node; a uniform value is added to the uniforms. */
export function asNode(cx: Lowering, v: Value): NodeValue {
  if (v.kind === "node") return v;
  return { kind: "node", id: cx.uniform(v), isColumn: false, range: v.range, facts: NO_FACTS };
}

/** The node of a scalar that the host reads: a uniform value is computed by the graph. */
export const scalarNode = (cx: Lowering, v: Value): NodeId =>
  v.kind === "node" ? v.id : emit(cx.builder, "scale", [cx.uniform(v)], { s: 1, b: 0 });

/** A value as a column with the table's dim. */
export function asColumn(cx: Lowering, v: Value, dim: Dim): NodeValue {
  if (v.kind === "node" && v.isColumn) return v;
  if (isConstant(v)) {
    const id = emit(cx.builder, "fill", [], { value: v.expr, dim });
    return { kind: "node", id, isColumn: true, range: v.range, facts: NO_FACTS };
  }
  const id = emit(cx.builder, "repeat", [asNode(cx, v).id], { dim });
  return { kind: "node", id, isColumn: true, range: v.range, facts: NO_FACTS };
}

const flip = (t: Facts["trend"]): Facts["trend"] => (t === "falls" ? "rises" : t === "rises" ? "falls" : undefined);
/** The trend of a value; scalars are level, which is compatible with any trend. */
const trendOf = (v: Value): Facts["trend"] | "level" => (v.kind === "node" && v.isColumn ? v.facts.trend : "level");

/** The trend of a sum of two values. */
function sumTrend(a: Facts["trend"] | "level", b: Facts["trend"] | "level"): Facts["trend"] {
  if (a === "level") return b === "level" ? undefined : b;
  return b === "level" || a === b ? a : undefined;
}

/** s * x + b for constants s and b. */
export function scale(cx: Lowering, x: Value, s: number, b: number): Value {
  if (s === 1 && b === 0) return x;
  if (x.kind === "uniform") return uniformOp("add", uniformOp("mul", x, constant(s)), constant(b));
  if (s === 0) return constant(b);
  const { trend, isZeroDropped = false, atMostMaxOf } = x.facts;
  return node(
    cx,
    "scale",
    [x],
    { s, b },
    {
      trend: s > 0 ? trend : flip(trend),
      isZeroDropped: isZeroDropped && b === 0,
      gap: shifted(stretched(x.facts.gap, I.point(s)), I.point(b), false),
      atMostMaxOf: b <= 0 && (s === 1 || (s >= 0 && s < 1 && x.range.lo >= 0)) ? atMostMaxOf : undefined,
    },
  );
}

/** -x; for a difference of two columns the operands are swapped. */
export function neg(cx: Lowering, x: Value): Value {
  if (x.kind === "uniform") return uniformOp("neg", x);
  const { op, inputs } = cx.builder.nodes[x.id]!;
  const [a, b] = inputs as [number, number];
  const isColumns = op === "sub" && cx.builder.nodes[a]!.dim === cx.builder.nodes[b]!.dim;
  if (!isColumns) return scale(cx, x, -1, 0);
  const id = emit(cx.builder, "sub", [b, a], {}, { range: I.interval(-x.range.hi, -x.range.lo) });
  return { ...x, id, range: cx.builder.ranges[id]!, facts: { trend: flip(x.facts.trend) } };
}

export function add(cx: Lowering, a: Value, b: Value): Value {
  if (a.kind === "uniform" && b.kind === "uniform") return uniformOp("add", a, b);
  if (isConstant(a)) return scale(cx, b, 1, a.expr);
  if (isConstant(b)) return scale(cx, a, 1, b.expr);
  const [x, y] = columnFirst(cx, a, b);
  return node(
    cx,
    "add",
    [x, y],
    {},
    {
      trend: sumTrend(trendOf(x), trendOf(y)),
      gap: shifted(x.facts.gap, y.range, y.isColumn),
      atMostMaxOf: !y.isColumn && y.range.hi <= 0 ? x.facts.atMostMaxOf : undefined,
    },
  );
}

export function sub(cx: Lowering, a: Value, b: Value): Value {
  if (a.kind === "uniform" && b.kind === "uniform") return uniformOp("sub", a, b);
  if (b.kind === "uniform") return add(cx, a, neg(cx, b));
  if (isConstant(a)) return scale(cx, b, -1, a.expr);
  if (b.isColumn && !(a.kind === "node" && a.isColumn)) return add(cx, neg(cx, b), a);
  const x = asNode(cx, a);
  const trendB = trendOf(b);
  const trend = sumTrend(trendOf(x), trendB === "level" ? "level" : flip(trendB));
  const atMostMaxOf = !b.isColumn && b.range.lo >= 0 ? x.facts.atMostMaxOf : undefined;
  const gap = shifted(x.facts.gap, I.neg(b.range), b.isColumn);
  if (x.facts.cumsumOf !== b.id) return node(cx, "sub", [x, b], {}, { trend, gap, atMostMaxOf });
  // an exclusive prefix sum: 0 in the first row
  const first = cx.table.isPacked ? { first: I.point(0) } : NO_FACTS;
  return node(cx, "sub", [x, b], {}, { trend, ...first });
}

const shifted = (gap: Gap | undefined, by: Interval, isColumn: boolean): Gap | undefined =>
  gap && shiftedGap(gap, by, isColumn);

const stretched = (gap: Gap | undefined, by: Interval): Gap | undefined => gap && stretchedGap(gap, by);

export function mul(cx: Lowering, a: Value, b: Value): Value {
  if (a.kind === "uniform" && b.kind === "uniform") return uniformOp("mul", a, b);
  if (isConstant(a)) return scale(cx, b, a.expr, 0);
  if (isConstant(b)) return scale(cx, a, b.expr, 0);
  const [x, y] = columnFirst(cx, a, b);
  return node(cx, "mul", [x, y], {}, productFacts(x, y));
}

function productFacts(x: NodeValue, y: NodeValue): Facts {
  const isFraction = !x.isColumn && !y.isColumn && I.isWithin(x.range, 0, 1) && I.isWithin(y.range, 0, 1);
  const isZeroDropped = x.facts.isZeroDropped === true || (y.isColumn && y.facts.isZeroDropped === true);
  return {
    trend: productTrend(x, y),
    isZeroDropped,
    atMostMaxOf: isFraction ? (x.facts.atMostMaxOf ?? y.facts.atMostMaxOf) : undefined,
    gap: y.isColumn ? undefined : stretched(x.facts.gap, y.range),
  };
}

function productTrend(x: NodeValue, y: NodeValue): Facts["trend"] {
  if (!y.isColumn) return y.range.lo >= 0 ? x.facts.trend : y.range.hi <= 0 ? flip(x.facts.trend) : undefined;
  return x.range.lo >= 0 && y.range.lo >= 0 && x.facts.trend === y.facts.trend ? x.facts.trend : undefined;
}

/** x / y, where a divisor of 0 counts as the smallest normal number. */
export function div(cx: Lowering, a: Value, b: Value): Value {
  if (a.kind === "uniform" && b.kind === "uniform") return uniformOp("div", a, b);
  if (isConstant(b) && b.expr === 1) return a;
  const divisor = nonZero(cx, b);
  if (b.kind === "node" && b.isColumn) return node(cx, "div", [asColumn(cx, a, cx.table.dim), asNode(cx, divisor)]);
  const x = asNode(cx, a);
  const y = asNode(cx, divisor);
  const trend = y.range.lo > 0 ? x.facts.trend : y.range.hi < 0 ? flip(x.facts.trend) : undefined;
  const gap = stretched(x.facts.gap, I.div(I.point(1), y.range));
  return node(cx, "div", [x, y], {}, { trend, gap, isZeroDropped: x.facts.isZeroDropped === true });
}

function nonZero(cx: Lowering, y: Value): Value {
  if (y.range.lo >= I.F32_MIN || y.range.hi <= -I.F32_MIN) return y;
  if (y.kind === "uniform") {
    // the graph reads it as f32, where a smaller number is 0
    const isZero = uniformOp("gt", constant(I.F32_MIN), uniformOp("abs", y));
    const { expr } = uniformOp("select", isZero, constant(I.F32_MIN), y);
    const range = y.range.lo >= 0 ? I.interval(I.F32_MIN, Math.max(y.range.hi, I.F32_MIN)) : y.range;
    return { kind: "uniform", expr, range };
  }
  // dividing by a subnormal number may give infinity
  if (y.range.lo >= 0) return clamp(cx, y, I.F32_MIN, I.F32_MAX);
  const isZero = scale(cx, unary(cx, "step", unary(cx, "abs", y)), -I.F32_MIN, I.F32_MIN);
  return add(cx, y, isZero);
}

type UnaryOp =
  "abs" | "sgn" | "step" | "exp" | "log" | "sqrt" | "sqr" | "sigmoid" | "tanh" | "floor" | "ceil" | "round";

export const unary = (cx: Lowering, op: UnaryOp, x: NodeValue): NodeValue =>
  node(
    cx,
    op,
    [x],
    {},
    { trend: opRule(op).isRising ? x.facts.trend : undefined, ...(op === "step" && { isCondition: true }) },
  );

/** A function of one number with the same name as uniform operation and as ggml op. */
export const mapped = (cx: Lowering, name: UnaryOp & UniformOp, x: Value): Value =>
  x.kind === "uniform" ? uniformOp(name, x) : unary(cx, name, x);

/** The square root; 0 for a negative x. */
export const sqrt = (cx: Lowering, x: Value): Value =>
  x.kind === "uniform" ? uniformOp("sqrt", x) : unary(cx, "sqrt", clamp(cx, x, 0, I.F32_MAX) as NodeValue);

export function clamp(cx: Lowering, x: Value, lo: number, hi: number): Value {
  if (I.isWithin(x.range, lo, hi)) return x;
  if (x.kind === "uniform") return uniformOp("clamp", x, constant(lo), constant(hi));
  const { op, attrs, inputs } = cx.builder.nodes[x.id]!;
  const isWider = op === "clamp" && (attrs["lo"] as number) <= lo && (attrs["hi"] as number) >= hi;
  return node(cx, "clamp", [isWider ? { ...x, id: inputs[0]! } : x], { lo, hi }, { trend: x.facts.trend });
}

/** log(x) with log(0) the lowest finite number. */
export const log = (cx: Lowering, x: Value): Value => (x.kind === "uniform" ? uniformOp("log", x) : logOf(cx, x));

/** log2(x) with log2(0) the lowest finite number. */
export const log2 = (cx: Lowering, x: Value): Value =>
  x.kind === "uniform" ? uniformOp("log2", x) : logOf(cx, x, Math.LOG2E);

/** The natural logarithm divided by `unit`. */
function logOf(cx: Lowering, x: NodeValue, unit = 1): Value {
  const positive = clamp(cx, x, 0, I.F32_MAX) as NodeValue;
  const raw = emit(cx.builder, "log", [positive.id]);
  const scaled = unit === 1 ? raw : emit(cx.builder, "scale", [raw], { s: unit, b: 0 });
  const id = isFinite(cx.builder.ranges[scaled]!)
    ? scaled
    : emit(cx.builder, "clamp", [scaled], { lo: -I.F32_MAX, hi: I.F32_MAX });
  return {
    kind: "node",
    id,
    isColumn: positive.isColumn,
    range: cx.builder.ranges[id]!,
    facts: { trend: positive.facts.trend },
  };
}

// ---------------------------------------------------------------- derived

/** x - y * floor(x / y) */
export function mod(cx: Lowering, x: Value, y: Value): Value {
  if (x.kind === "uniform" && y.kind === "uniform") return uniformOp("mod", x, y);
  return sub(cx, x, mul(cx, nonZero(cx, y), mapped(cx, "floor", div(cx, x, y))));
}

/** Both operands as nodes, columns first. */
function columnFirst(cx: Lowering, a: Value, b: Value): [NodeValue, NodeValue] {
  const [x, y] = [asNode(cx, a), asNode(cx, b)];
  return y.isColumn && !x.isColumn ? [y, x] : [x, y];
}
