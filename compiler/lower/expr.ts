/** Expressions to values. */
import type { Expr, Call, Binary } from "../syntax/ast.js";
import { saturate } from "../graph/hostOps.js";
import * as I from "../graph/interval.js";
import * as A from "./rows/arith.js";
import * as C from "./rows/conditions.js";
import type { Lowering } from "./rows/lowering.js";
import { biasColumn, featureOf, inputColumn } from "./rows/features.js";
import { isScaleInvariant, scaleInvariance } from "./rules/scale-invariance.js";
import { weightsOf } from "./rules/unnormalised-selection.js";
import { pickedProb, pickedValue } from "./rows/pick.js";
import { pow } from "./rows/power.js";
import * as R from "./rows/reduce.js";
import { drawFrom, stateValue, type Argument, type Scope, type Seed } from "./scope.js";
import { logitOf, probOf, rankOf, tokenOf } from "./rows/columns.js";
import { lookUpLet } from "./rows/table.js";
import { constant, host, hostOp, isConstant, type Value } from "./rows/value.js";

const LOG2_E = Math.LOG2E;

/** Lowers an expression that gives a number or a condition. */
export function lowerExpr(cx: Lowering, scope: Scope, expr: Expr): Value {
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
    case "call":
      return lowerCall(cx, scope, expr);
    case "string":
    case "list":
      throw new Error(`a ${expr.kind} has no value of its own`);
  }
}

/** An argument of a stage: a value, or a seed, a text or a list that is handed on as it is. */
export function lowerArgument(cx: Lowering, scope: Scope, expr: Expr, isSeed: boolean): Argument {
  if (expr.kind === "string" || expr.kind === "list") return expr;
  const handed = expr.kind === "name" ? scope.args.get(expr.text) : undefined;
  if (handed?.kind === "string" || handed?.kind === "list") return handed;
  return isSeed ? lowerSeed(cx, scope, expr) : lowerExpr(cx, scope, expr);
}

export function lowerSeed(cx: Lowering, scope: Scope, expr: Expr): Seed {
  if (expr.kind === "name" && expr.text === "random") return { kind: "seed", seed: "random" };
  const bound = expr.kind === "name" ? scope.args.get(expr.text) : undefined;
  if (bound?.kind === "seed") return bound;
  const value = lowerExpr(cx, scope, expr);
  if (!isConstant(value)) throw new Error("a seed is a constant or a parameter of type seed");
  return { kind: "seed", seed: value.expr };
}

function lowerName(cx: Lowering, scope: Scope, name: string): Value {
  const local = lookUpLet(cx.table, name);
  if (local) return local;
  const state = scope.states.get(name);
  if (state !== undefined) return stateValue(cx, state);
  const argument = scope.args.get(name);
  if (argument && (argument.kind === "host" || argument.kind === "node")) return argument;
  const declared = scope.module.scope.get(name);
  if (declared?.declaration.kind === "const") {
    return lowerExpr(cx, { ...scope, module: declared.module, args: new Map() }, declared.declaration.value);
  }
  if (declared?.declaration.kind === "input") return inputColumn(cx, declared.declaration, declared.module);
  const builtin = BUILTIN_NAMES[name];
  if (!builtin) throw new Error(`\`${name}\` was not resolved by the checker`);
  return builtin(cx);
}

const BUILTIN_NAMES: Readonly<Record<string, (cx: Lowering) => Value>> = {
  logit: logitOf,
  prob: (cx) => (cx.isProbRelative ? weightsOf(cx, scaleInvariance) : probOf(cx)),
  rank: rankOf,
  token: tokenOf,
  bias: biasColumn,
  n: R.countRows,
  vocab: () => host("vocab", I.interval(1, 2 ** 24)),
  step: () => host("step", I.interval(0, 2 ** 31)),
};

const BINARY: Readonly<Record<Binary["op"], (cx: Lowering, a: Value, b: Value) => Value>> = {
  "+": A.add,
  "-": A.sub,
  "*": A.mul,
  "/": A.div,
  "%": A.mod,
  "^": pow,
  ">": C.greater,
  ">=": C.atLeast,
  "<": (cx, a, b) => C.greater(cx, b, a),
  "<=": (cx, a, b) => C.atLeast(cx, b, a),
  "==": C.equal,
  "!=": (cx, a, b) => C.not(cx, C.equal(cx, a, b)),
  and: C.and,
  or: C.or,
};

function lowerBinary(cx: Lowering, scope: Scope, { op, left, right }: Binary): Value {
  const a = lowerExpr(cx, scope, left);
  return BINARY[op](cx, a, lowerExpr(cx, scope, right));
}

type Function = (cx: Lowering, args: Value[]) => Value;

const mapped =
  (name: Parameters<typeof A.mapped>[1]): Function =>
  (cx, [x]) =>
    A.mapped(cx, name, x!);

const FUNCTIONS: Readonly<Record<string, Function>> = {
  exp: mapped("exp"),
  log: (cx, [x]) => A.log(cx, x!),
  log2: (cx, [x]) => A.log(cx, x!, LOG2_E),
  sqrt: (cx, [x]) => A.sqrt(cx, x!),
  abs: mapped("abs"),
  floor: mapped("floor"),
  ceil: mapped("ceil"),
  round: mapped("round"),
  sigmoid: mapped("sigmoid"),
  tanh: mapped("tanh"),
  sign: (cx, [x]) => (x!.kind === "host" ? hostOp("sign", x!) : A.unary(cx, "sgn", x!)),
  min: (cx, [x, y]) => (y ? C.smaller(cx, x!, y) : R.min(cx, x!)),
  max: (cx, [x, y]) => (y ? C.larger(cx, x!, y) : R.max(cx, x!)),
  clamp: (cx, [x, lo, hi]) => C.smaller(cx, C.larger(cx, x!, lo!), hi!),
  sum: (cx, [x]) => R.sum(cx, x!),
  mean: (cx, [x]) => R.mean(cx, x!),
  std: (cx, [x]) => R.standardDeviation(cx, x!),
  var: (cx, [x]) => R.variance(cx, x!),
  count: (cx, [c]) => R.count(cx, c!),
  any: (cx, [c]) => R.any(cx, c!),
  all: (cx, [c]) => R.all(cx, c!),
  entropy: (cx) => R.entropy(cx),
  cumsum: (cx, [x]) => R.cumsum(cx, x!),
  prev: (cx, [x, edge]) => R.neighbour(cx, x!, edge!, 1),
  next: (cx, [x, edge]) => R.neighbour(cx, x!, edge!, -1),
  softmax: (cx, [x]) => R.softmax(cx, x!),
  log_softmax: (cx, [x]) => R.logSoftmax(cx, x!),
  known: (_, [c]) => constant(c!.range.lo >= 1 ? 1 : 0),
};

function lowerCall(cx: Lowering, scope: Scope, { callee, args }: Call): Value {
  const feature = featureOf(cx, scope, callee.text, args);
  if (feature) return feature;
  if (callee.text === "picked") return lowerPicked(cx, scope, args[0]!.value);
  const draw = DRAWS[callee.text];
  if (draw) {
    const at = args[1] && lowerExpr(cx, scope, args[1].value);
    return drawFrom(cx, scope, draw, lowerSeed(cx, scope, args[0]!.value), at);
  }
  const apply = FUNCTIONS[callee.text];
  if (!apply) throw new Error(`\`${callee.text}\` was not resolved by the checker`);
  return apply(
    cx,
    args.map(({ value }) => lowerExpr(cx, scope, value)),
  );
}

function lowerPicked(cx: Lowering, scope: Scope, of: Expr): Value {
  if (of.kind === "name" && isBuiltin(cx, scope, of.text, "prob")) return pickedProb(cx);
  return pickedValue(cx, lowerExpr(cx, scope, of));
}

/** The condition of a `keep`. */
export function lowerCondition(cx: Lowering, scope: Scope, condition: Expr): Value {
  cx.isProbRelative = isScaleInvariant(condition, (name) => isBuiltin(cx, scope, name, "prob"));
  const value = lowerExpr(cx, scope, condition);
  cx.isProbRelative = false;
  return value;
}

/** Whether `name` stands for a builtin column rather than for something of the program's that hides it. */
const isBuiltin = (cx: Lowering, scope: Scope, name: string, builtin: string): boolean =>
  name === builtin && !lookUpLet(cx.table, name) && !scope.states.has(name) && !scope.args.has(name);

const DRAWS: Readonly<Record<string, "f64" | "f32">> = { uniform: "f64", uniform32: "f32" };
