/** Expressions to typed trees: names are bound, and types, shapes, rates and constant values follow. */
import type { Binary, Expr, InputDecl, Member, NameRef } from "../syntax/ast.js";
import { textAt } from "../source/source.js";
import { findName, NAMES } from "../builtins/builtins.js";
import { foldBinary } from "../builtins/fold.js";
import { OPERATORS } from "../builtins/operators.js";
import { applyUniformOp, saturate } from "../graph/uniformOps.js";
import { typedCall } from "./calls.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { notAValue, unknownName } from "../diagnostics/names.js";
import { randomIsForSeeds } from "../diagnostics/params.js";
import { noPresentOrder, textHere, textIsNoValue, typeMismatch } from "../diagnostics/types.js";
import { grammarHere } from "../diagnostics/grammars.js";
import { phrasesHere } from "../diagnostics/phrases.js";
import { notAToken, patternHere, setExpected, setHere } from "../diagnostics/sets.js";
import { isKnownBefore } from "./known.js";
import { isTextInput } from "./texts.js";
import { typedFold, typedRepeat } from "./loops.js";
import { checkedParams } from "./params.js";
import {
  constantScope,
  ERROR,
  join,
  kindOf,
  node,
  noteName,
  report,
  resultType,
  scalarType,
  visit,
  visitParts,
  type Scope,
  type Typing,
} from "./scope.js";
import { isPhraseLiteral, typedPhraseLiteral } from "./phrases.js";
import { isSetLiteral, typedSetLiteral } from "./sets.js";
import { isText, typedText } from "./textArguments.js";
import type * as T from "./tree.js";

export function typed(scope: Scope, expr: Expr): T.Expr {
  const { span } = expr;
  switch (expr.kind) {
    case "number": {
      const { value, isInt } = expr;
      const constant = saturate(value);
      return node<T.NumberLit>(scalarType(isInt ? "i32" : "f32", "static"), { kind: "number", value, constant, span });
    }
    case "bool":
      return node<T.Constant>(scalarType("bool", "static"), { kind: "constant", constant: expr.value ? 1 : 0, span });
    case "string":
    case "list":
      visitParts(TYPING, scope, expr);
      return report(scope, textHere(span, literalKind(expr)!));
    case "pattern":
      return report(scope, patternHere(span));
    case "part":
      return refused(scope, typedSetLiteral(TYPING, scope, expr), setHere(span));
    case "name": {
      const found = typedName(scope, expr);
      if (found.type === "grammar") return report(scope, grammarHere(span));
      if (found.type === "phrases") return report(scope, phrasesHere(span));
      return found.type === "tokens" ? report(scope, setHere(span)) : found;
    }
    case "member":
      return typedMember(scope, expr);
    case "unary": {
      const { op } = expr;
      const operand = op === "-" ? typedNumber(scope, expr.operand) : typedCondition(scope, expr.operand);
      const constant =
        operand.constant === undefined ? undefined : applyUniformOp(op === "-" ? "neg" : "not", [operand.constant]);
      return node<T.Unary>(operand, { kind: "unary", op, operand, constant, span });
    }
    case "binary":
      return typedBinary(scope, expr);
    case "conditional": {
      const cond = typedCondition(scope, expr.cond);
      const [a, b] = [typed(scope, expr.then), typed(scope, expr.else)];
      const isMixed = (a.type === "bool") !== (b.type === "bool") && a.type !== "error" && b.type !== "error";
      if (isMixed) return report(scope, typeMismatch(expr.else.span, kindOf(a), kindOf(b)));
      const type = join(a.type === b.type ? a.type : resultType("number", [a, b]), cond, a, b);
      const constant = cond.constant === undefined ? undefined : (cond.constant === 0 ? b : a).constant;
      return node<T.Conditional>(type, { kind: "conditional", cond, then: a, else: b, constant, span });
    }
    case "call":
      if (isPhraseLiteral(expr)) return refused(scope, typedPhraseLiteral(TYPING, scope, expr), phrasesHere(span));
      if (!isSetLiteral(expr)) return typedCall(TYPING, scope, expr);
      return refused(scope, typedSetLiteral(TYPING, scope, expr), setHere(span));
    case "fold":
      return typedFold(TYPING, scope, expr);
    case "repeat":
      return typedRepeat(TYPING, scope, expr);
  }
}

const refused = (scope: Scope, found: T.Expr, fault: Diagnostic): T.Invalid =>
  found.type === "error" ? ERROR : report(scope, fault);

/** What a literal is that is no value of an expression. */
const literalKind = ({ kind }: Expr): string | undefined =>
  kind === "string" ? "a text" : kind === "list" ? "a list" : undefined;

/** An expression of one of these types; `what` names them. */
function ofType(scope: Scope, expr: Expr, types: readonly T.Type["type"][], what: string): T.Expr {
  const literal = literalKind(expr);
  if (literal !== undefined) visitParts(TYPING, scope, expr);
  const found = literal === undefined ? typed(scope, expr) : undefined;
  if (found && (found.type === "error" || types.includes(found.type))) return found;
  return report(scope, typeMismatch(expr.span, what, literal ?? kindOf(found!)));
}

export const typedNumber = (scope: Scope, expr: Expr): T.Expr => ofType(scope, expr, ["f32", "i32"], "a number");

export const typedCondition = (scope: Scope, expr: Expr): T.Expr => ofType(scope, expr, ["bool"], "a condition");

/** A number or a condition. */
export function typedValue(scope: Scope, expr: Expr): T.Expr {
  const found = typed(scope, expr);
  return ["f32", "i32", "bool", "error"].includes(found.type)
    ? found
    : report(scope, typeMismatch(expr.span, "a number", kindOf(found)));
}

/** For the parts of expressions with files of their own. */
export const TYPING: Typing = { typed, typedNumber, typedValue, typedCondition, typedSet, typedName, constOf };

/** The parameters of a declaration. */
export const paramsOf = (binding: Parameters<typeof checkedParams>[1]): T.Found<readonly T.Param[]> =>
  checkedParams(TYPING, binding);

/** A name, whatever it means. */
function typedName(scope: Scope, { text, span }: NameRef): T.Expr {
  const { module } = scope;
  noteName(scope, { text, span });
  const local = scope.names.get(text);
  if (local) return node<T.LocalRef>(local.type, { kind: "local", local, span });
  const binding = module.scope.get(text);
  // a reserved name has no declaration
  const builtin = binding ? undefined : findName(text);
  if (builtin?.needs === "order" && !scope.hasRows) return report(scope, noPresentOrder(span, text));
  if (builtin) return node<T.BuiltinRef>(builtin, { kind: "builtin", name: text, builtin, span });
  if (binding?.kind === "const") return constantNamed(constOf(binding).value, span);
  if (binding && isTextInput(binding)) return report(scope, textIsNoValue(span, text));
  if (binding?.kind === "input") {
    const type = columnTypeOf(binding.declaration);
    if (type === undefined) return ERROR;
    return node<T.InputRef>({ type, shape: "column", rate: "runtime" }, { kind: "input", input: binding, span });
  }
  if (module.broken.has(text)) return ERROR;
  if (text === "random") return report(scope, randomIsForSeeds(span));
  if (binding) return report(scope, notAValue(span, text, binding.kind === "fn"));
  const known = [...scope.names.keys(), ...Object.keys(NAMES), ...module.scope.keys()];
  return report(scope, unknownName(span, text, known));
}

/** The value of a constant where its name is. */
const constantNamed = (value: T.Expr, span: T.Expr["span"]): T.Expr =>
  value.kind === "text" || value.kind === "list" || value.kind === "set" || value.kind === "phrases"
    ? { ...value, span }
    : node<T.Constant>(value, { kind: "constant", constant: value.constant, span });

/** Whether a value can be of a type: a number or a condition. */
export const isNumberType = (type: InputDecl["type"]): type is "f32" | "i32" | "bool" =>
  type === "f32" || type === "i32" || type === "bool";

/** The type of an input's column; undefined for a type that no column has. */
export const columnTypeOf = ({ type }: Pick<InputDecl, "type">): "f32" | "i32" | "bool" | undefined =>
  type === "logits" ? "f32" : isNumberType(type) ? type : undefined;

/** A constant: its declaration is checked once. */
export function constOf(binding: T.ConstBinding): T.Found<T.Expr> {
  if (binding.found) return binding.found;
  const { declaration, module } = binding;
  const diagnostics: Diagnostic[] = [];
  const scope = constantScope(module, diagnostics);
  const found = isText(module, declaration.value)
    ? typedText(TYPING, scope, declaration.value, { isNested: true })
    : isSetLiteral(declaration.value)
      ? typedSetLiteral(TYPING, scope, declaration.value)
      : typed(scope, declaration.value);
  const value: T.Expr = { ...found, ...scalarType(found.type, "static") };
  return (binding.found = { value, diagnostics });
}

/** The value of a constant expression of a file, booleans as 1 and 0; undefined if it is not constant. */
export const constantIn = (module: T.Module, expr: Expr): number | undefined =>
  typed({ ...constantScope(module, []), uses: undefined }, expr).constant;

/** `token in set`, or a scalar that is known before the graph runs. */
function typedMember(scope: Scope, { value, set: given, isNegated, span }: Member): T.Expr {
  const set = typedSet(scope, given);
  const isToken = value.kind === "name" && value.text === "token" && !scope.names.has("token");
  const isFault = isSetLiteral(value) || literalKind(value) !== undefined;
  const id = isFault ? undefined : typed(scope, value);
  if (isFault) visit(TYPING, scope, value);
  const member = (type: T.Type, of?: T.Expr): T.Expr =>
    node<T.Member>(type, { kind: "member", id: of, isNegated, set, span });
  if (isToken) return member(set.type === "error" ? ERROR : { type: "bool", shape: "column", rate: "runtime" });
  if (id?.type === "error" || set.type === "error") return ERROR;
  const isWhole = id?.type === "i32" && id.shape === "scalar";
  if (!isWhole || (id.rate === "runtime" && !isKnownBefore(id))) return report(scope, notAToken(value.span));
  return member(scalarType("bool", id.rate), id);
}

/** A set of tokens: a literal, or the name of a parameter or a constant that holds one. */
function typedSet(scope: Scope, value: Expr): T.Expr {
  if (isSetLiteral(value)) return typedSetLiteral(TYPING, scope, value);
  if (value.kind !== "name") {
    visit(TYPING, scope, value);
    const items = value.kind === "list" ? `tokens(${textAt(value.span).slice(1, -1)})` : undefined;
    return report(scope, setExpected(value.span, items));
  }
  const found = typedName(scope, value);
  return found.type === "tokens" || found.type === "error" ? found : report(scope, setExpected(value.span));
}

function typedBinary(scope: Scope, { op, left, right, span }: Binary): T.Expr {
  const { takes, result } = OPERATORS[op];
  const first =
    takes === "number" || (takes === "either" && literalKind(left) !== undefined)
      ? typedNumber(scope, left)
      : takes === "condition"
        ? typedCondition(scope, left)
        : typedValue(scope, left);
  // equality of two numbers, or of two conditions
  const isOfConditions = takes === "condition" || (takes === "either" && first.type === "bool");
  const second = isOfConditions ? typedCondition(scope, right) : typedNumber(scope, right);
  const [a, b] = [first.constant, second.constant];
  const constant = a === undefined || b === undefined ? undefined : foldBinary(op, a, b);
  const type = join(resultType(result, [first, second]), first, second);
  return node<T.Binary>(type, { kind: "binary", op, left: first, right: second, constant, span });
}
