/** Types, shapes and rates of expressions. */
import type { Binary, Call, Const, Expr, ScalarType } from "../syntax/ast.js";
import type { Span } from "../syntax/source.js";
import { children, namesIn } from "../syntax/walk.js";
import { FUNCTIONS, NAMES, type ArgType } from "./builtins.js";
import type { Diagnostic } from "./diagnostics.js";
import { notAValue, unknownFunction, unknownName } from "./diagnostics/names.js";
import { randomIsForSeeds } from "./diagnostics/params.js";
import {
  namedBuiltinArgument,
  noPresentOrder,
  notASeed,
  pickedTooEarly,
  staticNeedsStatic,
  textExpected,
  textHere,
  typeMismatch,
  wrongArgumentCount,
  drawIndexUnknown,
} from "./diagnostics/types.js";
import type { Module } from "./program.js";

/** When a scalar is known. A column is known at run time only. */
export type Rate = "static" | "uniform" | "runtime";

export interface Type {
  /** `error` was reported already and silences what follows from it. */
  readonly type: ScalarType | "error";
  readonly shape: "scalar" | "column";
  readonly rate: Rate;
}

export const ERROR: Type = { type: "error", shape: "scalar", rate: "static" };
export const scalarType = (type: Type["type"], rate: Rate): Type => ({ type, shape: "scalar", rate });

/** A parameter, a `let` or a state, and where it is declared. */
export interface Local {
  readonly type: Type;
  readonly isLet?: boolean;
  readonly span: Span;
}

/** What names mean where an expression stands. */
export interface Scope {
  readonly module: Module;
  readonly names: ReadonlyMap<string, Local>;
  /** The parameters that can change on every token. */
  readonly uniforms: ReadonlySet<string>;
  /** Rows are in an order that the sampler chose. */
  readonly isOrdered: boolean;
  /** Inside `after pick`. */
  readonly isAfterPick: boolean;
  /** Inside the `after pick` of a sampler that picks. */
  readonly canUsePicked: boolean;
  readonly diagnostics: Diagnostic[];
}

export function typeOf(scope: Scope, expr: Expr): Type {
  switch (expr.kind) {
    case "number":
      return scalarType(expr.isInt ? "i32" : "f32", "static");
    case "bool":
      return scalarType("bool", "static");
    case "string":
    case "list":
      return report(scope, textHere(expr.span, expr.kind === "string" ? "a text" : "a list"));
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
      return join(a.type === b.type ? a.type : promote(a, b), condition, a, b);
    }
    case "call":
      return typeOfCall(scope, expr);
  }
}

export function numberType(scope: Scope, expr: Expr): Type {
  const found = typeOf(scope, expr);
  return !["f32", "i32", "error"].includes(found.type)
    ? report(scope, typeMismatch(expr.span, "a number", kindOf(found)))
    : found;
}

export function conditionType(scope: Scope, expr: Expr): Type {
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
  if (Object.hasOwn(NAMES, name)) {
    const { type, shape, rate } = NAMES[name]!;
    return { type, shape, rate };
  }
  const declared = scope.module.scope.get(name)?.declaration;
  if (declared?.kind === "const") return constType(declared, scope.module.scope.get(name)!.module);
  if (declared?.kind === "input")
    return declared.type === "seed" ? ERROR : { type: declared.type, shape: "column", rate: "runtime" };
  if (scope.module.broken.has(name)) return ERROR;
  if (name === "random") return report(scope, randomIsForSeeds(span));
  if (declared) return report(scope, notAValue(span, name));
  return report(
    scope,
    unknownName(span, name, [...scope.names.keys(), ...Object.keys(NAMES), ...scope.module.scope.keys()]),
  );
}

/** Where a constant expression stands. */
export const constantScope = (module: Module, diagnostics: Diagnostic[]): Scope => ({
  module,
  names: new Map(),
  uniforms: new Set(),
  isOrdered: false,
  isAfterPick: false,
  canUsePicked: false,
  diagnostics,
});

/** The uniform parameters that an expression names itself. */
export const uniformsIn = (scope: Scope, expr: Expr): string[] => [
  ...new Set(namesIn(expr).filter((name) => scope.uniforms.has(name))),
];

/** Types of constants: each is found once, however many expressions name it. */
const constTypes = new WeakMap<Const, Type>();

/** The type of a constant. Faults of its expression are reported where it is declared, to `diagnostics`. */
export function constType(declaration: Const, module: Module, diagnostics?: Diagnostic[]): Type {
  const present = constTypes.get(declaration);
  if (present && !diagnostics) return present;
  const type = scalarType(typeOf(constantScope(module, diagnostics ?? []), declaration.value).type, "static");
  constTypes.set(declaration, type);
  return type;
}

const ARITHMETIC = new Set(["+", "-", "*", "/", "%", "^"]);

function typeOfBinary(scope: Scope, { op, left, right }: Binary): Type {
  if (op === "and" || op === "or") return join("bool", conditionType(scope, left), conditionType(scope, right));
  const [a, b] = [numberType(scope, left), numberType(scope, right)];
  if (!ARITHMETIC.has(op)) return join("bool", a, b);
  return join(op === "/" || op === "^" ? "f32" : promote(a, b), a, b);
}

const promote = (a: Type, b: Type): ScalarType => (a.type === "i32" && b.type === "i32" ? "i32" : "f32");

const RATES: readonly Rate[] = ["static", "uniform", "runtime"];

/** A value made of others: a column if one of them is, known when the last of them is, an error if one of them is. */
function join(type: Type["type"], ...parts: readonly Type[]): Type {
  if (parts.some((p) => p.type === "error")) return ERROR;
  const isColumn = parts.some((p) => p.shape === "column");
  const rate = RATES[Math.max(...parts.map((p) => RATES.indexOf(p.rate)))]!;
  return { type, shape: isColumn ? "column" : "scalar", rate: isColumn ? "runtime" : rate };
}

function typeOfCall(scope: Scope, { callee, args, span }: Call): Type {
  const name = callee.text;
  const builtin = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!builtin) {
    args.forEach(({ value }) => typeOf(scope, value));
    return report(scope, unknownFunction(callee.span, name, Object.keys(FUNCTIONS)));
  }
  const most = builtin.args.length;
  const least = most - (builtin.optional ?? 0);
  if (args.length < least || args.length > most) {
    return report(scope, wrongArgumentCount(span, name, least, most, args.length));
  }
  const named = args.find((a) => a.name);
  if (named) scope.diagnostics.push(namedBuiltinArgument(named.name!.span, name));
  if ((name === "prev" || name === "next") && !scope.isOrdered)
    scope.diagnostics.push(noPresentOrder(callee.span, name));
  const types = args.map(({ value }, i) => argumentType(scope, builtin.args[i]!, value));
  if (types.some((t) => t.type === "error")) return ERROR;
  if (builtin.kind === "feature" && builtin.args[0] === "number" && types[0]!.rate !== "static") {
    const { value } = args[0]!;
    return report(scope, staticNeedsStatic(value.span, "last", name, uniformsIn(scope, value)));
  }
  if (builtin.kind === "picked") return typeOfPicked(scope, callee.span, types[0]!);
  const isReduction = builtin.kind === "reduce" || (builtin.kind === "map" && args.length < most);
  if (isReduction) return scalarType(name === "max" || name === "min" ? types[0]!.type : builtin.result, "runtime");
  if (builtin.kind === "scan" || builtin.kind === "feature")
    return { type: builtin.result, shape: "column", rate: "runtime" };
  if (name === "known") return scalarType("bool", "static");
  if (builtin.kind === "host") {
    if (args[1]) checkDrawIndex(scope, args[1].value);
    return scalarType(builtin.result, "runtime");
  }
  const isWhole = types.every((t) => t.type === "i32") && ["min", "max", "clamp", "abs"].includes(name);
  return join(isWhole || ["floor", "ceil", "round", "sign"].includes(name) ? "i32" : builtin.result, ...types);
}

function typeOfPicked(scope: Scope, span: Span, { type }: Type): Type {
  return scope.canUsePicked ? scalarType(type, "runtime") : report(scope, pickedTooEarly(span));
}

function argumentType(scope: Scope, expected: ArgType, value: Expr): Type {
  if (expected === "condition") return conditionType(scope, value);
  if (expected === "number") return numberType(scope, value);
  if (expected === "seed") return seedType(scope, value);
  return textType(scope, value, expected === "texts" ? "list" : "text");
}

/** A text or a list of texts and token ids, or the name of a parameter that holds one. */
export function textType(scope: Scope, value: Expr, expected: "text" | "list"): Type {
  const local = value.kind === "name" ? scope.names.get(value.text)?.type : undefined;
  if (local?.type === expected || local?.type === "error") return local;
  const isText = expected === "text" && value.kind === "string";
  const isList =
    expected === "list" &&
    value.kind === "list" &&
    value.values.every((v) => v.kind === "string" || v.kind === "number");
  return isText || isList
    ? scalarType(expected, "static")
    : report(scope, textExpected(value.span, expected === "list"));
}

/** Which draw is used is worked out before the graph runs: from parameters, states and `step`. */
export function checkDrawIndex(scope: Scope, value: Expr): void {
  const isKnown = (e: Expr): boolean => {
    if (e.kind === "call" && FUNCTIONS[e.callee.text]?.kind !== "map") return false;
    if (e.kind === "call" && FUNCTIONS[e.callee.text]!.args.length > e.args.length) return false;
    const isColumnOrCount = e.kind === "name" && !scope.names.has(e.text) && NAMES[e.text]?.rate === "runtime";
    const isLet = e.kind === "name" && scope.names.get(e.text)?.isLet === true;
    return !isColumnOrCount && !isLet && children(e).every(isKnown);
  };
  if (numberType(scope, value).type !== "error" && !isKnown(value))
    scope.diagnostics.push(drawIndexUnknown(value.span));
}

/** A seed is a parameter of that type, an integer, or `random`. */
export function seedType(scope: Scope, value: Expr): Type {
  if (value.kind === "name" && value.text === "random") return scalarType("seed", "uniform");
  const found = typeOf(scope, value);
  const isSeed = found.type === "seed" || found.type === "error" || (found.type === "i32" && found.rate === "static");
  return isSeed ? found : report(scope, notASeed(value.span));
}
