/** Conditions, 1 for true and 0 for false, and selections by them: comparisons, `and`, `or`, `? :`, binary `min` and `max`. */
import { emit } from "../graph/build.js";
import * as I from "../graph/interval.js";
import type { Interval } from "../graph/interval.js";
import { add, clamp, mul, neg, scale, sub, unary } from "./arith.js";
import type { Lowering } from "./lowering.js";
import { LIFT } from "../graph/masks.js";
import {
  constant,
  uniformOp,
  isConditionValue,
  isConstant,
  type Facts,
  type UniformValue,
  type NodeValue,
  type Value,
} from "./value.js";

export function not(cx: Lowering, c: Value): Value {
  return c.kind === "uniform" ? uniformOp("not", c) : asCondition(scale(cx, c, -1, 1), c);
}

/** A result that is a condition if its operands are. */
const asCondition = (result: Value, ...operands: readonly Value[]): Value =>
  result.kind === "node" && operands.every(isConditionValue) ? withFacts(result, { isCondition: true }) : result;

/** a > b */
export function greater(cx: Lowering, a: Value, b: Value): Value {
  if (a.kind === "uniform" && b.kind === "uniform") return uniformOp("gt", a, b);
  if (a.range.lo > b.range.hi) return constant(1);
  if (a.range.hi <= b.range.lo) return constant(0);
  const condition = unary(cx, "step", difference(cx, a, b));
  return withFacts(condition, { holdsSomewhere: firstRowHolds(a, b, true) });
}

/** a >= b */
export function atLeast(cx: Lowering, a: Value, b: Value): Value {
  if (a.kind === "uniform" && b.kind === "uniform") return uniformOp("ge", a, b);
  if (a.range.lo >= b.range.hi) return constant(1);
  if (a.range.hi < b.range.lo) return constant(0);
  const condition = isNotBelow(cx, a, b);
  const reachesMax = a.kind === "node" && b.kind === "node" && b.facts.atMostMaxOf === a.id;
  return withFacts(condition, {
    holdsForMaxOf: reachesMax ? a.id : undefined,
    holdsSomewhere: reachesMax || firstRowHolds(a, b, false),
  });
}

/**
 * a >= b by a step, which is strict: a uniform value is moved to the adjacent f32; a difference of 0 is lifted above 0.
 */
function isNotBelow(cx: Lowering, a: Value, b: Value): NodeValue {
  if (b.kind === "uniform") return unary(cx, "step", difference(cx, a, uniformOp("below", b)));
  if (a.kind === "uniform") return unary(cx, "step", difference(cx, uniformOp("above", a), b));
  const { id, ...rest } = difference(cx, a, b);
  const lifted = emit(cx.builder, "scale", [id], LIFT);
  return unary(cx, "step", { ...rest, id: lifted, range: I.ANY });
}

/** a - b for its sign: the difference of finite numbers may overflow, and the sign needs no clamp. */
function difference(cx: Lowering, a: Value, b: Value): NodeValue {
  const d = sub(cx, a, b) as NodeValue;
  const { op, inputs, attrs } = cx.builder.nodes[d.id]!;
  return op === "clamp" && attrs["hi"] === I.F32_MAX ? { ...d, id: inputs[0]! } : d;
}

/** Whether the comparison is certain in the first row of the table, by its `first` facts. */
function firstRowHolds(a: Value, b: Value, isStrict: boolean): boolean {
  const hasFirst = (v: Value): boolean => v.kind === "node" && v.facts.first !== undefined;
  if (!hasFirst(a) && !hasFirst(b)) return false;
  const first = (v: Value): Interval => (v.kind === "node" && v.facts.first) || v.range;
  return isStrict ? first(a).lo > first(b).hi : first(a).lo >= first(b).hi;
}

export function equal(cx: Lowering, a: Value, b: Value): Value {
  if (a.kind === "uniform" && b.kind === "uniform") return uniformOp("eq", a, b);
  if (a.range.hi < b.range.lo || a.range.lo > b.range.hi) return constant(0);
  if (isConditionValue(a) && isConditionValue(b)) return not(cx, unequal(cx, a, b));
  const d = difference(cx, a, b);
  return not(cx, unary(cx, "step", d.range.lo >= 0 ? d : unary(cx, "abs", d)));
}

/** a != b */
export function unequal(cx: Lowering, a: Value, b: Value): Value {
  const areConditions = isConditionValue(a) && isConditionValue(b);
  if (!areConditions || (a.kind === "uniform" && b.kind === "uniform")) return not(cx, equal(cx, a, b));
  if (isConstant(a)) return a.expr === 0 ? b : not(cx, b);
  if (isConstant(b)) return b.expr === 0 ? a : not(cx, a);
  return asCondition(unary(cx, "abs", difference(cx, a, b)), a, b);
}

export function and(cx: Lowering, a: Value, b: Value): Value {
  if (a.kind === "uniform" && b.kind === "uniform") return uniformOp("and", a, b);
  if (a.range.lo >= 1) return b;
  if (b.range.lo >= 1) return a;
  if (a.range.hi <= 0 || b.range.hi <= 0) return constant(0);
  return asCondition(mul(cx, a, b), a, b);
}

export function or(cx: Lowering, a: Value, b: Value): Value {
  if (a.kind === "uniform" && b.kind === "uniform") return uniformOp("or", a, b);
  if (a.range.lo >= 1 || b.range.lo >= 1) return constant(1);
  if (a.range.hi <= 0) return b;
  if (b.range.hi <= 0) return a;
  const either = clamp(cx, add(cx, holding(cx, a), holding(cx, b)), 0, 1) as NodeValue;
  const holds = (v: Value): boolean => v.kind === "node" && v.facts.holdsSomewhere === true;
  const isCondition = isConditionValue(a) && isConditionValue(b);
  return withFacts(either, { holdsSomewhere: holds(a) || holds(b), isCondition });
}

/** How many of the conditions that `or` joins in `c` hold, for uses that only need whether any does. */
export function holding(cx: Lowering, c: Value): Value {
  if (c.kind === "uniform") return c;
  const { op, inputs } = cx.builder.nodes[c.id]!;
  // only `or` clamps conditions
  return op === "clamp" ? { ...c, id: inputs[0]!, range: cx.builder.ranges[inputs[0]!]!, facts: {} } : c;
}

/** `c ? a : b`; both are computed, and finite values make the blend exact. */
export function select(cx: Lowering, c: Value, a: Value, b: Value): Value {
  if (c.range.lo >= 1) return a;
  if (c.range.hi <= 0) return b;
  if (c.kind === "uniform" && a.kind === "uniform" && b.kind === "uniform") return uniformOp("select", c, a, b);
  if (a.kind === b.kind && (a.kind === "node" ? a.id === (b as NodeValue).id : a.expr === (b as UniformValue).expr))
    return a;
  const blend = add(cx, mul(cx, a, c), mul(cx, b, not(cx, c)));
  if (blend.kind === "uniform") return blend;
  const trend =
    !isColumnValue(c) && a.kind === "node" && b.kind === "node" && a.facts.trend === b.facts.trend
      ? a.facts.trend
      : undefined;
  const isCondition = [c, a, b].every(isConditionValue);
  const choice = c.kind === "node" && c.isColumn ? { choice: { condition: c, then: a, otherwise: b } } : {};
  return {
    ...blend,
    range: I.union(a.range, b.range),
    facts: { trend, ...(isCondition && { isCondition }), ...choice },
  };
}

const isColumnValue = (v: Value): boolean => v.kind === "node" && v.isColumn;

const withFacts = (v: NodeValue, facts: Facts): NodeValue => ({ ...v, facts: { ...v.facts, ...facts } });

export function larger(cx: Lowering, a: Value, b: Value): Value {
  if (a.kind === "uniform" && b.kind === "uniform") return uniformOp("max", a, b);
  if (a.range.lo >= b.range.hi) return a;
  if (b.range.lo >= a.range.hi) return b;
  if (isConstant(b)) return clamp(cx, a, b.expr, I.F32_MAX);
  if (isConstant(a)) return clamp(cx, b, a.expr, I.F32_MAX);
  const either = select(cx, greater(cx, a, b), a, b);
  return { ...either, range: I.interval(Math.max(a.range.lo, b.range.lo), Math.max(a.range.hi, b.range.hi)) };
}

export function smaller(cx: Lowering, a: Value, b: Value): Value {
  if (a.kind === "uniform" && b.kind === "uniform") return uniformOp("min", a, b);
  if (a.range.hi <= b.range.lo) return a;
  if (b.range.hi <= a.range.lo) return b;
  if (isConstant(b)) return clamp(cx, a, -I.F32_MAX, b.expr);
  if (isConstant(a)) return clamp(cx, b, -I.F32_MAX, a.expr);
  return neg(cx, larger(cx, neg(cx, a), neg(cx, b)));
}
