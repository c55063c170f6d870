/**
 * What an expression of the source is about, for diagnostics: whether it can be infinite because a constant is, and whether it
 * reads the text or the model's numbers. Lowering itself has only finite numbers, and forgets where columns came from.
 */
import { argsOf, givesOf, type Builtin } from "../builtins/builtin.js";
import { foldBinary } from "../builtins/fold.js";
import { OPERATORS } from "../builtins/operators.js";
import type { Meter } from "../limits/meter.js";
import * as I from "../graph/interval.js";
import type { Interval } from "../graph/interval.js";
import type { BuiltinCall, Expr, FunctionCall, Local } from "../check/tree.js";
import type { BinaryOp } from "../syntax/ast.js";
import type { Value } from "../table/value.js";

export interface About {
  /** Bounds of its values; a bound is infinite only if a constant is. */
  readonly bounds: Interval;
  /** Whether it depends on the text so far. */
  readonly readsText: boolean;
  /** Whether it depends on the candidates: on logits, or on which rows are left. */
  readonly readsRows: boolean;
}

/** What is known of names. */
interface Known {
  /** The values of parameters; only numbers have bounds. */
  readonly values: ReadonlyMap<Local, Value | { readonly kind: "seed" | "text" | "list" | "set" | "grammar" }>;
  /** What each `let` so far is about. */
  readonly abouts: ReadonlyMap<Local, About>;
  readonly meter: Meter;
}

/** Called with each reduction over the rows, and what its argument is about. */
type OnReduction = (call: BuiltinCall, argument: About) => void;

const NUMBER: About = { bounds: I.FINITE, readsText: false, readsRows: false };
export const LOGIT: About = { ...NUMBER, readsRows: true };

/** An infinite constant is clamped to the largest finite number. */
const point = (x: number): Interval => I.point(Math.abs(x) < I.F32_MAX ? x : x < 0 ? -Infinity : Infinity);

/** Finite bounds stay finite: only a constant is infinite, not the sum of two large numbers. */
function bounded(result: Interval, ...operands: readonly Interval[]): Interval {
  const isFinite = operands.every(({ lo, hi }) => Number.isFinite(lo) && Number.isFinite(hi));
  return isFinite ? I.saturated(result) : result;
}

const together = (bounds: Interval, ...parts: readonly About[]): About => ({
  bounds,
  readsText: parts.some((p) => p.readsText),
  readsRows: parts.some((p) => p.readsRows),
});

/** `a op b` */
export function combined(op: string, a: About, b: About): About {
  const [x, y] = [a.bounds, b.bounds];
  const bounds =
    op === "+"
      ? I.add(x, y)
      : op === "-"
        ? I.sub(x, y)
        : op === "*"
          ? I.mul(x, y)
          : (undefined as Interval | undefined);
  return together(bounds ? bounded(bounds, x, y) : I.FINITE, a, b);
}

function compared(op: BinaryOp, a: About, b: About): About {
  const [x, y] = [a.bounds, b.bounds];
  const result = x.lo === x.hi && y.lo === y.hi ? foldBinary(op, x.lo, y.lo) : undefined;
  return together(result === undefined ? I.UNIT : I.point(result), a, b);
}

export function aboutOf(scope: Known, expr: Expr, onReduction: OnReduction): About {
  const of = (e: Expr): About => aboutOf(scope, e, onReduction);
  scope.meter.spend(1);
  switch (expr.kind) {
    case "number":
      return { ...NUMBER, bounds: point(expr.value) };
    case "constant":
      return { ...NUMBER, bounds: point(expr.constant ?? 0) };
    case "local":
      return aboutLocal(scope, expr.local);
    case "builtin":
      return { ...NUMBER, readsRows: expr.builtin.readsRows === true };
    case "unary": {
      const operand = of(expr.operand);
      const { lo, hi } = operand.bounds;
      return together(expr.op === "-" ? I.neg(operand.bounds) : I.interval(1 - hi, 1 - lo), operand);
    }
    case "binary": {
      const [a, b] = [of(expr.left), of(expr.right)];
      return OPERATORS[expr.op].result === "bool" ? compared(expr.op, a, b) : combined(expr.op, a, b);
    }
    case "conditional": {
      const [condition, a, b] = [of(expr.cond), of(expr.then), of(expr.else)];
      const { lo, hi } = condition.bounds;
      return together(lo >= 1 ? a.bounds : hi <= 0 ? b.bounds : I.union(a.bounds, b.bounds), condition, a, b);
    }
    case "call":
      return aboutCall(scope, expr, onReduction);
    case "apply":
      return aboutBody(scope, expr, onReduction);
    case "fold": {
      const body = of(expr.body);
      const isOfConditions = expr.how === "any" || expr.how === "all";
      return { ...body, bounds: isOfConditions ? I.UNIT : I.union(I.FINITE, body.bounds) };
    }
    case "repeat": {
      const init = of(expr.init);
      const before = { ...init, bounds: I.union(I.FINITE, init.bounds) };
      const abouts = new Map([...scope.abouts, [expr.repeated, before]]);
      const body = aboutOf({ ...scope, abouts }, expr.body, onReduction);
      return together(body.bounds, init, body);
    }
    case "member":
      return together(I.UNIT, ...(expr.id ? [of(expr.id)] : []));
    default:
      return NUMBER;
  }
}

/** What the body of a function is about. */
function aboutBody(scope: Known, { body, args }: FunctionCall, onReduction: OnReduction): About {
  const abouts = new Map(body.params.map((local, i) => [local, aboutOf(scope, args[i]!, onReduction)]));
  const inner: Known = { ...scope, abouts };
  for (const { local, value } of body.lets) abouts.set(local, aboutOf(inner, value, onReduction));
  return aboutOf(inner, body.result, onReduction);
}

function aboutLocal({ abouts, values }: Known, local: Local): About {
  const value = values.get(local);
  return abouts.get(local) ?? (value?.kind === "uniform" ? { ...NUMBER, bounds: boundsOf(value.range) } : NUMBER);
}

/** The bounds of an argument: a parameter that can change is finite. */
const boundsOf = (range: Interval): Interval => (range.lo === range.hi ? point(range.lo) : range);

function aboutCall(scope: Known, call: BuiltinCall, onReduction: OnReduction): About {
  const { builtin } = call;
  const args = call.args.map(({ value }) => aboutOf(scope, value, onReduction));
  const [x, y] = args;
  if (x && isReduction(builtin, args.length)) onReduction(call, x);
  const about = together(boundsOfCall(call.callee.text, builtin, args), ...args);
  return {
    ...about,
    readsText: about.readsText || builtin.readsText === true,
    readsRows: about.readsRows || builtin.readsProb === true || (y === undefined && builtin.isOrdered === true),
  };
}

/** Whether a call gives one value of a column over the rows. */
const isReduction = (builtin: Builtin, count: number): boolean =>
  givesOf(builtin, count) === "scalar" && ["number", "condition"].includes(argsOf(builtin)[0]?.[1] ?? "");

function boundsOfCall(name: string, { result }: Builtin, args: readonly About[]): Interval {
  if (result === "bool") return I.UNIT;
  const [x, y] = args.map((a) => a.bounds);
  if (name === "min" && x) return y ? I.interval(Math.min(x.lo, y.lo), Math.min(x.hi, y.hi)) : x;
  if (name === "max" && x) return y ? I.interval(Math.max(x.lo, y.lo), Math.max(x.hi, y.hi)) : x;
  return I.FINITE;
}
