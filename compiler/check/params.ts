/** Parameters: their ranges, sizes and defaults, and the arguments that are given to them. */
import { builtinKind } from "../builtins/builtins.js";
import { MAX_SEED } from "../graph/param.js";
import { describeRange, fractionMeant, isInRange, type Range } from "../core/range.js";
import { MAX_CAPACITY } from "../graph/sets.js";
import type { Arg, Expr, Param, ParamRange } from "../syntax/ast.js";
import type { Span } from "../source/source.js";
import type { Diagnostic, Sink } from "../diagnostics/diagnostic.js";
import { grammarStatic } from "../diagnostics/grammars.js";
import { phrasesStatic } from "../diagnostics/phrases.js";
import { emptyRange, outOfRange, rangeOnType, textIsStatic } from "../diagnostics/params.js";
import { sizeOfStatic, sizeOnType } from "../diagnostics/sets.js";
import { unusedParameter } from "../diagnostics/statements.js";
import { mustBeWhole, notConstant } from "../diagnostics/types.js";
import { resolveArgs } from "./arguments.js";
import { typedSeed } from "./known.js";
import { noteUse } from "./names.js";
import { typedPhrases } from "./phrases.js";
import { constantScope, declare, scalarType, visit, type Scope, type Typing } from "./scope.js";
import { typedGrammar, typedText } from "./textArguments.js";
import type * as T from "./tree.js";

type Callee = T.FnBinding | T.SamplerBinding | T.ChainBinding;

/** The parameters of a declaration, which are checked once. */
export function checkedParams(typing: Typing, binding: Callee): T.Found<readonly T.Param[]> {
  if (binding.params) return binding.params;
  const diagnostics: Diagnostic[] = [];
  const scope = constantScope(binding.module, diagnostics);
  const names = new Map<string, T.Local>();
  const value = binding.declaration.params.map((param): T.Param => {
    const { text } = param.name;
    const local = parameterOf(param);
    // a parameter may shadow `n`, `vocab` or `step`: the parameter of llama.cpp's top_n_sigma is named `n`
    const mayShadow = builtinKind(text) === "value" && !names.has(text);
    declare(mayShadow ? { ...scope, diagnostics: [] } : scope, names, param.name, local);
    return { declaration: param, local, ...checkParam(typing, scope, param) };
  });
  return (binding.params = { value, diagnostics });
}

/** What a parameter's name means in the body of what declares it. */
export const parameterOf = (param: Param): T.Local => ({
  kind: "parameter",
  span: param.name.span,
  type: scalarType(param.type, param.isStatic ? "static" : "uniform"),
  param,
});

/** The names of parameters in the body of what declares them. */
export const namesOf = (params: readonly T.Param[]): Map<string, T.Local> =>
  new Map(params.map(({ declaration, local }) => [declaration.name.text, local]));

export const uniformsOf = (params: readonly Param[]): ReadonlySet<string> =>
  new Set(params.filter((p) => !p.isStatic).map((p) => p.name.text));

/** Warns of unused parameters. */
export function checkUnused(params: readonly Param[], used: ReadonlySet<string>, diagnostics: Sink): void {
  for (const { name } of params) if (!used.has(name.text)) diagnostics.push(unusedParameter(name.span, name.text));
}

function checkParam(typing: Typing, scope: Scope, param: Param): Omit<T.Param, "declaration" | "local"> {
  const { range: declared, type, default: value } = param;
  const isNumber = type === "f32" || type === "i32";
  if ((type === "text" || type === "list") && !param.isStatic)
    scope.diagnostics.push(textIsStatic(param.span, param.name.text, type));
  if (type === "grammar" && param.isStatic) scope.diagnostics.push(grammarStatic(param.span, param.name.text));
  if (type === "phrases" && param.isStatic) scope.diagnostics.push(phrasesStatic(param.span, param.name.text));
  const capacity = capacityOf(typing, scope, param);
  if (declared && !isNumber) scope.diagnostics.push(rangeOnType(declared.span, type));
  const bounds = !declared ? [] : declared.kind === "in" ? [declared.min, declared.max] : [declared.bound];
  const constants = bounds.map((b) => constantBound(typing, scope, b));
  const range = declared ? rangeOf(declared, constants) : {};
  const areConstant = constants.every((x) => x !== undefined);
  const isEmpty = areConstant && range.min !== undefined && range.max !== undefined && range.min > range.max;
  if (isEmpty) scope.diagnostics.push(emptyRange(declared!.span, range.min, range.max));
  const isValid = areConstant && !isEmpty;
  if (value && !isValid) visit(typing, scope, value);
  const standard = value && isValid ? checkDefault(typing, scope, param, range, value) : undefined;
  return { range, ...(standard && { default: standard }), ...(capacity !== undefined && { capacity }) };
}

/** A range with these bounds. */
function rangeOf(range: ParamRange, [a = 0, b = 0]: readonly (number | undefined)[]): Range {
  if (range.kind === "in") return { min: a, max: b };
  const isExcluded = range.op === ">" || range.op === "<";
  return range.op.startsWith(">")
    ? { min: a, ...(isExcluded && { minExcluded: true }) }
    : { max: a, ...(isExcluded && { maxExcluded: true }) };
}

/** The most tokens of a set that can change. */
function capacityOf({ typedNumber }: Typing, scope: Scope, { size, type, isStatic }: Param): number | undefined {
  if (!size) return undefined;
  const { diagnostics } = scope;
  const isMisplaced = type !== "tokens" || isStatic;
  if (type !== "tokens") diagnostics.push(sizeOnType(size.span, type));
  else if (isStatic) diagnostics.push(sizeOfStatic(size.span));
  const found = typedNumber(isMisplaced ? { ...scope, diagnostics: [] } : scope, size);
  const { constant } = found;
  if (isMisplaced || found.type === "error") return undefined;
  if (constant === undefined) diagnostics.push(notConstant(size.span, "the size of a set"));
  else if (!Number.isInteger(constant)) diagnostics.push(mustBeWhole(size.span, "the size of a set", String(constant)));
  else if (constant < 1 || constant > MAX_CAPACITY)
    diagnostics.push(outOfRange(size.span, "tokens", `in [1, ${MAX_CAPACITY}]`, String(constant)));
  return constant;
}

function constantBound({ typedNumber }: Typing, scope: Scope, bound: Expr): number | undefined {
  const found = typedNumber(scope, bound);
  if (found.type !== "error" && found.constant === undefined)
    scope.diagnostics.push(notConstant(bound.span, "a bound of a range"));
  return found.constant;
}

function checkDefault(typing: Typing, scope: Scope, param: Param, range: Range, value: Expr): T.Expr {
  const found = argumentFor(typing, scope, param, value);
  if (found.type === "error" || found.kind === "random" || !isNumeric(param)) return found;
  if (found.constant === undefined)
    scope.diagnostics.push(notConstant(value.span, `the default of \`${param.name.text}\``));
  else checkConstant(scope, { declaration: param, range }, found);
  return found;
}

export const isNumeric = ({ type }: Param): boolean =>
  type === "f32" || type === "i32" || type === "bool" || type === "seed";

/** An argument of the kind that a parameter takes. */
export function argumentFor(typing: Typing, scope: Scope, { type }: Param, value: Expr): T.Expr {
  switch (type) {
    case "text":
    case "list":
      return typedText(typing, scope, value, { expected: type, isNested: type === "list" });
    case "tokens":
      return typing.typedSet(scope, value);
    case "grammar":
      return typedGrammar(typing, scope, value);
    case "phrases":
      return typedPhrases(typing, scope, value);
    case "seed":
      return typedSeed(typing, scope, value);
    case "bool":
      return typing.typedCondition(scope, value);
    default:
      return typing.typedNumber(scope, value);
  }
}

/** Checks a constant argument of a parameter; other arguments are checked at run time. */
export function checkConstant(
  { diagnostics }: Scope,
  { declaration: param, range: declared }: Pick<T.Param, "declaration" | "range">,
  { constant, span }: T.Expr,
): void {
  if (constant === undefined) return;
  const name = param.name.text;
  const range = param.type === "seed" ? { min: 0, max: MAX_SEED } : declared;
  const isWhole = param.type === "i32" || param.type === "seed";
  if (isWhole && !Number.isInteger(constant)) diagnostics.push(mustBeWhole(span, `\`${name}\``, String(constant)));
  else if (!isInRange(range, constant))
    diagnostics.push(
      outOfRange(span, name, describeRange(range), String(constant), {
        declared: param.range?.span,
        meant: fractionMeant(range, constant),
      }),
    );
}

/** Notes the parameters that arguments name. */
export function noteArguments({ uses }: Pick<Scope, "uses">, params: readonly Param[], args: readonly Arg[]): void {
  for (const { name } of args) {
    const param = name && params.find((p) => p.name.text === name.text);
    if (param) noteUse(uses, name, parameterOf(param));
  }
}

/** The arguments of a call by parameter. `callee` has the name and the span of the call, for diagnostics. */
export function boundArguments(
  typing: Typing,
  scope: Scope,
  params: readonly Param[],
  args: readonly Arg[],
  callee: { readonly name: string; readonly span: Span },
): { readonly bound: ReadonlyMap<string, Expr>; readonly isValid: boolean } {
  noteArguments(scope, params, args);
  const { bound, diagnostics } = resolveArgs(params, args, callee);
  for (const one of diagnostics) scope.diagnostics.push(one);
  const given = new Set(bound.values());
  for (const arg of args) if (!given.has(arg)) visit(typing, scope, arg.value);
  return { bound: new Map([...bound].map(([name, { value }]) => [name, value])), isValid: diagnostics.length === 0 };
}
