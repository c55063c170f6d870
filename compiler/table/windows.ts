/** Folds over the values of a scalar with the last tokens, that of the present one included. */
import type { WindowFold } from "../graph/graph.js";
import * as I from "../graph/interval.js";
import { add, div, scalarNode } from "./arith.js";
import { larger, smaller } from "./conditions.js";
import type { Lowering } from "./lowering.js";
import { constant, uniformOp, uniformValue, type UniformValue, type Value } from "./value.js";

/** The window over the tokens before the present one; equal windows are shared. */
function windowOf(cx: Lowering, x: Value, size: number): number {
  const next = scalarNode(cx, x);
  const known = cx.windows.findIndex((w) => w.next === next && w.size === size);
  if (known >= 0) return known;
  cx.meter.check("windows", cx.windows.length + 1);
  return cx.windows.push({ name: `window${cx.windows.length}`, size, next }) - 1;
}

/** A fold of the values before the present one, of which there are `last - 1` at most and at least one place. */
function before(cx: Lowering, x: Value, last: number, of: WindowFold): UniformValue {
  const { lo, hi } = x.range;
  const range = of === "sum" ? I.interval(Math.min(0, (last - 1) * lo), Math.max(0, (last - 1) * hi)) : I.FINITE;
  return uniformValue({ window: windowOf(cx, x, last - 1), of }, I.saturated(range));
}

export const sumOver = (cx: Lowering, x: Value, last: number): Value =>
  last === 1 ? x : add(cx, before(cx, x, last, "sum"), x);

export function meanOver(cx: Lowering, x: Value, last: number): Value {
  if (last === 1) return x;
  const step = uniformValue("step", I.interval(0, Infinity));
  const count = uniformOp("add", uniformOp("min", step, constant(last - 1)), constant(1));
  return div(cx, sumOver(cx, x, last), count);
}

export const minOver = (cx: Lowering, x: Value, last: number): Value =>
  last === 1 ? x : smaller(cx, x, before(cx, x, last, "min"));

export const maxOver = (cx: Lowering, x: Value, last: number): Value =>
  last === 1 ? x : larger(cx, x, before(cx, x, last, "max"));
