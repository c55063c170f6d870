/** Expressions to values. */
import type { ArgType, Lowered } from "../builtins/builtin.js";
import { OPERATORS } from "../builtins/operators.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { ruleNameEmpty } from "../diagnostics/grammars.js";
import { seedOutOfRange } from "../diagnostics/params.js";
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
} from "../diagnostics/types.js";
import { sparseOf } from "../check/inputs.js";
import { textAlone } from "../check/textArguments.js";
import type {
  Binary,
  BuiltinCall,
  Expr,
  FunctionCall,
  InputBinding,
  Item,
  List,
  Local,
  Text,
  Type,
} from "../check/tree.js";
import { columnTypeOf } from "../check/types.js";
import type { Ending, Feature, FeatureSource, GrammarRef, TokenSequence } from "../graph/graph.js";
import { isSeed } from "../graph/param.js";
import { rulesAsked } from "../graph/rules.js";
import { isToken } from "../graph/values.js";
import * as I from "../graph/interval.js";
import { LIMITS } from "../limits/format.js";
import type { Name } from "../syntax/ast.js";
import type { Span } from "../source/source.js";
import * as A from "../table/arith.js";
import * as C from "../table/conditions.js";
import { eitherSide, under } from "../table/asked.js";
import type { Seed, Stream } from "../table/draws.js";
import { featureColumn, guideColumn } from "../rows/features.js";
import { rejectRule } from "./grammarRules.js";
import { lowerFold, lowerRepeat } from "./loops.js";
import type { ChainLowering } from "./chainLowering.js";
import { pickedValue } from "../rows/pick.js";
import { lookUpLet } from "../table/table.js";
import { numberOf, unchecked } from "../table/unchecked.js";
import { constant, isColumn, isConstant, type UniformValue, type NodeValue, type Value } from "../table/value.js";
import { scaleInvariance } from "../rules/scale-invariance.js";
import { isScaleInvariant } from "./scaling.js";
import { lowerMember, lowerPhrases, lowerSet } from "./sets.js";
import { INTEGERS, newScope, readState, type Argument, type Scope } from "./scope.js";

/** Lowers an expression whose result is a number or a condition. */
export function lowerExpr(cx: ChainLowering, scope: Scope, expr: Expr): Value {
  cx.meter.spend(1);
  switch (expr.kind) {
    case "number":
    case "constant":
      return constant(expr.constant ?? unchecked("a constant without a value"));
    case "local":
      return lowerLocal(cx, scope, expr.local);
    case "input":
      return inputColumn(cx, expr.input);
    case "builtin": {
      const { name, builtin, span } = expr;
      if (builtin.needs === "order") requireOrder(cx, (isStale) => noPresentOrder(span, name, isStale));
      return builtin.lower(cx);
    }
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
    case "apply":
      return lowerFunctionCall(cx, scope, expr);
    case "fold":
      return lowerFold(cx, expr, { scope, lowerExpr });
    case "repeat":
      return lowerRepeat(cx, expr, { scope, lowerExpr });
    default:
      return unchecked(`a ${expr.kind} as a value`);
  }
}

/** An argument of a parameter: a value, or a seed, a text, a list, a set or a grammar that is passed on unchanged. */
export function lowerArgument(cx: ChainLowering, scope: Scope, expr: Expr, type: Type["type"]): Argument {
  if (expr.kind === "text" || expr.kind === "list") return expr;
  if (expr.kind === "set") return lowerSet(cx, scope, expr);
  if (expr.kind === "phrases") return lowerPhrases(cx, scope, expr);
  const held = expr.kind === "local" ? scope.values.get(expr.local) : undefined;
  if (held && held.kind !== "uniform" && held.kind !== "node") return held;
  return type === "seed" ? lowerSeed(cx, scope, expr) : lowerExpr(cx, scope, expr);
}

/** The text or the list that an expression is, or that its name holds. */
function textOf({ values }: Scope, expr: Expr): Text | List {
  const held = expr.kind === "local" ? values.get(expr.local) : expr;
  return held?.kind === "text" || held?.kind === "list" ? held : unchecked("an argument that is no text");
}

function grammarIn(scope: Scope, expr: Expr): GrammarRef {
  const held = expr.kind === "local" ? scope.values.get(expr.local) : undefined;
  return held?.kind === "grammar" ? { param: held.param } : oneText(scope, expr);
}

export function oneText(scope: Scope, expr: Expr): string {
  const text = textOf(scope, expr);
  return text.kind === "text" ? text.value : unchecked("a list as a text");
}

function listOf(scope: Scope, expr: Expr): List {
  const list = textOf(scope, expr);
  return list.kind === "list" ? list : unchecked("a text as a list");
}

function lowerSeed(cx: ChainLowering, scope: Scope, expr: Expr): Seed {
  if (expr.kind === "random") return { kind: "seed", seed: "random" };
  const held = expr.kind === "local" ? scope.values.get(expr.local) : undefined;
  if (held?.kind === "seed") return held;
  const seed = numberOf(lowerExpr(cx, scope, expr), "a seed");
  if (isSeed(seed)) return { kind: "seed", seed };
  cx.diagnostics.push(seedOutOfRange(expr.span, seed));
  return { kind: "seed", seed: 0 };
}

/** The stream of a seed that `call` draws from, or the pick of a chain if there is no call. */
export const lowerStream = (cx: ChainLowering, scope: Scope, expr: Expr, call: BuiltinCall | undefined): Stream => ({
  ...lowerSeed(cx, scope, expr),
  stream: call && scope.streams.get(call),
  draws: scope.draws,
});

/** The index of a draw in its stream. */
export function lowerIndex(cx: ChainLowering, scope: Scope, expr: Expr): UniformValue {
  const value = lowerExpr(cx, scope, expr);
  rejectRule(cx, value, expr, "where the index of a draw is computed");
  return value.kind === "uniform" ? value : unchecked("the index of a draw that is not uniform");
}

function lowerLocal(cx: ChainLowering, scope: Scope, local: Local): Value {
  const state = scope.states.get(local);
  if (state !== undefined) return readState(cx, state);
  const found = scope.values.get(local) ?? lookUpLet(cx.table, local);
  return found?.kind === "uniform" || found?.kind === "node" ? found : unchecked(`a ${local.kind} without a value`);
}

/** Reports a fault of rows that are not known to be sorted. */
function requireOrder(cx: ChainLowering, fault: (isStale: boolean) => Diagnostic): void {
  const order = cx.table.order?.by;
  if ((order === undefined || order === "stale") && !cx.sortsOtherwise) cx.diagnostics.push(fault(order === "stale"));
}

/** The values of an input's type; the runtime refuses any other. */
const INPUT_RANGES = { f32: I.FINITE, i32: INTEGERS, bool: I.UNIT } as const;

function inputColumn(cx: ChainLowering, input: InputBinding): NodeValue {
  const { name, type } = input.declaration;
  if (type === "logits") return guideColumn(cx, name.text);
  const column = columnTypeOf({ type }) ?? unchecked(`an input of type ${type}`);
  const sparse = sparseOf(input);
  const form: Feature["form"] = sparse ? { kind: "sparse", ...sparse } : { kind: "dense" };
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
  cx.isProbRelative = cx.uses(scaleInvariance) && isScaleInvariant(condition, cx.meter);
  const value = lowerExpr(cx, scope, condition);
  cx.isProbRelative = false;
  return value;
}

// ---------------------------------------------------------------- calls

function lowerCall(cx: ChainLowering, scope: Scope, call: BuiltinCall): Value {
  const { builtin, callee, args, sumsFractions } = call;
  const lowered = args.map(({ name, type, value }) => [name, LOWERED[type](cx, scope, value, call)] as const);
  const { text, span } = callee;
  if (builtin.needs === "order") requireOrder(cx, (isStale) => noPresentOrder(span, text, isStale));
  if (sumsFractions && lowered.some(([, value]) => isColumn(value as Value)))
    requireOrder(cx, () => sumsUnsorted(span, text));
  const value = builtin.lower(cx, Object.fromEntries(lowered));
  if (builtin.asksGrammar) noteRuleCall(cx, scope, call, value);
  return value;
}

/** Notes where a grammar is asked about, which some stage has to follow. */
function noteRuleCall(cx: ChainLowering, scope: Scope, { args, callee }: BuiltinCall, value: Value): void {
  const [grammar, rule] = args.map(({ value }) => value);
  const length = rule ? oneText(scope, rule).length : 1;
  if (rule && (length === 0 || length > LIMITS.ruleName))
    cx.diagnostics.push(ruleNameEmpty(rule.span, LIMITS.ruleName, length));
  const [asked] = value.kind === "uniform" ? rulesAsked(value.expr) : [];
  cx.ruleCalls.push({
    callee,
    grammar: grammarIn(scope, grammar!),
    rule: asked ?? unchecked("a call that asks about no rule"),
  });
}

/** The body of a function in place of its call. */
function lowerFunctionCall(cx: ChainLowering, scope: Scope, { body, args }: FunctionCall): Value {
  const { params, lets, result } = body;
  const values = new Map<Local, Argument>();
  const inner: Scope = { ...newScope(scope.source, values) };
  params.forEach((local, i) => values.set(local, lowerExpr(cx, scope, args[i]!)));
  for (const { local, value } of lets) values.set(local, lowerExpr(cx, inner, value));
  return lowerExpr(cx, inner, result);
}

/** Lowers an argument of a type. */
const LOWERED: {
  readonly [T in ArgType]: (cx: ChainLowering, scope: Scope, expr: Expr, call: BuiltinCall) => Lowered[T];
} = {
  number: lowerExpr,
  condition: lowerExpr,
  index: lowerIndex,
  seed: lowerStream,
  window: lowerWindow,
  source: (_cx, _scope, expr) => (expr.kind === "source" ? expr.source : unchecked("a source that is no text")),
  span: lowerSpan,
  position: lowerPosition,
  ending: (cx, scope, expr, { callee }) => {
    const text = textOf(scope, expr);
    return endingOf(cx, text.kind === "text" ? text.value : (textAlone(text) ?? text.items), expr.span, callee);
  },
  text: (_, scope, expr) => oneText(scope, expr),
  grammar: (_, scope, expr) => grammarIn(scope, expr),
  phrases: (cx, scope, expr) => lowerPhrases(cx, scope, expr).set,
  texts: (cx, scope, expr, { callee }) => flatList(cx, listOf(scope, expr), `the list of \`${callee.text}\``),
  sequences: (cx, scope, expr, { callee }) => {
    const { items } = listOf(scope, expr);
    cx.meter.spend(items.length);
    return items.map((item): TokenSequence =>
      typeof item.value === "number" ? tokenId(cx, item) : endingOf(cx, item.value, item.span, callee),
    );
  },
  ofPickedRow: (cx, scope, expr) => {
    const builtin = expr.kind === "builtin" ? expr.builtin : undefined;
    // the table of a sampler that does not pick is not that of the pick
    const known = cx.lateStage === undefined ? builtin?.lowerPicked?.(cx) : builtin?.lowerLater?.(cx);
    return known ?? pickedValue(cx, lowerExpr(cx, scope, expr));
  },
};

function lowerPosition(cx: ChainLowering, scope: Scope, expr: Expr, { callee }: BuiltinCall): number {
  const what = `the position in \`${callee.text}\``;
  const position = numberOf(lowerExpr(cx, scope, expr), what);
  if (!Number.isInteger(position)) cx.diagnostics.push(mustBeWhole(expr.span, what, String(position)));
  else if (position < 1) cx.diagnostics.push(positionTooSmall(expr.span, what, position));
  if (position > LIMITS.dim) cx.diagnostics.push(countTooLarge(expr.span, what, LIMITS.dim, position));
  return position;
}

/** The size of a window over a scalar. */
function lowerSpan(cx: ChainLowering, scope: Scope, expr: Expr, { callee }: BuiltinCall): number {
  const what = `the window of \`${callee.text}\``;
  const size = numberOf(lowerExpr(cx, scope, expr), what);
  if (!Number.isInteger(size)) cx.diagnostics.push(mustBeWhole(expr.span, what, String(size)));
  else if (size < 1) cx.diagnostics.push(positionTooSmall(expr.span, what, size, "the present token alone"));
  else if (size > LIMITS.window) cx.diagnostics.push(countTooLarge(expr.span, what, LIMITS.window, size));
  else return size;
  return 1;
}

/** The texts and token ids of a list; a list inside it is reported. `what` names it. */
export function flatList(cx: ChainLowering, { items }: List, what: string): (string | number)[] {
  const nested = items.find(({ value }) => typeof value === "object");
  if (nested) cx.diagnostics.push(nestedList(nested.span, what));
  return items.map(({ value }) => (typeof value === "object" ? 0 : value));
}

/** A text, or a list of token ids. */
function endingOf(cx: ChainLowering, given: string | readonly Item[], span: Span, { text }: Name): Ending {
  const ending = typeof given === "string" ? given : given.map((item) => tokenId(cx, item));
  cx.meter.spend(ending.length);
  if (ending.length === 0) cx.diagnostics.push(endingEmpty(span, text));
  if (ending.length > LIMITS.ending)
    cx.diagnostics.push(countTooLarge(span, `the length of what \`${text}\` compares`, LIMITS.ending, ending.length));
  return ending;
}

/** An entry of a list of token ids. */
function tokenId(cx: ChainLowering, { value, span }: Item): number {
  if (isToken(value)) return value;
  const found = typeof value === "string" ? "a text" : typeof value === "object" ? "a list" : String(value);
  cx.diagnostics.push(notATokenId(span, found));
  return 0;
}

/** The window that holds all tokens. */
const ALL_TOKENS = -1;

function lowerWindow(cx: ChainLowering, scope: Scope, expr: Expr, { callee }: BuiltinCall): UniformValue {
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
