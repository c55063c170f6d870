/** Declarations of functions. */
import { callsIn, expressionsIn, namesIn } from "../syntax/walk.js";
import { isError, type Diagnostic, type Sink } from "../diagnostics/diagnostic.js";
import { functionOfType, rangeOfFunction, unusedFunction } from "../diagnostics/functions.js";
import { unusedLet } from "../diagnostics/statements.js";
import { checkBody } from "./functions.js";
import { checkUnused } from "./params.js";
import type { FnBinding, Module } from "./tree.js";
import { isNumberType, paramsOf, TYPING } from "./types.js";

export function checkFunction(binding: FnBinding, diagnostics: Sink): void {
  const { declaration: fn } = binding;
  const own: Diagnostic[] = [...paramsOf(binding).diagnostics];
  for (const { type, span, range } of fn.params) {
    if (!isNumberType(type)) own.push(functionOfType(span, "a parameter", type));
    if (range) own.push(rangeOfFunction(range.span));
  }
  if (!isNumberType(fn.type)) own.push(functionOfType(fn.typeSpan, "the result", fn.type));
  if (!own.some(isError)) for (const one of checkBody(TYPING, binding).diagnostics) own.push(one);
  const used = new Set(expressionsIn(fn).flatMap(namesIn));
  checkUnused(fn.params, used, own);
  for (const one of own) diagnostics.push(one);
  if (own.some(isError)) return;
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
