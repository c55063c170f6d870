/** Expressions to values. */
import { findFunction, findName } from "../builtins/builtins.js";
import { argsOf, type ArgType, type BuiltinName, type Lowered } from "../builtins/builtin.js";
import { OPERATORS } from "../builtins/operators.js";
import { evaluateConst, evaluateConstant } from "../check/constants.js";
import { seedOutOfRange } from "../check/diagnostics/params.js";
import { countTooLarge, mustBeWhole, windowTooSmall } from "../check/diagnostics/types.js";
import type { Module } from "../check/program.js";
import { isInputType } from "../check/types.js";
import type { Feature, FeatureSource } from "../graph/graph.js";
import { isSeed } from "../graph/param.js";
import { saturate } from "../graph/uniformOps.js";
import * as I from "../graph/interval.js";
import { LIMITS } from "../limits/format.js";
import type { Binary, Call, Expr, InputDecl } from "../syntax/ast.js";
import * as A from "./rows/arith.js";
import * as C from "./rows/conditions.js";
import type { Seed, Stream } from "./rows/draws.js";
import { featureColumn } from "./rows/features.js";
import type { ChainLowering } from "./chainLowering.js";
import { pickedValue } from "./rows/pick.js";
import { lookUpLet } from "./rows/table.js";
import { constant, isConstant, type UniformValue, type NodeValue, type Value } from "./rows/value.js";
import { isScaleInvariant, scaleInvariance } from "./rules/scale-invariance.js";
import { lowerMember, lowerSet } from "./sets.js";
import { INTEGERS, readState, type Argument, type Scope } from "./scope.js";

/** Lowers an expression whose result is a number or a condition. */
export function lowerExpr(cx: ChainLowering, scope: Scope, expr: Expr): Value {
  cx.meter.spend(1);
  switch (expr.kind) {
    case "number":
      return constant(saturate(expr.value));
    case "bool":
      return constant(expr.value ? 1 : 0);
    case "name":
      return lowerName(cx, scope, expr.text);
    case "unary": {
      const operand = lowerExpr(cx, scope, expr.operand);
      return expr.op === "-" ? A.neg(cx, operand) : C.not(cx, operand);
    }
    case "binary":
      return lowerBinary(cx, scope, expr);
    case "conditional": {
      const condition = lowerExpr(cx, scope, expr.cond);
      return C.select(cx, condition, lowerExpr(cx, scope, expr.then), lowerExpr(cx, scope, expr.else));
    }
    case "member":
      return lowerMember(cx, scope, expr, (e) => lowerExpr(cx, scope, e));
    case "call":
      return lowerCall(cx, scope, expr);
    case "string":
    case "pattern":
    case "part":
    case "list":
      throw new Error(`a ${expr.kind} has no value`);
  }
}

/** An argument of a stage: a value, or a seed, a text, a list or a set that is passed on unchanged. */
export function lowerArgument(cx: ChainLowering, scope: Scope, expr: Expr, isSeed: boolean): Argument {
  if (expr.kind === "string" || expr.kind === "list") return expr;
  const handed = expr.kind === "name" ? scope.args.get(expr.text) : undefined;
  if (handed?.kind === "string" || handed?.kind === "list") return handed;
  const set = lowerSet(cx, scope, expr);
  if (set) return set;
  return isSeed ? lowerSeed(cx, scope, expr) : lowerExpr(cx, scope, expr);
}

export function lowerSeed(cx: ChainLowering, scope: Scope, expr: Expr): Seed {
  if (expr.kind === "name" && expr.text === "random") return { kind: "seed", seed: "random" };
  const bound = expr.kind === "name" ? scope.args.get(expr.text) : undefined;
  if (bound?.kind === "seed") return bound;
  const value = lowerExpr(cx, scope, expr);
  if (!isConstant(value)) throw new Error("the seed is neither a constant nor a parameter of type seed");
  if (isSeed(value.expr)) return { kind: "seed", seed: value.expr };
  cx.diagnostics.push(seedOutOfRange(expr.span, value.expr));
  return { kind: "seed", seed: 0 };
}

/** The stream of a seed that `call` draws from, or the pick of a chain if there is no call. */
export const lowerStream = (cx: ChainLowering, scope: Scope, expr: Expr, call: Call | undefined): Stream => ({
  ...lowerSeed(cx, scope, expr),
  stream: call && scope.streams.get(call),
  draws: scope.draws,
});

/** The index of a draw in its stream. */
export function lowerIndex(cx: ChainLowering, scope: Scope, expr: Expr): UniformValue {
  const value = lowerExpr(cx, scope, expr);
  if (value.kind === "node") throw new Error("the index of a draw is not uniform");
  return value;
}

function lowerName(cx: ChainLowering, scope: Scope, name: string): Value {
  const local = localNamed(cx, scope, name);
  if (local) return local;
  const declared = scope.module.scope.get(name);
  if (declared?.declaration.kind === "const") {
    const value = evaluateConst(declared.declaration, declared.module);
    if (value === undefined) throw new Error(`the constant \`${name}\` has no value`);
    return constant(value);
  }
  if (declared?.declaration.kind === "input") return inputColumn(cx, declared.declaration, declared.module);
  const builtin = findName(name);
  if (!builtin) throw new Error(`\`${name}\` was not resolved by the checker`);
  return builtin.lower(cx);
}

/** What a name means inside a sampler. */
function localNamed(cx: ChainLowering, scope: Scope, name: string): Value | undefined {
  const local = lookUpLet(cx.table, name);
  if (local) return local;
  const state = scope.states.get(name);
  if (state !== undefined) return readState(cx, state);
  const argument = scope.args.get(name);
  return argument?.kind === "uniform" || argument?.kind === "node" ? argument : undefined;
}

/** The builtin column or scalar of a name, unless the program shadows it. */
const builtinNamed = (cx: ChainLowering, scope: Scope, name: string): BuiltinName | undefined =>
  localNamed(cx, scope, name) || scope.args.has(name) ? undefined : findName(name);

/** The values of an input's type; the runtime refuses any other. */
const INPUT_RANGES = { f32: I.FINITE, i32: INTEGERS, bool: I.UNIT } as const;

function inputColumn(cx: ChainLowering, { name, sparse, type }: InputDecl, module: Module): NodeValue {
  if (!isInputType(type)) throw new Error(`the checker accepted an input of type ${type}`);
  const number = (e: Expr): number => evaluateConstant(e, module) ?? 0;
  const form: Feature["form"] = sparse
    ? { kind: "sparse", capacity: number(sparse.capacity), fill: number(sparse.fill) }
    : { kind: "dense" };
  const from: FeatureSource = { kind: "input", name: name.text, ...(type !== "f32" && { type }) };
  return featureColumn(cx, { form, from }, INPUT_RANGES[type]);
}

function lowerBinary(cx: ChainLowering, scope: Scope, { op, left, right }: Binary): Value {
  const a = lowerExpr(cx, scope, left);
  return OPERATORS[op].lower(cx, a, lowerExpr(cx, scope, right));
}

/** The condition of a `keep`. */
export function lowerCondition(cx: ChainLowering, scope: Scope, condition: Expr): Value {
  const isRelative = (name: string): boolean => builtinNamed(cx, scope, name)?.isRelative === true;
  cx.isProbRelative = cx.uses(scaleInvariance) && isScaleInvariant(condition, isRelative);
  const value = lowerExpr(cx, scope, condition);
  cx.isProbRelative = false;
  return value;
}

// ---------------------------------------------------------------- calls

function lowerCall(cx: ChainLowering, scope: Scope, call: Call): Value {
  const { callee, args } = call;
  const builtin = findFunction(callee.text);
  if (!builtin) throw new Error(`\`${callee.text}\` was not resolved by the checker`);
  const types = argsOf(builtin);
  const lowered = args.map(({ value }, i) => {
    const [name, type] = types[i]!;
    return [name, LOWERED[type](cx, scope, value, call)] as const;
  });
  return builtin.lower(cx, Object.fromEntries(lowered));
}

/** Lowers an argument of a type. */
const LOWERED: {
  readonly [T in ArgType]: (cx: ChainLowering, scope: Scope, expr: Expr, call: Call) => Lowered[T];
} = {
  number: lowerExpr,
  condition: lowerExpr,
  index: lowerIndex,
  seed: lowerStream,
  window: lowerWindow,
  text: (_, scope, expr) => {
    const text = expr.kind === "name" ? scope.args.get(expr.text) : expr;
    if (text?.kind !== "string") throw new Error("the checker accepted an argument that is not a text");
    return text.value;
  },
  texts: (_, scope, expr) => {
    const list = expr.kind === "name" ? scope.args.get(expr.text) : expr;
    if (list?.kind !== "list") throw new Error("the checker accepted an argument that is not a list");
    return list.values.map((v) => (v.kind === "string" ? v.value : (evaluateConstant(v, scope.module) ?? 0)));
  },
  ofPickedRow: (cx, scope, expr) => {
    const builtin = expr.kind === "name" ? builtinNamed(cx, scope, expr.text) : undefined;
    return builtin?.lowerPicked ? builtin.lowerPicked(cx) : pickedValue(cx, lowerExpr(cx, scope, expr));
  },
};

/** The window that holds all tokens. */
const ALL_TOKENS = -1;

function lowerWindow(cx: ChainLowering, scope: Scope, expr: Expr, { callee }: Call): number {
  const last = lowerExpr(cx, scope, expr);
  if (!isConstant(last)) throw new Error("the window of a feature is not a constant");
  const what = `the window of \`${callee.text}\``;
  if (!Number.isInteger(last.expr)) cx.diagnostics.push(mustBeWhole(expr.span, what, String(last.expr)));
  if (last.expr < ALL_TOKENS) cx.diagnostics.push(windowTooSmall(expr.span, what, last.expr));
  if (last.expr > LIMITS.dim) cx.diagnostics.push(countTooLarge(expr.span, what, LIMITS.dim, last.expr));
  return last.expr;
}
