/** Samplers: their parameters and statements. */
import type { Expr, Let, Param, Sampler, Stmt } from "../syntax/ast.js";
import type { Span } from "../syntax/source.js";
import { allExpressions, namesIn } from "../syntax/walk.js";
import { assignableNames, builtinKind, findName } from "../builtins/builtins.js";
import { evaluateConstant } from "./constants.js";
import { isError, type Diagnostic, type Sink } from "./diagnostics.js";
import { declaredTwice, shadowsBuiltin } from "./diagnostics/names.js";
import { emptyRange, outOfRange, rangeOnType, textIsStatic } from "./diagnostics/params.js";
import {
  afterThePick,
  measuredTwice,
  nestedDeclaration,
  notAfterPick,
  notAssignable,
  pickInBranch,
  unusedLet,
  unusedParameter,
} from "./diagnostics/statements.js";
import {
  mustBeColumn,
  mustBeScalar,
  mustBeStatic,
  mustBeWhole,
  notConstant,
  notKnownBefore,
  runtimeOrder,
  stateOfType,
  typeMismatch,
} from "./diagnostics/types.js";
import type { Module } from "./program.js";
import { declaredRange } from "./ranges.js";
import { suggest } from "./suggest.js";
import { grammarStatic } from "./diagnostics/grammars.js";
import { sizeOfStatic, sizeOnType } from "./diagnostics/sets.js";
import { MAX_SEED } from "../graph/param.js";
import { MAX_CAPACITY } from "../graph/sets.js";
import { describeRange, fractionMeant, isInRange } from "../graph/range.js";
import { grammarType, indexType, seedType, textType } from "./calls.js";
import {
  conditionType,
  constantScope,
  ERROR,
  kindOf,
  numberType,
  scalarType,
  setType,
  typeOf,
  uniformsIn,
  valueType,
  type Local,
  type Scope,
  type Type,
  TYPING,
} from "./types.js";

export function checkSampler(module: Module, sampler: Sampler, diagnostics: Sink): void {
  const names = new Map<string, Local>();
  const own: Diagnostic[] = [];
  checkParams(module, sampler.params, names, own);
  const body: Body = {
    module,
    names,
    uniforms: uniformsOf(sampler.params),
    hasRows: true,
    isAfterPick: false,
    canUsePicked: false,
    diagnostics: own,
    hasPicked: false,
    branch: undefined,
    states: new Map(),
    measures: new Map(),
  };
  checkBlock(body, sampler.body, "sampler");
  const expressions = allExpressions(sampler.body);
  checkUnused(sampler.params, expressions, own);
  for (const d of own) diagnostics.push(d);
  // a fault is often in the use of a value
  if (own.some(isError)) return;
  const used = new Set(expressions.flatMap(namesIn));
  for (const { name } of letsIn(sampler.body))
    if (!used.has(name.text)) diagnostics.push(unusedLet(name.span, name.text));
}
/** The `let` statements of a body, those of nested statements included. */
const letsIn = (body: readonly Stmt[]): Let[] =>
  body.flatMap((s) =>
    s.kind === "let"
      ? [s]
      : s.kind === "if"
        ? letsIn([...s.then, ...(s.else ?? [])])
        : s.kind === "after"
          ? letsIn(s.body)
          : [],
  );

// ---------------------------------------------------------------- parameters

/** Warns of unused parameters. */
export function checkUnused(params: readonly Param[], expressions: readonly Expr[], diagnostics: Sink): void {
  const used = new Set(expressions.flatMap(namesIn));
  for (const { name } of params) if (!used.has(name.text)) diagnostics.push(unusedParameter(name.span, name.text));
}

export const uniformsOf = (params: readonly Param[]): ReadonlySet<string> =>
  new Set(params.filter((p) => !p.isStatic).map((p) => p.name.text));

/** Checks parameters and declares them in `names`. */
export function checkParams(
  module: Module,
  params: readonly Param[],
  names: Map<string, Local>,
  diagnostics: Sink,
): void {
  for (const param of params) {
    const { text, span } = param.name;
    const type = scalarType(param.type, param.isStatic ? "static" : "uniform");
    // a parameter may shadow `n`, `vocab` or `step`: the parameter of llama.cpp's top_n_sigma is named `n`
    if (builtinKind(text) === "value" && !names.has(text)) names.set(text, { type, span });
    else declare(names, text, span, type, diagnostics);
    checkParam(module, param, diagnostics);
  }
}

function checkParam(module: Module, param: Param, diagnostics: Sink): void {
  const { range, type } = param;
  const scope = constantScope(module, diagnostics);
  const isNumber = type === "f32" || type === "i32";
  if ((type === "text" || type === "list") && !param.isStatic)
    diagnostics.push(textIsStatic(param.span, param.name.text, type));
  if (type === "grammar" && param.isStatic) diagnostics.push(grammarStatic(param.span, param.name.text));
  checkSize(module, param, diagnostics);
  if (range && !isNumber) diagnostics.push(rangeOnType(range.span, type));
  const bounds = !range ? [] : range.kind === "in" ? [range.min, range.max] : [range.bound];
  const areConstant = bounds.map((b) => isConstantNumber(scope, b)).every(Boolean);
  if (!areConstant) return;
  const declared = declaredRange(module, param);
  const isEmpty = declared.min !== undefined && declared.max !== undefined && declared.min > declared.max;
  if (isEmpty) diagnostics.push(emptyRange(range!.span, declared.min, declared.max));
  else if (param.default) checkDefault(scope, param, param.default);
}

/** The most tokens of a set that can change. */
function checkSize(module: Module, { size, type, isStatic }: Param, diagnostics: Sink): void {
  if (!size) return;
  if (type !== "tokens") return void diagnostics.push(sizeOnType(size.span, type));
  if (isStatic) return void diagnostics.push(sizeOfStatic(size.span));
  if (numberType(constantScope(module, diagnostics), size).type === "error") return;
  const found = evaluateConstant(size, module);
  if (found === undefined) diagnostics.push(notConstant(size.span, "the size of a set"));
  else if (!Number.isInteger(found)) diagnostics.push(mustBeWhole(size.span, "the size of a set", String(found)));
  else if (found < 1 || found > MAX_CAPACITY)
    diagnostics.push(outOfRange(size.span, "tokens", `in [1, ${MAX_CAPACITY}]`, String(found)));
}

function isConstantNumber(scope: Scope, bound: Expr): boolean {
  if (numberType(scope, bound).type === "error") return false;
  if (evaluateConstant(bound, scope.module) !== undefined) return true;
  scope.diagnostics.push(notConstant(bound.span, "a bound of a range"));
  return false;
}

function checkDefault(scope: Scope, param: Param, value: Expr): void {
  if (param.type === "text" || param.type === "list") {
    textType(scope, value, param.type, param.type === "list");
    return;
  }
  if (param.type === "tokens") {
    setType(scope, value);
    return;
  }
  if (param.type === "grammar") {
    grammarType(scope, value);
    return;
  }
  const found =
    param.type === "seed"
      ? seedType(TYPING, scope, value)
      : param.type === "bool"
        ? conditionType(scope, value)
        : numberType(scope, value);
  const isRandom = value.kind === "name" && value.text === "random";
  if (found.type === "error" || isRandom) return;
  if (evaluateConstant(value, scope.module) === undefined)
    scope.diagnostics.push(notConstant(value.span, `the default of \`${param.name.text}\``));
  else checkConstantFor(scope.module, param, scope.module, value, scope.diagnostics);
}

/** Checks a constant argument of a parameter that `declarer` declares; other arguments are checked at run time. */
export function checkConstantFor(declarer: Module, param: Param, module: Module, value: Expr, diagnostics: Sink): void {
  const constant = evaluateConstant(value, module);
  if (constant === undefined) return;
  const name = param.name.text;
  const range = param.type === "seed" ? { min: 0, max: MAX_SEED } : declaredRange(declarer, param);
  const isWhole = param.type === "i32" || param.type === "seed";
  if (isWhole && !Number.isInteger(constant))
    diagnostics.push(mustBeWhole(value.span, `\`${name}\``, String(constant)));
  else if (!isInRange(range, constant))
    diagnostics.push(
      outOfRange(value.span, name, describeRange(range), String(constant), {
        declared: param.range?.span,
        meant: fractionMeant(range, constant),
      }),
    );
}

function declare(
  names: Map<string, Local>,
  name: string,
  span: Span,
  type: Type,
  diagnostics: Sink,
  isLet = false,
): void {
  const builtin = builtinKind(name);
  const first = names.get(name);
  if (builtin !== undefined) diagnostics.push(shadowsBuiltin(span, name, builtin));
  else if (first) diagnostics.push(declaredTwice(span, name, first.span));
  names.set(name, { type, span, isLet });
}

// ---------------------------------------------------------------- statements

interface Body extends Scope {
  readonly names: Map<string, Local>;
  hasPicked: boolean;
  readonly states: Map<string, Type>;
  /** Where each measure is named. */
  readonly measures: Map<string, Span>;
  /** The condition of an enclosing `if` that may change at run time, and whether it certainly does. */
  readonly branch: { readonly span: Span; readonly isRuntime: boolean } | undefined;
}

/** Where a block is: the sampler itself, its `after pick`, or a branch of an `if`. */
type Place = "sampler" | "after" | "branch";

/** Statements that are allowed in some places only, in words, and these places. */
const PLACED: Readonly<Partial<Record<Stmt["kind"], { readonly words: string; readonly places: readonly Place[] }>>> = {
  state: { words: "`state`", places: ["sampler"] },
  after: { words: "`after pick`", places: ["sampler"] },
  measure: { words: "`measure`", places: ["sampler", "after"] },
};

function checkBlock(body: Body, statements: readonly Stmt[], place: Place = "branch"): void {
  let isReported = false;
  for (const s of statements) {
    const mayFollow = s.kind === "after" || s.kind === "measure";
    if (body.hasPicked && !body.isAfterPick && !mayFollow && !isReported) {
      body.diagnostics.push(afterThePick(s.span));
      isReported = true;
    }
    const placed = PLACED[s.kind];
    if (placed && !placed.places.includes(place)) body.diagnostics.push(nestedDeclaration(s.span, placed.words));
    else if (body.isAfterPick && !["let", "if", "assign", "measure"].includes(s.kind))
      body.diagnostics.push(notAfterPick(s.span, s.kind));
    else checkStmt(body, s);
  }
}

function checkStmt(body: Body, s: Stmt): void {
  switch (s.kind) {
    case "let":
      declare(body.names, s.name.text, s.name.span, valueType(body, s.value), body.diagnostics, true);
      return;
    case "assign":
      return checkAssign(body, s);
    case "keep":
      conditionType(body, s.cond);
      if (s.atLeast) requireCount(body, s.atLeast, "the number of rows to keep");
      return;
    case "top": {
      const count = requireCount(body, s.count, "the count of `top`");
      if (count.type !== "error" && count.rate !== "static")
        body.diagnostics.push(mustBeStatic(s.count.span, "the count of `top`", uniformsIn(body, s.count)));
      return checkOrder(body, s.span, "top", s.by);
    }
    case "sort":
      return checkOrder(body, s.span, "sort", s.by);
    case "if":
      return checkIf(body, s);
    case "pick":
      return checkPick(body, s);
    case "state":
      return checkState(body, s);
    case "after": {
      // its measures are those of the sampler, as its states are
      const inside = { ...body, names: new Map(body.names), isAfterPick: true, canUsePicked: body.hasPicked };
      return checkBlock(inside, s.body, "after");
    }
    case "measure":
      return checkMeasure(body, s);
  }
}

/** A scalar; after the pick it may be about the picked row. */
function checkMeasure(body: Body, { name, value }: Extract<Stmt, { kind: "measure" }>): void {
  const type = typeOf({ ...body, canUsePicked: body.hasPicked || body.canUsePicked }, value);
  if (type.type !== "error" && !["f32", "i32", "bool"].includes(type.type))
    body.diagnostics.push(typeMismatch(value.span, "a number or a condition", kindOf(type)));
  else requireScalar(body, value, type, `the measure \`${name.text}\``);
  const first = body.measures.get(name.text);
  if (first) body.diagnostics.push(measuredTwice(name.span, name.text, first));
  else body.measures.set(name.text, name.span);
}

/** `logit` before the pick, a state after it. */
function checkAssign(body: Body, { target, op, value }: Extract<Stmt, { kind: "assign" }>): void {
  const state = body.isAfterPick ? body.states.get(target.text) : undefined;
  if (!state && (body.isAfterPick || !findName(target.text)?.isAssignable)) {
    body.diagnostics.push(notAssignable(target.span, target.text, assignHelp(body, target.text)));
    typeOf(body, value);
  } else if (state) checkStateValue(body, state, value, op !== "=");
  else numberType(body, value);
}

function checkState(body: Body, { name, type, init, span }: Extract<Stmt, { kind: "state" }>): void {
  const isNone = type === "seed" || type === "tokens" || type === "grammar";
  const state = scalarType(isNone ? "error" : type, "runtime");
  if (isNone) body.diagnostics.push(stateOfType(span, type));
  else if (checkStateValue(body, state, init, false).rate === "runtime")
    body.diagnostics.push(notKnownBefore(init.span));
  declare(body.names, name.text, name.span, state, body.diagnostics);
  body.states.set(name.text, state);
}

/** A value assigned to a state: a scalar number or condition. */
function checkStateValue(body: Body, state: Type, value: Expr, isArithmetic: boolean): Type {
  const type = state.type === "bool" && !isArithmetic ? conditionType(body, value) : numberType(body, value);
  if (type.shape === "column")
    body.diagnostics.push(mustBeScalar(value.span, "a state", type.type === "bool", body.isAfterPick));
  else if (state.type === "i32" && type.type === "f32")
    body.diagnostics.push(mustBeWhole(value.span, "the state", "a value of type f32"));
  return type.shape === "column" ? ERROR : type;
}

function assignHelp(body: Body, name: string): string {
  if (body.isAfterPick)
    return body.states.size > 0
      ? `inside \`after pick\` only states can be assigned: ${[...body.states.keys()].join(", ")}`
      : "declare a state first: `state s: f32 = 0`";
  if (body.states.has(name)) return "assign a state inside `after pick { ... }`";
  if (body.names.has(name) || findName(name))
    return "only `logit` can be assigned; `prob` follows from it, and `let` declares a new column";
  const meant = suggest(name, assignableNames());
  return meant === undefined ? `declare it with \`let ${name} = ...\`` : `did you mean \`${meant}\`?`;
}

function requireScalar(body: Body, expr: Expr, type: Type, what: string): void {
  if (type.type !== "error" && type.shape === "column")
    body.diagnostics.push(mustBeScalar(expr.span, what, type.type === "bool"));
}

/** A number of rows: an integer scalar. Anything else is reported, and has the type error. */
function requireCount(body: Body, expr: Expr, what: string): Type {
  const type = numberType(body, expr);
  requireScalar(body, expr, type, what);
  if (type.type === "error" || type.shape === "column") return ERROR;
  const constant = evaluateConstant(expr, body.module);
  const isWhole = constant === undefined ? type.type === "i32" : Number.isInteger(constant);
  if (!isWhole) body.diagnostics.push(mustBeWhole(expr.span, what, String(constant ?? "a value of type f32")));
  return isWhole ? type : ERROR;
}

function checkOrder(body: Body, span: Span, what: string, by: Expr | undefined): void {
  if (by) {
    const type = numberType(body, by);
    if (type.type !== "error" && type.shape === "scalar")
      body.diagnostics.push(mustBeColumn(by.span, `the key of \`${what}\``));
  }
  if (body.branch?.isRuntime) body.diagnostics.push(runtimeOrder(span, what, body.branch.span));
}

function checkIf(body: Body, s: Extract<Stmt, { kind: "if" }>): void {
  const condition = conditionType(body, s.cond);
  requireScalar(body, s.cond, condition, "the condition of `if`");
  const isSettled = condition.rate === "static" || condition.shape === "column" || body.branch?.isRuntime;
  const branch = isSettled ? body.branch : { span: s.cond.span, isRuntime: condition.rate === "runtime" };
  const branches = [s.then, s.else ?? []].map((statements) => {
    const inner: Body = { ...body, names: new Map(body.names), branch };
    checkBlock(inner, statements);
    return inner;
  });
  body.hasPicked ||= branches.some((b) => b.hasPicked);
}

function checkPick(body: Body, s: Extract<Stmt, { kind: "pick" }>): void {
  if (s.how === "sample") {
    seedType(TYPING, body, s.value);
    if (s.at) indexType(TYPING, body, s.at);
  } else {
    const type = numberType(body, s.value);
    if (type.type !== "error" && type.shape === "scalar")
      body.diagnostics.push(mustBeColumn(s.value.span, "the argument of `pick argmax`"));
  }
  if (body.branch?.isRuntime) body.diagnostics.push(pickInBranch(s.span));
  body.hasPicked = true;
}

/** Whether a sampler picks the token. */
export const picks = (statements: readonly Stmt[]): boolean =>
  statements.some((s) => s.kind === "pick" || (s.kind === "if" && (picks(s.then) || picks(s.else ?? []))));
