/** Types, shapes and rates of expressions. */
import type { Arg, Binary, Call, Const, Expr, InputDecl, Member, Name } from "../syntax/ast.js";
import type { Span } from "../syntax/source.js";
import { children, namesIn } from "../syntax/walk.js";
import { argsOf, countsOf, givesOf, namedArgs, positional, type ArgType, type Builtin } from "../builtins/builtin.js";
import { FUNCTIONS, findName, NAMES } from "../builtins/builtins.js";
import { TEXT_SOURCES } from "../builtins/features.js";
import { OPERATORS } from "../builtins/operators.js";
import { DRAWS } from "../builtins/draws.js";
import { textConstant } from "./constants.js";
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
import { drawInside } from "./diagnostics/functions.js";
import { notAToken, patternHere, setExpected, setHere } from "./diagnostics/sets.js";
import { isFunction, typeOfFunctionCall } from "./functions.js";
import { typeOfFold, typeOfRepeat } from "./loops.js";
import { builtinCalled, type Module } from "./program.js";
import { ERROR, join, kindOf, report, resultType, scalarType, type Scope, type Type, type Typing } from "./scope.js";
import { checkSetLiteral, isSetLiteral, type SetLiteral } from "./sets.js";

export { ERROR, kindOf, scalarType, type Local, type Scope, type Type } from "./scope.js";

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
    case "fold":
      return typeOfFold(TYPING, scope, expr);
    case "repeat":
      return typeOfRepeat(TYPING, scope, expr);
  }
}

/** For the parts of expressions with files of their own. */
export const TYPING: Typing = { typeOf, numberType, valueType, conditionType };

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

/** The type of a number or a condition. */
export function valueType(scope: Scope, expr: Expr): Type {
  const found = typeOf(scope, expr);
  return ["f32", "i32", "bool", "error"].includes(found.type)
    ? found
    : report(scope, typeMismatch(expr.span, "a number", kindOf(found)));
}

export function conditionType(scope: Scope, expr: Expr): Type {
  const literal = literalKind(expr);
  if (literal !== undefined) return report(scope, typeMismatch(expr.span, "a condition", literal));
  const found = typeOf(scope, expr);
  return found.type === "bool" || found.type === "error"
    ? found
    : report(scope, typeMismatch(expr.span, "a condition", kindOf(found)));
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
  if (declared?.kind === "input") {
    const type = columnTypeOf(declared);
    return type === undefined ? ERROR : { type, shape: "column", rate: "runtime" };
  }
  if (scope.module.broken.has(name)) return ERROR;
  if (name === "random") return report(scope, randomIsForSeeds(span));
  if (declared) return report(scope, notAValue(span, name, declared.kind === "fn"));
  return report(
    scope,
    unknownName(span, name, [...scope.names.keys(), ...Object.keys(NAMES), ...scope.module.scope.keys()]),
  );
}

/** Whether a value can be of a type: a number or a condition. */
export const isNumberType = (type: InputDecl["type"]): type is "f32" | "i32" | "bool" =>
  type === "f32" || type === "i32" || type === "bool";

/** The type of an input's column; undefined for a type that no column has. */
export const columnTypeOf = ({ type }: Pick<InputDecl, "type">): "f32" | "i32" | "bool" | undefined =>
  type === "logits" ? "f32" : isNumberType(type) ? type : undefined;

/** The scope of a constant expression. */
export const constantScope = (module: Module, diagnostics: Sink): Scope => ({
  module,
  names: new Map(),
  uniforms: new Set(),
  isOrdered: false,
  isAfterPick: false,
  canUsePicked: false,
  diagnostics,
  isConstant: true,
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
  const text = textConstant(module, value);
  const type = text
    ? textType(scope, value, text.kind === "string" ? "text" : "list", true)
    : scalarType((isSetLiteral(value) ? setType(scope, value) : typeOf(scope, value)).type, "static");
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
  if (takes === "either") return typeOfComparison(scope, left, right);
  const operandType = takes === "condition" ? conditionType : numberType;
  const operands = [operandType(scope, left), operandType(scope, right)];
  return join(resultType(result, operands), ...operands);
}

/** Equality of two numbers, or of two conditions. */
function typeOfComparison(scope: Scope, left: Expr, right: Expr): Type {
  const first = literalKind(left) === undefined ? valueType(scope, left) : numberType(scope, left);
  return join("bool", first, first.type === "bool" ? conditionType(scope, right) : numberType(scope, right));
}

function typeOfCall(scope: Scope, call: Call): Type {
  const { callee, args, span } = call;
  if (isSetLiteral(call)) return checkSet(scope, call).type === "error" ? ERROR : report(scope, setHere(span));
  const name = callee.text;
  const builtin = builtinCalled(scope.module, name);
  if (!builtin) {
    const declared = scope.module.scope.get(name);
    if (isFunction(declared)) return typeOfFunctionCall(TYPING, scope, declared, call);
    args.forEach(({ value }) => typeOf(scope, value));
    if (scope.module.broken.has(name)) return ERROR;
    const own = [...scope.module.scope].filter(([, binding]) => isFunction(binding)).map(([word]) => word);
    return report(scope, unknownFunction(callee.span, name, [...Object.keys(FUNCTIONS), ...own]));
  }
  const { least, most } = countsOf(builtin);
  const given = positional(builtin, args);
  if (given.length < least || given.length > most)
    return report(scope, wrongArgumentCount(span, name, least, most, given.length, builtin.help));
  checkNames(scope, builtin, name, args);
  checkNeeds(scope, builtin, callee);
  if (scope.drawless && Object.hasOwn(DRAWS, name))
    scope.diagnostics.push(drawInside(callee.span, name, scope.drawless));
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
      return numberType(scope, value);
    case "ofPickedRow":
      return valueType(scope, value);
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
  if (value.kind === "name" && !local && scope.module.broken.has(value.text)) return ERROR;
  const found = local ? undefined : textConstant(scope.module, value);
  const isText = expected === "text" && found?.kind === "string";
  const isList =
    expected === "list" &&
    found?.kind === "list" &&
    found.values.every((v) => v.kind === "string" || v.kind === "number" || (isNested && isIdList(v)));
  return isText || isList ? scalarType(expected, "static") : report(scope, fault);
}

const isIdList = (e: Expr): boolean => e.kind === "list" && e.values.every((v) => v.kind === "number");

/** A text, or a list of token ids. */
function endingType(scope: Scope, value: Expr): Type {
  const local = value.kind === "name" ? scope.names.get(value.text)?.type : undefined;
  if (local?.type === "text" || local?.type === "list" || local?.type === "error") return local;
  if (value.kind === "name" && !local && scope.module.broken.has(value.text)) return ERROR;
  const found = local ? undefined : textConstant(scope.module, value);
  return found && (found.kind === "string" || isIdList(found))
    ? scalarType("list", "static")
    : report(scope, endingExpected(value.span));
}

/** `all`, `prompt` or `generated`. */
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
    const isSet: boolean = isSetLiteral(e);
    if (isSet) return true;
    const callee = e.kind === "call" ? builtinCalled(scope.module, e.callee.text) : undefined;
    const gives = callee && e.kind === "call" ? givesOf(callee, e.args.length) : undefined;
    if (gives === "uniform") return true;
    // the graph may compute its last rounds
    if (e.kind === "repeat") return false;
    if (e.kind === "call" && gives !== "map") return false;
    const isColumnOrCount = e.kind === "name" && !scope.names.has(e.text) && findName(e.text)?.rate === "runtime";
    const local = e.kind === "name" ? scope.names.get(e.text) : undefined;
    const isLet = local?.isLet === true && local.type.rate !== "static";
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
