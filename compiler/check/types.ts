/** Types, shapes and rates of expressions. */
import type { Arg, Binary, Call, Const, Expr, Name, ScalarType } from "../syntax/ast.js";
import type { Span } from "../syntax/source.js";
import { children, namesIn } from "../syntax/walk.js";
import {
  argsOf,
  countsOf,
  givesOf,
  namedArgs,
  positional,
  type ArgType,
  type Builtin,
  type Rate,
  type Result,
} from "../builtins/builtin.js";
import { FUNCTIONS, findFunction, findName, NAMES } from "../builtins/builtins.js";
import { TEXT_SOURCES } from "../builtins/features.js";
import { OPERATORS } from "../builtins/operators.js";
import type { Diagnostic, Sink } from "./diagnostics.js";
import { notAValue, unknownFunction, unknownName } from "./diagnostics/names.js";
import { givenTwice, positionalAfterNamed, randomIsForSeeds } from "./diagnostics/params.js";
import {
  namedBuiltinArgument,
  noPresentOrder,
  notASeed,
  pickedTooEarly,
  pickedWithoutPick,
  sumsUnsorted,
  staticNeedsStatic,
  textExpected,
  textHere,
  typeMismatch,
  wrongArgumentCount,
  drawIndexUnknown,
  endingExpected,
  mustBeWhole,
  sourceExpected,
  windowUnknown,
  sequencesExpected,
} from "./diagnostics/types.js";
import type { Module } from "./program.js";

export interface Type {
  /** `error` is already reported; it suppresses subsequent errors. */
  readonly type: ScalarType | "error";
  readonly shape: "scalar" | "column";
  readonly rate: Rate;
}

export const ERROR: Type = { type: "error", shape: "scalar", rate: "static" };
export const scalarType = (type: Type["type"], rate: Rate): Type => ({ type, shape: "scalar", rate });

/** A parameter, a `let` or a state, and the span of its declaration. */
export interface Local {
  readonly type: Type;
  readonly isLet?: boolean;
  readonly span: Span;
}

/** The scope of an expression. */
export interface Scope {
  readonly module: Module;
  readonly names: ReadonlyMap<string, Local>;
  /** The parameters that can change with every token. */
  readonly uniforms: ReadonlySet<string>;
  /** The sampler has sorted the rows. */
  readonly isOrdered: boolean;
  /** Inside `after pick`. */
  readonly isAfterPick: boolean;
  /** Inside the `after pick` of a sampler that picks. */
  readonly canUsePicked: boolean;
  readonly diagnostics: Sink;
}

export function typeOf(scope: Scope, expr: Expr): Type {
  switch (expr.kind) {
    case "number":
      return scalarType(expr.isInt ? "i32" : "f32", "static");
    case "bool":
      return scalarType("bool", "static");
    case "string":
    case "list":
      return report(scope, textHere(expr.span, literalKind(expr)!));
    case "name":
      return typeOfName(scope, expr.text, expr.span);
    case "unary": {
      const operand = expr.op === "-" ? numberType(scope, expr.operand) : conditionType(scope, expr.operand);
      return operand;
    }
    case "binary":
      return typeOfBinary(scope, expr);
    case "conditional": {
      const condition = conditionType(scope, expr.cond);
      const [a, b] = [typeOf(scope, expr.then), typeOf(scope, expr.else)];
      const isMixed = (a.type === "bool") !== (b.type === "bool") && a.type !== "error" && b.type !== "error";
      if (isMixed) return report(scope, typeMismatch(expr.else.span, kindOf(a), kindOf(b)));
      return join(a.type === b.type ? a.type : resultType("number", [a, b]), condition, a, b);
    }
    case "call":
      return typeOfCall(scope, expr);
  }
}

/** What a literal is that is no value of an expression. */
const literalKind = ({ kind }: Expr): string | undefined =>
  kind === "string" ? "a text" : kind === "list" ? "a list" : undefined;

export function numberType(scope: Scope, expr: Expr): Type {
  const literal = literalKind(expr);
  if (literal !== undefined) return report(scope, typeMismatch(expr.span, "a number", literal));
  const found = typeOf(scope, expr);
  return !["f32", "i32", "error"].includes(found.type)
    ? report(scope, typeMismatch(expr.span, "a number", kindOf(found)))
    : found;
}

export function conditionType(scope: Scope, expr: Expr): Type {
  const literal = literalKind(expr);
  if (literal !== undefined) return report(scope, typeMismatch(expr.span, "a condition", literal));
  const found = typeOf(scope, expr);
  return found.type === "bool" || found.type === "error"
    ? found
    : report(scope, typeMismatch(expr.span, "a condition", kindOf(found)));
}

const KINDS: Readonly<Record<Type["type"], string>> = {
  ...{
    f32: "a number",
    i32: "a number",
    bool: "a condition",
    seed: "a seed",
    text: "a text",
    list: "a list",
    error: "",
  },
};

export const kindOf = ({ type }: Type): string => KINDS[type];

function report(scope: Scope, diagnostic: Diagnostic): Type {
  scope.diagnostics.push(diagnostic);
  return ERROR;
}

function typeOfName(scope: Scope, name: string, span: Span): Type {
  const local = scope.names.get(name);
  if (local) return local.type;
  // a reserved name has no declaration
  const declared = scope.module.scope.get(name)?.declaration;
  const builtin = declared ? undefined : findName(name);
  if (builtin?.needs === "order" && !scope.isOrdered) return report(scope, noPresentOrder(span, name));
  if (builtin) return { type: builtin.type, shape: builtin.shape, rate: builtin.rate };
  if (declared?.kind === "const") return constType(declared, scope.module.scope.get(name)!.module);
  if (declared?.kind === "input")
    return isInputType(declared.type) ? { type: declared.type, shape: "column", rate: "runtime" } : ERROR;
  if (scope.module.broken.has(name)) return ERROR;
  if (name === "random") return report(scope, randomIsForSeeds(span));
  if (declared) return report(scope, notAValue(span, name));
  return report(
    scope,
    unknownName(span, name, [...scope.names.keys(), ...Object.keys(NAMES), ...scope.module.scope.keys()]),
  );
}

/** Whether an input can be of a type. */
export const isInputType = (type: ScalarType): type is "f32" | "i32" | "bool" =>
  type === "f32" || type === "i32" || type === "bool";

/** The scope of a constant expression. */
export const constantScope = (module: Module, diagnostics: Sink): Scope => ({
  module,
  names: new Map(),
  uniforms: new Set(),
  isOrdered: false,
  isAfterPick: false,
  canUsePicked: false,
  diagnostics,
});

/** The uniform parameters that an expression names directly. */
export const uniformsIn = (scope: Scope, expr: Expr): string[] => [
  ...new Set(namesIn(expr).filter((name) => scope.uniforms.has(name))),
];

/** Types of constants: each is computed once. */
const constTypes = new WeakMap<Const, Type>();

/** The type of a constant. Faults of its expression are reported where it is declared, to `diagnostics`. */
export function constType(declaration: Const, module: Module, diagnostics?: Sink): Type {
  const present = constTypes.get(declaration);
  if (present && !diagnostics) return present;
  const type = scalarType(typeOf(constantScope(module, diagnostics ?? []), declaration.value).type, "static");
  constTypes.set(declaration, type);
  return type;
}

function typeOfBinary(scope: Scope, { op, left, right }: Binary): Type {
  const { takes, result } = OPERATORS[op];
  const operandType = takes === "condition" ? conditionType : numberType;
  const operands = [operandType(scope, left), operandType(scope, right)];
  return join(resultType(result, operands), ...operands);
}

/** The type of an operation by its operands. */
const resultType = (result: Result, operands: readonly Type[]): ScalarType =>
  result === "number" ? (operands.every((t) => t.type === "i32") ? "i32" : "f32") : result;

const RATES: readonly Rate[] = ["static", "uniform", "runtime"];

/** Combines operand types: a column or an error if any operand is, with the latest rate. */
function join(type: Type["type"], ...parts: readonly Type[]): Type {
  if (parts.some((p) => p.type === "error")) return ERROR;
  const isColumn = parts.some((p) => p.shape === "column");
  const rate = RATES[Math.max(...parts.map((p) => RATES.indexOf(p.rate)))]!;
  return { type, shape: isColumn ? "column" : "scalar", rate: isColumn ? "runtime" : rate };
}

function typeOfCall(scope: Scope, { callee, args, span }: Call): Type {
  const name = callee.text;
  const builtin = findFunction(name);
  if (!builtin) {
    args.forEach(({ value }) => typeOf(scope, value));
    return report(scope, unknownFunction(callee.span, name, Object.keys(FUNCTIONS)));
  }
  const { least, most } = countsOf(builtin);
  const given = positional(builtin, args);
  if (given.length < least || given.length > most)
    return report(scope, wrongArgumentCount(span, name, least, most, given.length, builtin.help));
  checkNames(scope, builtin, name, args);
  checkNeeds(scope, builtin, callee);
  const declared = argsOf(builtin);
  const types = [
    ...given.map(({ value }, i) => argumentType(scope, declared[i]!, value, name)),
    ...namedArgs(builtin, args).map(([arg, type, value]) => argumentType(scope, [arg, type], value, name)),
  ];
  if (types.some((t) => t.type === "error")) return ERROR;
  const isFraction = types.some((t) => t.shape === "column" && t.type === "f32");
  if (builtin.isOrdered && isFraction && !scope.isOrdered) scope.diagnostics.push(sumsUnsorted(callee.span, name));
  const type = resultType(builtin.result, types);
  const gives = givesOf(builtin, given.length);
  switch (gives) {
    case "map":
      return join(type, ...types);
    case "scalar":
      return scalarType(type, "runtime");
    case "static":
    case "uniform":
      return scalarType(type, gives);
    case "column":
      return { type, shape: "column", rate: "runtime" };
  }
}

/** Arguments by name: those that exist, once each, after the others. */
function checkNames(scope: Scope, builtin: Builtin, callee: string, args: readonly Arg[]): void {
  const { named = {} } = builtin;
  const seen = new Set<string>();
  for (const { name, span } of args) {
    if (!name) {
      if (seen.size > 0) scope.diagnostics.push(positionalAfterNamed(span));
      continue;
    }
    if (!Object.hasOwn(named, name.text)) {
      scope.diagnostics.push(namedBuiltinArgument(name.span, callee, Object.keys(named)));
      return;
    }
    if (seen.has(name.text)) scope.diagnostics.push(givenTwice(span, name.text));
    seen.add(name.text);
  }
}

function checkNeeds(scope: Scope, { needs }: Builtin, { text, span }: Name): void {
  if (needs === "order" && !scope.isOrdered) scope.diagnostics.push(noPresentOrder(span, text));
  if (needs === "pick" && !scope.canUsePicked)
    scope.diagnostics.push(scope.isAfterPick ? pickedWithoutPick(span) : pickedTooEarly(span));
}

/** The type of an argument; `callee` names the function. */
function argumentType(scope: Scope, [name, expected]: [string, ArgType], value: Expr, callee: string): Type {
  switch (expected) {
    case "number":
    case "ofPickedRow":
      return numberType(scope, value);
    case "condition":
      return conditionType(scope, value);
    case "window":
      return windowType(scope, value);
    case "source":
      return sourceType(scope, value);
    case "position": {
      const found = numberType(scope, value);
      if (found.type === "error" || found.rate === "static") return found;
      return report(scope, staticNeedsStatic(value.span, name, callee, uniformsIn(scope, value)));
    }
    case "ending":
      return endingType(scope, value);
    case "index":
      return indexType(scope, value);
    case "seed":
      return seedType(scope, value);
    case "text":
      return textType(scope, value, "text");
    case "texts":
      return textType(scope, value, "list");
    case "sequences":
      return textType(scope, value, "list", true, sequencesExpected(value.span));
  }
}

/**
 * A text or a list of texts and token ids, or the name of a parameter that holds one. A nested list may also have lists of
 * token ids.
 */
export function textType(
  scope: Scope,
  value: Expr,
  expected: "text" | "list",
  isNested = false,
  fault = textExpected(value.span, expected === "list"),
): Type {
  const local = value.kind === "name" ? scope.names.get(value.text)?.type : undefined;
  if (local?.type === expected || local?.type === "error") return local;
  const isText = expected === "text" && value.kind === "string";
  const isList =
    expected === "list" &&
    value.kind === "list" &&
    value.values.every((v) => v.kind === "string" || v.kind === "number" || (isNested && isIdList(v)));
  return isText || isList ? scalarType(expected, "static") : report(scope, fault);
}

const isIdList = (e: Expr): boolean => e.kind === "list" && e.values.every((v) => v.kind === "number");

/** A text, or a list of token ids. */
function endingType(scope: Scope, value: Expr): Type {
  const local = value.kind === "name" ? scope.names.get(value.text)?.type : undefined;
  if (local?.type === "text" || local?.type === "list" || local?.type === "error") return local;
  return value.kind === "string" || isIdList(value)
    ? scalarType("list", "static")
    : report(scope, endingExpected(value.span));
}

/** `all`, `prompt`, `generated`, or an input of tokens. */
function sourceType(scope: Scope, value: Expr): Type {
  const isWord = value.kind === "name" && Object.hasOwn(TEXT_SOURCES, value.text);
  return isWord ? scalarType("text", "static") : report(scope, sourceExpected(value.span));
}

/** A window is an integer that is known before the graph runs. */
function windowType(scope: Scope, value: Expr): Type {
  const found = numberType(scope, value);
  if (found.type === "error" || found.rate === "static") return found;
  if (!isKnownBefore(scope, value)) return report(scope, windowUnknown(value.span));
  return found.type === "f32" ? report(scope, mustBeWhole(value.span, "a window", "a value of type f32")) : found;
}

/** A draw index is computed before the graph runs, from parameters, states and `step`. */
export function indexType(scope: Scope, value: Expr): Type {
  const found = numberType(scope, value);
  if (found.type !== "error" && !isKnownBefore(scope, value)) scope.diagnostics.push(drawIndexUnknown(value.span));
  return found;
}

/** Whether an expression is computed before the graph runs. */
function isKnownBefore(scope: Scope, value: Expr): boolean {
  const isKnown = (e: Expr): boolean => {
    const callee = e.kind === "call" ? findFunction(e.callee.text) : undefined;
    const gives = callee && e.kind === "call" ? givesOf(callee, e.args.length) : undefined;
    if (gives === "uniform") return true;
    if (e.kind === "call" && gives !== "map") return false;
    const isColumnOrCount = e.kind === "name" && !scope.names.has(e.text) && findName(e.text)?.rate === "runtime";
    const isLet = e.kind === "name" && scope.names.get(e.text)?.isLet === true;
    return !isColumnOrCount && !isLet && children(e).every(isKnown);
  };
  return isKnown(value);
}

/** A seed is a parameter of that type, an integer, or `random`. */
export function seedType(scope: Scope, value: Expr): Type {
  if (value.kind === "name" && value.text === "random") return scalarType("seed", "uniform");
  const found = typeOf(scope, value);
  const isSeed = found.type === "seed" || found.type === "error" || (found.type === "i32" && found.rate === "static");
  return isSeed ? found : report(scope, notASeed(value.span));
}
