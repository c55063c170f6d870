/** Types, shapes and rates of expressions. */
import type { Binary, Call, Const, Expr, Member, Name, ScalarType } from "../syntax/ast.js";
import type { Span } from "../syntax/source.js";
import { children, namesIn } from "../syntax/walk.js";
import { argsOf, countsOf, givesOf, type ArgType, type Builtin, type Rate, type Result } from "../builtins/builtin.js";
import { FUNCTIONS, findFunction, findName, NAMES } from "../builtins/builtins.js";
import { OPERATORS } from "../builtins/operators.js";
import type { Diagnostic, Sink } from "./diagnostics.js";
import { notAValue, unknownFunction, unknownName } from "./diagnostics/names.js";
import { randomIsForSeeds } from "./diagnostics/params.js";
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
} from "./diagnostics/types.js";
import { notAToken, patternHere, setExpected, setHere } from "./diagnostics/sets.js";
import type { Module } from "./program.js";
import { checkSetLiteral, isSetLiteral, type SetLiteral } from "./sets.js";

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
    case "pattern":
      return report(scope, patternHere(expr.span));
    case "part":
      return checkSet(scope, expr).type === "error" ? ERROR : report(scope, setHere(expr.span));
    case "name": {
      const found = typeOfName(scope, expr.text, expr.span);
      return found.type === "tokens" ? report(scope, setHere(expr.span)) : found;
    }
    case "member":
      return typeOfMember(scope, expr);
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
    tokens: "a set of tokens",
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
  const builtin = findName(name);
  if (builtin?.needs === "order" && !scope.isOrdered) return report(scope, noPresentOrder(span, name));
  if (builtin) return { type: builtin.type, shape: builtin.shape, rate: builtin.rate };
  const declared = scope.module.scope.get(name)?.declaration;
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
  const { value } = declaration;
  const scope = constantScope(module, diagnostics ?? []);
  const type = scalarType((isSetLiteral(value) ? setType(scope, value) : typeOf(scope, value)).type, "static");
  constTypes.set(declaration, type);
  return type;
}

/** `token in set`, or a scalar that is known before the graph runs. */
function typeOfMember(scope: Scope, { value, set }: Member): Type {
  const { type } = setType(scope, set);
  const isToken = value.kind === "name" && value.text === "token" && !scope.names.has("token");
  if (isToken) return type === "error" ? ERROR : { type: "bool", shape: "column", rate: "runtime" };
  const id = isSetLiteral(value) || literalKind(value) !== undefined ? undefined : typeOf(scope, value);
  if (id?.type === "error" || type === "error") return ERROR;
  const isWhole = id?.type === "i32" && id.shape === "scalar";
  if (!isWhole || (id.rate === "runtime" && !isKnownBefore(scope, value))) return report(scope, notAToken(value.span));
  return scalarType("bool", id.rate);
}

/** A set of tokens: a literal, or the name of a parameter or a constant that holds one. */
export function setType(scope: Scope, value: Expr): Type {
  if (isSetLiteral(value)) return checkSet(scope, value);
  if (value.kind !== "name") return report(scope, setExpected(value.span));
  const found = typeOfName(scope, value.text, value.span);
  return found.type === "tokens" || found.type === "error" ? found : report(scope, setExpected(value.span));
}

function checkSet({ module, names, diagnostics }: Scope, literal: SetLiteral): Type {
  const faults: Diagnostic[] = [];
  checkSetLiteral(module, names, literal, faults);
  for (const fault of faults) diagnostics.push(fault);
  return faults.length > 0 ? ERROR : scalarType("tokens", "static");
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

function typeOfCall(scope: Scope, call: Call): Type {
  const { callee, args, span } = call;
  if (isSetLiteral(call)) return checkSet(scope, call).type === "error" ? ERROR : report(scope, setHere(span));
  const name = callee.text;
  const builtin = findFunction(name);
  if (!builtin) {
    args.forEach(({ value }) => typeOf(scope, value));
    return report(scope, unknownFunction(callee.span, name, Object.keys(FUNCTIONS)));
  }
  const { least, most } = countsOf(builtin);
  if (args.length < least || args.length > most)
    return report(scope, wrongArgumentCount(span, name, least, most, args.length, builtin.help));
  const named = args.find((a) => a.name);
  if (named) scope.diagnostics.push(namedBuiltinArgument(named.name!.span, name));
  checkNeeds(scope, builtin, callee);
  const declared = argsOf(builtin);
  const types = args.map(({ value }, i) => argumentType(scope, declared[i]!, value, name));
  if (types.some((t) => t.type === "error")) return ERROR;
  const isFraction = types.some((t) => t.shape === "column" && t.type === "f32");
  if (builtin.isOrdered && isFraction && !scope.isOrdered) scope.diagnostics.push(sumsUnsorted(callee.span, name));
  const type = resultType(builtin.result, types);
  switch (givesOf(builtin, args.length)) {
    case "map":
      return join(type, ...types);
    case "scalar":
      return scalarType(type, "runtime");
    case "static":
      return scalarType(type, "static");
    case "column":
      return { type, shape: "column", rate: "runtime" };
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
    case "window": {
      const found = numberType(scope, value);
      if (found.type === "error" || found.rate === "static") return found;
      return report(scope, staticNeedsStatic(value.span, name, callee, uniformsIn(scope, value)));
    }
    case "index":
      return indexType(scope, value);
    case "seed":
      return seedType(scope, value);
    case "text":
      return textType(scope, value, "text");
    case "texts":
      return textType(scope, value, "list");
  }
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

/** A draw index is computed before the graph runs, from parameters, states and `step`. */
export function indexType(scope: Scope, value: Expr): Type {
  const found = numberType(scope, value);
  if (found.type !== "error" && !isKnownBefore(scope, value)) scope.diagnostics.push(drawIndexUnknown(value.span));
  return found;
}

/** Whether an expression has only what is known before the graph runs: constants, parameters, states and maps of them. */
function isKnownBefore(scope: Scope, e: Expr): boolean {
  const isSet: boolean = isSetLiteral(e);
  if (isSet) return true;
  const callee = e.kind === "call" ? findFunction(e.callee.text) : undefined;
  if (e.kind === "call" && (!callee || givesOf(callee, e.args.length) !== "map")) return false;
  const isColumnOrCount = e.kind === "name" && !scope.names.has(e.text) && findName(e.text)?.rate === "runtime";
  const isLet = e.kind === "name" && scope.names.get(e.text)?.isLet === true;
  return !isColumnOrCount && !isLet && children(e).every((part) => isKnownBefore(scope, part));
}

/** A seed is a parameter of that type, an integer, or `random`. */
export function seedType(scope: Scope, value: Expr): Type {
  if (value.kind === "name" && value.text === "random") return scalarType("seed", "uniform");
  const found = typeOf(scope, value);
  const isSeed = found.type === "seed" || found.type === "error" || (found.type === "i32" && found.rate === "static");
  return isSeed ? found : report(scope, notASeed(value.span));
}
