/** Inputs: columns that the calling program supplies. */
import type { Expr, InputDecl } from "../syntax/ast.js";
import { evaluateConstant } from "./constants.js";
import type { Sink } from "./diagnostics.js";
import { outOfRange } from "./diagnostics/params.js";
import { inputOfType, mustBeWhole, notConstant } from "./diagnostics/types.js";
import type { Module } from "./program.js";
import { constantScope, numberType } from "./types.js";

/** The most pairs of a sparse input. */
const MAX_CAPACITY = 1 << 16;

export function checkInput(module: Module, input: InputDecl, diagnostics: Sink): void {
  if (input.type === "seed") diagnostics.push(inputOfType(input.span, input.type));
  if (!input.sparse) return;
  const { capacity, fill } = input.sparse;
  constantOf(module, fill, "the default value of an input", diagnostics);
  const size = constantOf(module, capacity, "the capacity of an input", diagnostics);
  if (size === undefined) return;
  if (!Number.isInteger(size)) diagnostics.push(mustBeWhole(capacity.span, "the capacity of an input", String(size)));
  else if (size < 1 || size > MAX_CAPACITY)
    diagnostics.push(outOfRange(capacity.span, "sparse", `in [1, ${MAX_CAPACITY}]`, String(size), undefined));
}

function constantOf(module: Module, expr: Expr, what: string, diagnostics: Sink): number | undefined {
  if (numberType(constantScope(module, diagnostics), expr).type === "error") return undefined;
  const value = evaluateConstant(expr, module);
  if (value === undefined) diagnostics.push(notConstant(expr.span, what));
  return value;
}
