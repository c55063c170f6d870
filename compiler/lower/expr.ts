/** Expressions to values. */
import { findName } from "../builtins/builtins.js";
import { argsOf, namedArgs, positional, type ArgType, type BuiltinName, type Lowered } from "../builtins/builtin.js";
import { OPERATORS } from "../builtins/operators.js";
import { resolveArgs } from "../check/arguments.js";
import { sumsOfFractions } from "../check/calls.js";
import type { Diagnostic } from "../check/diagnostics.js";
import { isFunction } from "../check/functions.js";
import { evaluateConst, evaluateConstant, textAlone, textConstant } from "../check/constants.js";
import { seedOutOfRange } from "../check/diagnostics/params.js";
import {
  countTooLarge,
  endingEmpty,
  mustBeWhole,
  nestedList,
  noPresentOrder,
  notATokenId,
  positionTooSmall,
  sumsUnsorted,
  windowTooSmall,
  windowUnknown,
} from "../check/diagnostics/types.js";
import { builtinCalled, type Module } from "../check/program.js";
import { textNamed } from "../check/texts.js";
import { columnTypeOf } from "../check/types.js";
import type { Ending, Feature, FeatureSource, GrammarRef, TextSource, TokenSequence } from "../graph/graph.js";
import { isSeed } from "../graph/param.js";
import { isToken } from "../graph/values.js";
import { saturate } from "../graph/uniformOps.js";
import * as I from "../graph/interval.js";
import { LIMITS } from "../limits/format.js";
import type { Binary, Call, Expr, InputDecl, ListLit, NameRef, StringLit } from "../syntax/ast.js";
import * as A from "./rows/arith.js";
import * as C from "./rows/conditions.js";
import { eitherSide, under } from "./rows/asked.js";
import type { Seed, Stream } from "./rows/draws.js";
import { featureColumn, guideColumn } from "./rows/features.js";
import { lowerFold, lowerRepeat } from "./loops.js";
import type { ChainLowering } from "./chainLowering.js";
import { pickedValue } from "./rows/pick.js";
import { lookUpLet } from "./rows/table.js";
import { constant, isColumn, isConstant, type UniformValue, type NodeValue, type Value } from "./rows/value.js";
import { isScaleInvariant, scaleInvariance } from "./rules/scale-invariance.js";
import { lowerMember, lowerSet } from "./sets.js";
import { INTEGERS, newScope, readState, type Argument, type GrammarArgument, type Scope } from "./scope.js";

/** Lowers an expression whose result is a number or a condition. */
export function lowerExpr(cx: ChainLowering, scope: Scope, expr: Expr): Value {
  cx.meter.spend(1);
  switch (expr.kind) {
    case "number":
      return constant(saturate(expr.value));
    case "bool":
      return constant(expr.value ? 1 : 0);
    case "name":
      return lowerName(cx, scope, expr);
    case "unary": {
      const operand = lowerExpr(cx, scope, expr.operand);
      return expr.op === "-" ? A.neg(cx, operand) : C.not(cx, operand);
    }
    case "binary":
      return lowerBinary(cx, scope, expr);
    case "conditional": {
      const condition = lowerExpr(cx, scope, expr.cond);
      const then = under(cx, condition, true, () => lowerExpr(cx, scope, expr.then));
      const otherwise = under(cx, condition, false, () => lowerExpr(cx, scope, expr.else));
      return C.select(cx, condition, then, otherwise);
    }
    case "member":
      return lowerMember(cx, scope, expr, (e) => lowerExpr(cx, scope, e));
    case "call":
      return lowerCall(cx, scope, expr);
    case "fold":
      return lowerFold(cx, expr, { scope, lowerExpr });
    case "repeat":
      return lowerRepeat(cx, expr, { scope, lowerExpr });
    case "string":
    case "pattern":
    case "part":
    case "list":
      throw new Error(`a ${expr.kind} has no value`);
  }
}

/** The parameter of type grammar that an expression names. */
function grammarNamed(scope: Scope, expr: Expr): GrammarArgument | undefined {
  const argument = expr.kind === "name" ? scope.args.get(expr.text) : undefined;
  return argument?.kind === "grammar" ? argument : undefined;
}

/** An argument of a stage: a value, or a seed, a text, a list, a set or a grammar that is passed on unchanged. */
export function lowerArgument(cx: ChainLowering, scope: Scope, expr: Expr, isSeed: boolean): Argument {
  const text = textOf(scope, expr);
  if (text) return text;
  const passed = lowerSet(cx, scope, expr) ?? grammarNamed(scope, expr);
  if (passed) return passed;
  return isSeed ? lowerSeed(cx, scope, expr) : lowerExpr(cx, scope, expr);
}

/** The text or the list that an expression is, or that its name holds. */
function textOf(scope: Scope, expr: Expr): StringLit | ListLit | undefined {
  const handed = expr.kind === "name" ? scope.args.get(expr.text) : undefined;
  if (handed) return handed.kind === "string" || handed.kind === "list" ? handed : undefined;
  return textConstant(scope.module, expr);
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

function lowerName(cx: ChainLowering, scope: Scope, { text: name, span }: NameRef): Value {
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
  if (builtin.needs === "order") requireOrder(cx, (isStale) => noPresentOrder(span, name, isStale));
  return builtin.lower(cx);
}

/** Reports a fault of rows that are not known to be sorted. */
function requireOrder(cx: ChainLowering, fault: (isStale: boolean) => Diagnostic): void {
  const { order } = cx.table;
  if ((order === undefined || order === "stale") && !cx.sortsOtherwise) cx.diagnostics.push(fault(order === "stale"));
}

/** What a name means inside a sampler. */
function localNamed(cx: ChainLowering, scope: Scope, name: string): Value | undefined {
  const inRound = scope.rounds.get(name);
  if (inRound) return inRound;
  const local = scope.isFunction ? undefined : lookUpLet(cx.table, name);
  if (local) return local;
  const state = scope.states.get(name);
  if (state !== undefined) return readState(cx, state);
  const argument = scope.args.get(name);
  return argument?.kind === "uniform" || argument?.kind === "node" ? argument : undefined;
}

/** The builtin column or scalar of a name, unless the program shadows it. */
const builtinNamed = (cx: ChainLowering, scope: Scope, name: string): BuiltinName | undefined =>
  localNamed(cx, scope, name) || scope.args.has(name) || scope.module.scope.has(name) ? undefined : findName(name);

/** The values of an input's type; the runtime refuses any other. */
const INPUT_RANGES = { f32: I.FINITE, i32: INTEGERS, bool: I.UNIT } as const;

function inputColumn(cx: ChainLowering, { name, sparse, type }: InputDecl, module: Module): NodeValue {
  if (type === "logits") return guideColumn(cx, name.text);
  const column = columnTypeOf({ type });
  if (column === undefined) throw new Error(`the checker accepted an input of type ${type}`);
  const number = (e: Expr): number => evaluateConstant(e, module) ?? 0;
  const form: Feature["form"] = sparse
    ? { kind: "sparse", capacity: number(sparse.capacity), fill: number(sparse.fill) }
    : { kind: "dense" };
  const from: FeatureSource = { kind: "input", name: name.text, ...(column !== "f32" && { type: column }) };
  const value = featureColumn(cx, { form, from }, INPUT_RANGES[column]);
  return column === "bool" ? { ...value, facts: { ...value.facts, isCondition: true } } : value;
}

function lowerBinary(cx: ChainLowering, scope: Scope, { op, left, right }: Binary): Value {
  const [first, second] = [left, right].map((side) => () => lowerExpr(cx, scope, side)) as [() => Value, () => Value];
  const isLogic = op === "and" || op === "or";
  const [a, b] = isLogic ? eitherSide(cx, op === "and", first, second) : [first(), second()];
  return OPERATORS[op].lower(cx, a, b);
}

/** The condition of a `keep`. */
export function lowerCondition(cx: ChainLowering, scope: Scope, condition: Expr): Value {
  const degrees = {
    ofName: (name: string): number => (builtinNamed(cx, scope, name)?.isRelative === true ? 1 : 0),
    module: scope.module,
    meter: cx.meter,
  };
  cx.isProbRelative = cx.uses(scaleInvariance) && isScaleInvariant(condition, degrees);
  const value = lowerExpr(cx, scope, condition);
  cx.isProbRelative = false;
  return value;
}

// ---------------------------------------------------------------- calls

function lowerCall(cx: ChainLowering, scope: Scope, call: Call): Value {
  const { callee, args } = call;
  const builtin = builtinCalled(scope.module, callee.text);
  if (!builtin) return lowerFunctionCall(cx, scope, call);
  const types = argsOf(builtin);
  const given = [
    ...positional(builtin, args).map(({ value }, i): [string, ArgType, Expr] => [...types[i]!, value]),
    ...namedArgs(builtin, args),
  ];
  const lowered = given.map(([name, type, value]) => [name, LOWERED[type](cx, scope, value, call)] as const);
  const { text, span } = callee;
  if (builtin.needs === "order") requireOrder(cx, (isStale) => noPresentOrder(span, text, isStale));
  // a function's body can be called with a column and with a scalar
  if (sumsOfFractions.has(call) && lowered.some(([, value]) => isColumn(value as Value)))
    requireOrder(cx, () => sumsUnsorted(span, text));
  return builtin.lower(cx, Object.fromEntries(lowered));
}

/** The body of a function in place of its call. */
function lowerFunctionCall(cx: ChainLowering, scope: Scope, call: Call): Value {
  const found = scope.module.scope.get(call.callee.text);
  if (!isFunction(found)) throw new Error(`\`${call.callee.text}\` was not resolved by the checker`);
  const { params, lets, result } = found.declaration;
  const given = resolveArgs(params, call.args).bound;
  const own = newScope(found.module, new Map());
  const args = new Map<string, Argument>();
  for (const { name, default: value } of params) {
    const arg = given.get(name.text);
    if (arg ?? value) args.set(name.text, lowerExpr(cx, arg ? scope : own, arg?.value ?? value!));
  }
  const inner: Scope = { ...own, args, isFunction: true };
  for (const { name, value } of lets) args.set(name.text, lowerExpr(cx, inner, value));
  return lowerExpr(cx, inner, result);
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
  source: lowerSource,
  position: lowerPosition,
  ending: lowerEnding,
  text: (_, scope, expr) => {
    const text = textOf(scope, expr);
    if (text?.kind !== "string") throw new Error("the checker accepted an argument that is not a text");
    return text.value;
  },
  grammar: (_, scope, expr): GrammarRef => {
    const handed = grammarNamed(scope, expr);
    if (handed) return { param: handed.param };
    const text = textOf(scope, expr);
    if (text?.kind !== "string") throw new Error("the checker accepted an argument that is not a grammar");
    return text.value;
  },
  texts: (cx, scope, expr, { callee }) => flatList(cx, scope, listOf(scope, expr), `the list of \`${callee.text}\``),
  sequences: lowerSequences,
  ofPickedRow: (cx, scope, expr) => {
    const builtin = expr.kind === "name" ? builtinNamed(cx, scope, expr.text) : undefined;
    return builtin?.lowerPicked ? builtin.lowerPicked(cx) : pickedValue(cx, lowerExpr(cx, scope, expr));
  },
};

function lowerPosition(cx: ChainLowering, scope: Scope, expr: Expr, { callee }: Call): number {
  const position = lowerExpr(cx, scope, expr);
  if (!isConstant(position)) throw new Error("the position of a token is not a constant");
  const what = `the position in \`${callee.text}\``;
  if (!Number.isInteger(position.expr)) cx.diagnostics.push(mustBeWhole(expr.span, what, String(position.expr)));
  else if (position.expr < 1) cx.diagnostics.push(positionTooSmall(expr.span, what, position.expr));
  if (position.expr > LIMITS.dim) cx.diagnostics.push(countTooLarge(expr.span, what, LIMITS.dim, position.expr));
  return position.expr;
}

const listOf = (scope: Scope, expr: Expr): ListLit => {
  const list = textOf(scope, expr);
  if (list?.kind !== "list") throw new Error("the checker accepted an argument that is not a list");
  return list;
};

/** The texts and token ids of a list; a list inside it is reported. `what` names it. */
export function flatList(cx: ChainLowering, scope: Scope, { values }: ListLit, what: string): (string | number)[] {
  const nested = values.find((v) => v.kind === "list");
  if (nested) cx.diagnostics.push(nestedList(nested.span, what));
  return values.map((v) => (v.kind === "string" ? v.value : (evaluateConstant(v, scope.module) ?? 0)));
}

function lowerSequences(cx: ChainLowering, scope: Scope, expr: Expr, call: Call): TokenSequence[] {
  const { values } = listOf(scope, expr);
  cx.meter.spend(values.length);
  return values.map((v) => (v.kind === "number" ? tokenId(cx, scope, v) : lowerEnding(cx, scope, v, call)));
}

function lowerEnding(cx: ChainLowering, scope: Scope, expr: Expr, { callee }: Call): Ending {
  const found = textOf(scope, expr);
  if (!found) throw new Error("the checker accepted an argument that is neither a text nor a list");
  const given = textAlone(found) ?? found;
  const ending = given.kind === "string" ? given.value : given.values.map((v) => tokenId(cx, scope, v));
  cx.meter.spend(ending.length);
  if (ending.length === 0) cx.diagnostics.push(endingEmpty(expr.span, callee.text));
  if (ending.length > LIMITS.ending)
    cx.diagnostics.push(
      countTooLarge(expr.span, `the length of what \`${callee.text}\` compares`, LIMITS.ending, ending.length),
    );
  return ending;
}

/** An entry of a list of token ids. */
function tokenId(cx: ChainLowering, scope: Scope, entry: Expr): number {
  const value = entry.kind === "string" || entry.kind === "list" ? undefined : evaluateConstant(entry, scope.module);
  if (isToken(value)) return value;
  cx.diagnostics.push(
    notATokenId(entry.span, value === undefined ? `a ${entry.kind === "string" ? "text" : entry.kind}` : String(value)),
  );
  return 0;
}

/** The window that holds all tokens. */
const ALL_TOKENS = -1;

function lowerSource(_: ChainLowering, { module }: Scope, expr: Expr): TextSource | undefined {
  const text = expr.kind === "name" ? textNamed(module, expr.text) : undefined;
  if (!text) throw new Error("the checker accepted an argument that is not a text");
  return text.source;
}

function lowerWindow(cx: ChainLowering, scope: Scope, expr: Expr, { callee }: Call): UniformValue {
  const last = lowerExpr(cx, scope, expr);
  if (last.kind === "node") {
    // an argument of a function
    cx.diagnostics.push(windowUnknown(expr.span));
    return constant(0);
  }
  if (!isConstant(last)) return last;
  const what = `the window of \`${callee.text}\``;
  if (!Number.isInteger(last.expr)) cx.diagnostics.push(mustBeWhole(expr.span, what, String(last.expr)));
  if (last.expr < ALL_TOKENS) cx.diagnostics.push(windowTooSmall(expr.span, what, last.expr));
  if (last.expr > LIMITS.dim) cx.diagnostics.push(countTooLarge(expr.span, what, LIMITS.dim, last.expr));
  return last;
}
