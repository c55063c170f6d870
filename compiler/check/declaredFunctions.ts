/** Declarations of functions. */
import type { Fn } from "../syntax/ast.js";
import { callsIn, expressionsIn, namesIn } from "../syntax/walk.js";
import { isError, type Diagnostic, type Sink } from "./diagnostics.js";
import { functionOfType, rangeOfFunction, unusedFunction } from "./diagnostics/functions.js";
import { unusedLet } from "./diagnostics/statements.js";
import { checkBody } from "./functions.js";
import type { Module } from "./program.js";
import { checkParams, checkUnused } from "./samplers.js";
import type { Local } from "./scope.js";
import { isNumberType, TYPING } from "./types.js";

export function checkFunction(module: Module, fn: Fn, diagnostics: Sink): void {
  const own: Diagnostic[] = [];
  checkParams(module, fn.params, new Map<string, Local>(), own);
  for (const { type, span, range } of fn.params) {
    if (!isNumberType(type)) own.push(functionOfType(span, "a parameter", type));
    if (range) own.push(rangeOfFunction(range.span));
  }
  if (!isNumberType(fn.type)) own.push(functionOfType(fn.typeSpan, "the result", fn.type));
  if (!own.some(isError)) for (const one of checkBody(TYPING, { declaration: fn, module }).diagnostics) own.push(one);
  const expressions = expressionsIn(fn);
  checkUnused(fn.params, expressions, own);
  for (const one of own) diagnostics.push(one);
  if (own.some(isError)) return;
  const used = new Set(expressions.flatMap(namesIn));
  for (const { name } of fn.lets) if (!used.has(name.text)) diagnostics.push(unusedLet(name.span, name.text));
}

/** Warns of the main file's functions that nothing calls; a file without samplers may be for other programs. */
export function checkUnusedFunctions({ file: { declarations }, scope }: Module, diagnostics: Sink): void {
  if (!declarations.some((d) => d.kind === "sampler")) return;
  const bodies = declarations.filter((d) => d.kind === "sampler" || d.kind === "fn");
  const called = new Set(
    bodies
      .flatMap(expressionsIn)
      .flatMap(callsIn)
      .map(({ callee }) => callee.text),
  );
  const inStages = declarations.flatMap((d) => {
    const stages =
      d.kind === "chain"
        ? d.stages
        : d.kind === "test"
          ? d.clauses.flatMap((c) => ("stages" in c ? c.stages : []))
          : [];
    return stages.flatMap(({ args }) => args.flatMap(({ value }) => callsIn(value)));
  });
  for (const { callee } of inStages) called.add(callee.text);
  for (const d of declarations)
    if (d.kind === "fn" && scope.get(d.name.text)?.declaration === d && !called.has(d.name.text))
      diagnostics.push(unusedFunction(d.name.span, d.name.text));
}
