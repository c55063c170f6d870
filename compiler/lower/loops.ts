/** Folds and `repeat`: the rounds are lowered one after the other. */
import { roundsFault, roundsOf, type Rounds } from "../check/loops.js";
import type { Expr, Fold, Repeat } from "../check/tree.js";
import type { FoldKind } from "../syntax/ast.js";
import type { ChainLowering } from "./chainLowering.js";
import * as A from "../table/arith.js";
import * as C from "../table/conditions.js";
import type { Lowering } from "../table/lowering.js";
import { numberOf } from "../table/unchecked.js";
import { constant, isConstant, isLarge, UniformTooLarge, type UniformValue, type Value } from "../table/value.js";
import { withValues, type Scope } from "./scope.js";

/** Where a loop is, and how its expressions are lowered. */
interface LoopScope {
  readonly scope: Scope;
  readonly lowerExpr: (cx: ChainLowering, scope: Scope, expr: Expr) => Value;
}

/** How two values of a fold become one. */
const JOIN: Readonly<Record<FoldKind, (cx: Lowering, a: Value, b: Value) => Value>> = {
  sum: A.add,
  min: C.smaller,
  max: C.larger,
  any: C.or,
  all: C.and,
};

/** What a fold gives over no values; `min` and `max` are refused. */
const EMPTY: Readonly<Record<FoldKind, number>> = { sum: 0, min: 0, max: 0, any: 0, all: 1 };

/** The rounds of a loop; faults that depend on arguments are reported here, and there are no rounds then. */
function roundsNow(cx: ChainLowering, loop: Fold | Repeat, { scope, lowerExpr }: LoopScope): Rounds {
  const ends = loop.rounds.ends.map((end) => numberOf(lowerExpr(cx, scope, end), "a number of rounds"));
  const fault = roundsFault(loop.rounds, ends);
  if (!fault) return roundsOf(ends);
  cx.diagnostics.push(fault);
  return { from: 1, to: 0 };
}

/** Values known before the graph runs are joined first, by halves; those of the graph in their order, as they are computed. */
export function lowerFold(cx: ChainLowering, fold: Fold, place: LoopScope): Value {
  const { from, to } = roundsNow(cx, fold, place);
  const join = JOIN[fold.how];
  const uniforms: UniformValue[] = [];
  let nodes: Value | undefined;
  for (let i = from; i <= to; i++) {
    const value = place.lowerExpr(cx, withValues(place.scope, [[fold.counter, constant(i)]]), fold.body);
    if (value.kind === "uniform") uniforms.push(value);
    else nodes = nodes ? join(cx, nodes, value) : value;
  }
  const known = joinHalves(uniforms, (a, b) => join(cx, a, b));
  if (nodes && known) return join(cx, nodes, known);
  return nodes ?? known ?? constant(EMPTY[fold.how]);
}

/** Joins by halves, so that an expression is not nested deeper than necessary. */
function joinHalves(values: readonly Value[], join: (a: Value, b: Value) => Value): Value | undefined {
  if (values.length < 2) return values[0];
  const middle = Math.ceil(values.length / 2);
  return join(joinHalves(values.slice(0, middle), join)!, joinHalves(values.slice(middle), join)!);
}

export function lowerRepeat(cx: ChainLowering, repeat: Repeat, place: LoopScope): Value {
  const { from, to } = roundsNow(cx, repeat, place);
  let value = place.lowerExpr(cx, place.scope, repeat.init);
  for (let i = from; i <= to; i++) {
    const counter = repeat.counter ? ([[repeat.counter, constant(i)]] as const) : [];
    const next = (x: Value): Value =>
      place.lowerExpr(cx, withValues(place.scope, [...counter, [repeat.repeated, x]]), repeat.body);
    value = isLarge(value) ? next(A.asNode(cx, value)) : nextOrInGraph(cx, value, next);
  }
  return value;
}

/**
 * A uniform expression has no names for its parts, so it can grow by a factor with each round. Where it becomes too large, the
 * value so far becomes a uniform of its own, and the graph computes the other rounds.
 */
function nextOrInGraph(cx: ChainLowering, value: Value, next: (x: Value) => Value): Value {
  try {
    return next(value);
  } catch (error) {
    if (!(error instanceof UniformTooLarge) || value.kind === "node" || isConstant(value)) throw error;
    return next(A.asNode(cx, value));
  }
}
