/** Types, shapes and rates of expressions. */
import type { Binary, Const, Expr, InputDecl, Member } from "../syntax/ast.js";
import { textAt, type Span } from "../syntax/source.js";
import { findName, NAMES } from "../builtins/builtins.js";
import { OPERATORS } from "../builtins/operators.js";
import { textConstant } from "./constants.js";
import type { Diagnostic, Sink } from "./diagnostics.js";
import { notAValue, unknownName } from "./diagnostics/names.js";
import { randomIsForSeeds } from "./diagnostics/params.js";
import { noPresentOrder, textHere, textIsNoValue, typeMismatch } from "./diagnostics/types.js";
import { grammarHere } from "./diagnostics/grammars.js";
import { notAToken, patternHere, setExpected, setHere } from "./diagnostics/sets.js";
import { isTextInput } from "./texts.js";
import { isKnownBefore, textType, typeOfCall } from "./calls.js";
import { typeOfFold, typeOfRepeat } from "./loops.js";
import type { Module } from "./program.js";
import { ERROR, join, kindOf, report, resultType, scalarType, type Scope, type Type, type Typing } from "./scope.js";
import { checkSetLiteral, isSetLiteral, type SetLiteral } from "./sets.js";

export { ERROR, kindOf, scalarType, uniformsIn, type Local, type Scope, type Type } from "./scope.js";

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
      if (found.type === "grammar") return report(scope, grammarHere(expr.span));
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
      if (!isSetLiteral(expr)) return typeOfCall(TYPING, scope, expr);
      return checkSet(scope, expr).type === "error" ? ERROR : report(scope, setHere(expr.span));
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
  if (builtin?.needs === "order" && !scope.hasRows) return report(scope, noPresentOrder(span, name));
  if (builtin) return { type: builtin.type, shape: builtin.shape, rate: builtin.rate };
  if (declared?.kind === "const") return constType(declared, scope.module.scope.get(name)!.module);
  if (declared && isTextInput(declared)) return report(scope, textIsNoValue(span, name));
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
  hasRows: false,
  isAfterPick: false,
  canUsePicked: false,
  diagnostics,
  isConstant: true,
});

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
  if (value.kind === "list")
    return report(scope, setExpected(value.span, `tokens(${textAt(value.span).slice(1, -1)})`));
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
