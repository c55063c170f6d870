/** Samplers: their parameters, and one statement after the other. */
import type { Expr, Param, Sampler, Stmt } from "../syntax/ast.js";
import type { Span } from "../syntax/source.js";
import { FUNCTIONS, NAMES } from "./builtins.js";
import { evaluateConstant } from "./constants.js";
import type { Diagnostic } from "./diagnostics.js";
import { declaredTwice, notAvailable, shadowsBuiltin } from "./diagnostics/names.js";
import { emptyRange, notAnInteger, outOfRange, randomIsForSeeds, rangeOnType } from "./diagnostics/params.js";
import { afterThePick, notAssignable, pickInBranch } from "./diagnostics/statements.js";
import { mustBeColumn, mustBeScalar, mustBeStatic, notConstant, runtimeOrder } from "./diagnostics/types.js";
import type { Module } from "./program.js";
import { declaredRange } from "./ranges.js";
import { describeRange, isInRange } from "../graph/range.js";
import { conditionType, numberType, scalarType, seedType, typeOf, type Scope, type Type } from "./types.js";

export function checkSampler(module: Module, sampler: Sampler, diagnostics: Diagnostic[]): void {
  const names = new Map<string, Type>();
  checkParams(module, sampler.params, names, diagnostics);
  const body: Body = { module, names, isOrdered: false, diagnostics, hasPicked: false, branch: undefined };
  checkBlock(body, sampler.body);
}

// ---------------------------------------------------------------- parameters

/** Checks parameters and declares them in `names`. */
export function checkParams(module: Module, params: readonly Param[], names: Map<string, Type>, diagnostics: Diagnostic[]): void {
  for (const param of params) {
    const { text, span } = param.name;
    declare(names, text, span, scalarType(param.type, param.isStatic ? "static" : "uniform"), diagnostics);
    checkParam(module, param, diagnostics);
  }
}

function checkParam(module: Module, param: Param, diagnostics: Diagnostic[]): void {
  const { range, type } = param;
  const isNumber = type === "f32" || type === "i32";
  if (range && !isNumber) diagnostics.push(rangeOnType(range.span, type));
  const bounds = !range ? [] : range.kind === "in" ? [range.min, range.max] : [range.bound];
  const open = bounds.filter((b) => evaluateConstant(b, module) === undefined);
  diagnostics.push(...open.map((b) => notConstant(b.span, "a bound of a range")));
  if (open.length > 0) return;
  const declared = declaredRange(module, param);
  if (declared.min !== undefined && declared.max !== undefined && declared.min > declared.max)
    diagnostics.push(emptyRange(range!.span, declared.min, declared.max));
  else if (param.default) checkConstantFor(module, param, module, param.default, diagnostics, true);
}

/** Checks a constant given to a parameter; anything else is left to run time unless it `mustBeConstant`. */
export function checkConstantFor(declarer: Module, param: Param, module: Module, value: Expr, diagnostics: Diagnostic[], isDefault: boolean): void {
  const name = param.name.text;
  if (value.kind === "name" && value.text === "random") {
    if (param.type !== "seed") diagnostics.push(randomIsForSeeds(value.span));
    return;
  }
  const constant = evaluateConstant(value, module);
  if (constant === undefined) {
    if (isDefault) diagnostics.push(notConstant(value.span, `the default of \`${name}\``));
    return;
  }
  const range = param.type === "seed" ? { min: 0, max: 2 ** 32 - 1 } : declaredRange(declarer, param);
  const isWhole = param.type === "i32" || param.type === "seed";
  const declared = param.range && !isDefault ? { message: "the range is declared here", span: param.range.span } : undefined;
  if (isWhole && !Number.isInteger(constant)) diagnostics.push(notAnInteger(value.span, name, String(constant)));
  else if (!isInRange(range, constant)) diagnostics.push(outOfRange(value.span, name, describeRange(range), String(constant), declared));
}

function declare(names: Map<string, Type>, name: string, span: Span, type: Type, diagnostics: Diagnostic[]): void {
  if (Object.hasOwn(NAMES, name)) diagnostics.push(shadowsBuiltin(span, name, NAMES[name]!.shape === "column" ? "column" : "name"));
  else if (Object.hasOwn(FUNCTIONS, name)) diagnostics.push(shadowsBuiltin(span, name, "function"));
  else if (names.has(name)) diagnostics.push(declaredTwice(span, name, undefined));
  names.set(name, type);
}

// ---------------------------------------------------------------- statements

interface Body extends Scope {
  readonly names: Map<string, Type>;
  isOrdered: boolean;
  hasPicked: boolean;
  /** The condition of the innermost `if` that may change at run time, and whether that is certain. */
  readonly branch: { readonly span: Span; readonly isRuntime: boolean } | undefined;
}

function checkBlock(body: Body, statements: readonly Stmt[]): void {
  for (const s of statements) {
    if (body.hasPicked && s.kind !== "after") body.diagnostics.push(afterThePick(s.span));
    checkStmt(body, s);
  }
}

function checkStmt(body: Body, s: Stmt): void {
  switch (s.kind) {
    case "let":
      return declare(body.names, s.name.text, s.name.span, typeOf(body, s.value), body.diagnostics);
    case "assign": {
      if (s.target.text !== "logit") body.diagnostics.push(notAssignable(s.target.span, s.target.text, assignHelp(body, s.target.text)));
      numberType(body, s.value);
      return;
    }
    case "keep":
      conditionType(body, s.cond);
      if (s.atLeast) requireScalar(body, s.atLeast, numberType(body, s.atLeast), "the number of rows to keep");
      return;
    case "top": {
      const count = numberType(body, s.count);
      requireScalar(body, s.count, count, "the count of `top`");
      if (count.type !== "error" && count.shape === "scalar" && count.rate !== "static")
        body.diagnostics.push(mustBeStatic(s.count.span, "the count of `top`", s.count.kind === "name" ? s.count.text : undefined));
      return checkOrder(body, s.span, "top", s.by);
    }
    case "sort":
      return checkOrder(body, s.span, "sort", s.by);
    case "if":
      return checkIf(body, s);
    case "pick":
      return checkPick(body, s);
    case "state":
      body.diagnostics.push(notAvailable(s.span, "`state`"));
      return;
    case "after":
      body.diagnostics.push(notAvailable(s.span, "`after pick`"));
      return;
  }
}

const assignHelp = (body: Body, name: string): string =>
  body.names.has(name) || Object.hasOwn(NAMES, name)
    ? "only `logit` can be assigned; `prob` follows from it, and `let` makes a new column"
    : `declare it with \`let ${name} = ...\``;

function requireScalar(body: Body, expr: Expr, type: Type, what: string): void {
  if (type.type !== "error" && type.shape === "column") body.diagnostics.push(mustBeScalar(expr.span, what, type.type === "bool"));
}

function checkOrder(body: Body, span: Span, what: string, by: Expr | undefined): void {
  if (by) {
    const type = numberType(body, by);
    if (type.type !== "error" && type.shape === "scalar") body.diagnostics.push(mustBeColumn(by.span, `what \`${what}\` orders by`));
  }
  if (body.branch?.isRuntime) body.diagnostics.push(runtimeOrder(span, what, body.branch.span));
  body.isOrdered = true;
}

function checkIf(body: Body, s: Extract<Stmt, { kind: "if" }>): void {
  const condition = conditionType(body, s.cond);
  requireScalar(body, s.cond, condition, "the condition of `if`");
  const branch = condition.rate === "static" ? body.branch : { span: s.cond.span, isRuntime: condition.rate === "runtime" };
  const branches = [s.then, s.else ?? []].map((statements) => {
    const inner: Body = { ...body, names: new Map(body.names), branch };
    checkBlock(inner, statements);
    return inner;
  });
  body.isOrdered ||= branches.some((b) => b.isOrdered);
  body.hasPicked ||= branches.some((b) => b.hasPicked);
}

function checkPick(body: Body, s: Extract<Stmt, { kind: "pick" }>): void {
  if (s.how === "sample") seedType(body, s.value);
  else {
    const type = numberType(body, s.value);
    if (type.type !== "error" && type.shape === "scalar") body.diagnostics.push(mustBeColumn(s.value.span, "what `pick argmax` compares"));
  }
  if (body.branch?.isRuntime) body.diagnostics.push(pickInBranch(s.span));
  body.hasPicked = true;
}

/** Whether a sampler picks the token. */
export const picks = (statements: readonly Stmt[]): boolean =>
  statements.some((s) => s.kind === "pick" || (s.kind === "if" && (picks(s.then) || picks(s.else ?? []))));
