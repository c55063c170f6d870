/** Calls, and the types of their arguments. */
import type { Arg, Call, Expr, Name } from "../syntax/ast.js";
import { children } from "../syntax/walk.js";
import { argsOf, countsOf, givesOf, namedArgs, positional, type ArgType, type Builtin } from "../builtins/builtin.js";
import { FUNCTIONS, findName } from "../builtins/builtins.js";
import { DRAWS } from "../builtins/draws.js";
import { textAlone, textConstant } from "./constants.js";
import { drawInside } from "./diagnostics/functions.js";
import { grammarExpected } from "./diagnostics/grammars.js";
import { stageAsFunction, unknownFunction } from "./diagnostics/names.js";
import { givenTwice, positionalAfterNamed } from "./diagnostics/params.js";
import {
  drawIndexUnknown,
  endingExpected,
  mustBeWhole,
  namedBuiltinArgument,
  noPresentOrder,
  notASeed,
  pickedTooEarly,
  pickedWithoutPick,
  sequencesExpected,
  sourceExpected,
  staticNeedsStatic,
  textExpected,
  windowUnknown,
  wrongArgumentCount,
} from "./diagnostics/types.js";
import { isFunction, typeOfFunctionCall } from "./functions.js";
import { builtinCalled } from "./program.js";
import {
  ERROR,
  join,
  report,
  resultType,
  scalarType,
  uniformsIn,
  type Scope,
  type Type,
  type Typing,
} from "./scope.js";
import { isSetLiteral } from "./sets.js";
import { isTextInput, textNamed, textNames } from "./texts.js";

/** Prefix sums of fractions: their results depend on the order of the rows, which is known when a chain is lowered. */
export const sumsOfFractions = new WeakSet<Call>();

/** The type of a call of a builtin or a function. */
export function typeOfCall(typing: Typing, scope: Scope, call: Call): Type {
  const { callee, args, span } = call;
  const name = callee.text;
  const builtin = builtinCalled(scope.module, name);
  if (!builtin) {
    const declared = scope.module.scope.get(name);
    if (isFunction(declared)) return typeOfFunctionCall(typing, scope, declared, call);
    args.forEach(({ value }) => typing.typeOf(scope, value));
    if (scope.module.broken.has(name)) return ERROR;
    const isStage = declared?.declaration.kind === "sampler" || declared?.declaration.kind === "chain";
    if (isStage) return report(scope, stageAsFunction(callee.span, name));
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
    ...given.map(({ value }, i) => argumentType(typing, scope, declared[i]!, value, name)),
    ...namedArgs(builtin, args).map(([arg, type, value]) => argumentType(typing, scope, [arg, type], value, name)),
  ];
  if (types.some((t) => t.type === "error")) return ERROR;
  const isFraction = types.some((t) => t.shape === "column" && t.type === "f32");
  if (builtin.isOrdered && isFraction) sumsOfFractions.add(call);
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
  if (needs === "order" && !scope.hasRows) scope.diagnostics.push(noPresentOrder(span, text));
  if (needs === "pick" && !scope.canUsePicked)
    scope.diagnostics.push(scope.isAfterPick ? pickedWithoutPick(span) : pickedTooEarly(span));
}

/** The type of an argument; `callee` names the function. */
function argumentType(
  typing: Typing,
  scope: Scope,
  [name, expected]: [string, ArgType],
  value: Expr,
  callee: string,
): Type {
  switch (expected) {
    case "number":
      return typing.numberType(scope, value);
    case "ofPickedRow":
      return typing.valueType(scope, value);
    case "condition":
      return typing.conditionType(scope, value);
    case "window":
      return windowType(typing, scope, value);
    case "source":
      return sourceType(scope, value);
    case "position": {
      const found = typing.numberType(scope, value);
      if (found.type === "error" || found.rate === "static") return found;
      return report(scope, staticNeedsStatic(value.span, name, callee, uniformsIn(scope, value)));
    }
    case "ending":
      return endingType(scope, value);
    case "index":
      return indexType(typing, scope, value);
    case "seed":
      return seedType(typing, scope, value);
    case "text":
      return textType(scope, value, "text");
    case "grammar":
      return grammarType(scope, value);
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

/** A parameter that is a grammar, or a text, which is one in GBNF. */
export function grammarType(scope: Scope, value: Expr): Type {
  const local = value.kind === "name" ? scope.names.get(value.text)?.type : undefined;
  return local?.type === "grammar" ? local : textType(scope, value, "text", false, grammarExpected(value.span));
}

/** A text, alone or in a list, or a list of token ids. */
function endingType(scope: Scope, value: Expr): Type {
  const local = value.kind === "name" ? scope.names.get(value.text)?.type : undefined;
  if (local?.type === "text" || local?.type === "list" || local?.type === "error") return local;
  if (value.kind === "name" && !local && scope.module.broken.has(value.text)) return ERROR;
  const found = local ? undefined : textConstant(scope.module, value);
  return found && (found.kind === "string" || isIdList(found) || textAlone(found))
    ? scalarType("list", "static")
    : report(scope, endingExpected(value.span));
}

/** `all`, `prompt`, `generated` or an input of tokens. */
function sourceType(scope: Scope, value: Expr): Type {
  const { module, names } = scope;
  const name = value.kind === "name" ? value.text : undefined;
  if (name !== undefined && module.broken.has(name)) return ERROR;
  const isHidden = name !== undefined && names.has(name) && isTextInput(module.scope.get(name)?.declaration);
  return name !== undefined && textNamed(module, name) && !isHidden
    ? scalarType("text", "static")
    : report(scope, sourceExpected(value.span, name, textNames(module, names)));
}

/** A window is an integer that is known before the graph runs. */
function windowType(typing: Typing, scope: Scope, value: Expr): Type {
  const found = typing.numberType(scope, value);
  if (found.type === "error" || found.rate === "static") return found;
  if (!isKnownBefore(scope, value)) return report(scope, windowUnknown(value.span));
  return found.type === "f32" ? report(scope, mustBeWhole(value.span, "a window", "a value of type f32")) : found;
}

/** A draw index is computed before the graph runs, from parameters, states and `step`. */
export function indexType(typing: Typing, scope: Scope, value: Expr): Type {
  const found = typing.numberType(scope, value);
  if (found.type !== "error" && !isKnownBefore(scope, value)) scope.diagnostics.push(drawIndexUnknown(value.span));
  return found;
}

/** Whether an expression is computed before the graph runs. */
export function isKnownBefore(scope: Scope, value: Expr): boolean {
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
export function seedType(typing: Typing, scope: Scope, value: Expr): Type {
  if (value.kind === "name" && value.text === "random") return scalarType("seed", "uniform");
  const found = typing.typeOf(scope, value);
  const isSeed = found.type === "seed" || found.type === "error" || (found.type === "i32" && found.rate === "static");
  return isSeed ? found : report(scope, notASeed(value.span));
}
