/** Calls, and their arguments. */
import type { Arg, Call, Expr, Name } from "../syntax/ast.js";
import {
  argsOf,
  countsOf,
  givesOf,
  namedArgs,
  positional,
  type ArgType,
  type Builtin,
  type Gives,
} from "../builtins/builtin.js";
import { findName, FUNCTIONS } from "../builtins/builtins.js";
import { DRAWS } from "../builtins/draws.js";
import { foldCall } from "../builtins/fold.js";
import { drawInside } from "../diagnostics/functions.js";
import { stageAsFunction, unknownFunction } from "../diagnostics/names.js";
import { givenTwice, positionalAfterNamed } from "../diagnostics/params.js";
import {
  mustBeScalar,
  namedBuiltinArgument,
  noPresentOrder,
  pickedTooEarly,
  pickedWithoutPick,
  sequencesExpected,
  staticNeedsStatic,
  wrongArgumentCount,
} from "../diagnostics/types.js";
import { typedFunctionCall } from "./functions.js";
import { noteUse } from "./names.js";
import { typedPhrases } from "./phrases.js";
import { builtinCalled } from "./program.js";
import { typedIndex, typedSeed, typedWindow } from "./known.js";
import {
  ERROR,
  join,
  node,
  report,
  resultType,
  scalarType,
  uniformsIn,
  visitParts,
  type Scope,
  type Typing,
} from "./scope.js";
import { typedEnding, typedGrammar, typedSource, typedText } from "./textArguments.js";
import type * as T from "./tree.js";

const OVER_TOKENS = "with `last`, it is over the values of one scalar with the last tokens";

/** A call of a builtin or a function. */
export function typedCall(typing: Typing, scope: Scope, call: Call): T.Expr {
  const { callee, args, span } = call;
  const { module } = scope;
  const name = callee.text;
  const builtin = builtinCalled(module, name);
  const binding = module.scope.get(name);
  if (builtin) noteUse(scope.uses, callee, { kind: "function" });
  else if (binding?.kind === "fn") return typedFunctionCall(typing, scope, binding, call);
  if (!builtin) {
    args.forEach(({ value }) => typing.typed(scope, value));
    if (module.broken.has(name)) return ERROR;
    if (binding?.kind === "sampler" || binding?.kind === "chain")
      return report(scope, stageAsFunction(callee.span, name));
    const own = [...module.scope].filter(([, { kind }]) => kind === "fn").map(([word]) => word);
    return report(scope, unknownFunction(callee.span, name, [...Object.keys(FUNCTIONS), ...own]));
  }
  const { least, most } = countsOf(builtin);
  const given = positional(builtin, args);
  if (given.length < least || given.length > most) {
    visitParts(typing, scope, call);
    return report(scope, wrongArgumentCount(span, name, least, most, given.length, builtin.help));
  }
  checkNames(scope, builtin, name, args);
  const isOverTokens = namedArgs(builtin, args).some(([, type]) => type === "span");
  if (isOverTokens && given.length > least) {
    visitParts(typing, scope, call);
    return report(scope, wrongArgumentCount(span, name, least, least, given.length, OVER_TOKENS));
  }
  checkNeeds(scope, builtin, callee, args);
  if (scope.drawless && Object.hasOwn(DRAWS, name))
    scope.diagnostics.push(drawInside(callee.span, name, scope.drawless));
  const declared = argsOf(builtin);
  const bound = [...given.map(({ value }, i) => [...declared[i]!, value] as const), ...namedArgs(builtin, args)].map(
    ([arg, type, value]): T.Arg => ({ name: arg, type, value: argument(typing, scope, [arg, type], value, name) }),
  );
  const values = bound.map(({ value }) => value);
  if (values.some((v) => v.type === "error")) return ERROR;
  if (isOverTokens && values[0]!.shape === "column") {
    const what = `the argument of \`${name}\` over the last tokens`;
    return report(scope, mustBeScalar(given[0]!.value.span, what, values[0]!.type === "bool"));
  }
  const sumsFractions = builtin.isOrdered === true && values.some((v) => v.shape === "column" && v.type === "f32");
  const type = resultType(builtin.result, values);
  const gives = givesOf(builtin, given.length);
  const constants = values.map((v) => v.constant).filter((x) => x !== undefined);
  const constant = gives === "map" && constants.length === values.length ? foldCall(builtin, constants) : undefined;
  return node<T.BuiltinCall>(typeOfResult(type, gives, values), {
    kind: "call",
    callee,
    builtin,
    args: bound,
    sumsFractions,
    constant,
    span,
  });
}

function typeOfResult(type: T.Type["type"], gives: Gives, args: readonly T.Expr[]): T.Type {
  switch (gives) {
    case "map":
      return join(type, ...args);
    case "scalar":
      return scalarType(type, "runtime");
    case "static":
    case "uniform":
      return scalarType(type, gives);
    case "column":
      return { type, shape: "column", rate: "runtime" };
  }
}

/** A number that is known at compile time. */
function typedStatic(typing: Typing, scope: Scope, [name, callee]: readonly [string, string], value: Expr): T.Expr {
  const found = typing.typedNumber(scope, value);
  if (found.type === "error" || found.rate === "static") return found;
  return report(scope, staticNeedsStatic(value.span, name, callee, uniformsIn(scope, value)));
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

/** Whether an argument of `picked` is known to a sampler that does not pick. */
const isOfToken = ({ isAfterChain = false, names, module }: Scope, value: Expr | undefined): boolean =>
  isAfterChain &&
  value?.kind === "name" &&
  !names.has(value.text) &&
  !module.scope.has(value.text) &&
  findName(value.text)?.lowerLater !== undefined;

function checkNeeds(scope: Scope, { needs }: Builtin, { text, span }: Name, args: readonly Arg[]): void {
  if (needs === "order" && !scope.hasRows) scope.diagnostics.push(noPresentOrder(span, text));
  if (needs === "pick" && !scope.canUsePicked && !isOfToken(scope, args[0]?.value))
    scope.diagnostics.push(scope.isAfterPick || scope.isAfterChain ? pickedWithoutPick(span) : pickedTooEarly(span));
}

/** An argument; `callee` names the function. */
function argument(
  typing: Typing,
  scope: Scope,
  [name, expected]: readonly [string, ArgType],
  value: Expr,
  callee: string,
): T.Expr {
  switch (expected) {
    case "number":
      return typing.typedNumber(scope, value);
    case "ofPickedRow":
      return typing.typedValue(scope, value);
    case "condition":
      return typing.typedCondition(scope, value);
    case "window":
      return typedWindow(typing, scope, value);
    case "span":
    case "position":
      return typedStatic(typing, scope, [name, callee], value);
    case "source":
      return typedSource(typing, scope, value);
    case "ending":
      return typedEnding(typing, scope, value);
    case "index":
      return typedIndex(typing, scope, value);
    case "seed":
      return typedSeed(typing, scope, value);
    case "text":
      return typedText(typing, scope, value, { expected: "text" });
    case "grammar":
      return typedGrammar(typing, scope, value);
    case "phrases":
      return typedPhrases(typing, scope, value);
    case "texts":
      return typedText(typing, scope, value, { expected: "list" });
    case "sequences":
      return typedText(typing, scope, value, {
        expected: "list",
        isNested: true,
        fault: sequencesExpected(value.span),
      });
  }
}
