/** Inputs: columns that the calling program supplies. */
import type { InputDecl } from "../syntax/ast.js";
import { evaluateConstant } from "./constants.js";
import type { Diagnostic } from "./diagnostics.js";
import { outOfRange } from "./diagnostics/params.js";
import { inputOfType, mustBeWhole, notConstant } from "./diagnostics/types.js";
import type { Module } from "./program.js";
import { constantScope, numberType } from "./types.js";

/** Pairs that a sparse input may hold at most. */
const MAX_CAPACITY = 1 << 16;

export function checkInput(module: Module, input: InputDecl, diagnostics: Diagnostic[]): void {
  if (input.type === "seed") diagnostics.push(inputOfType(input.span, input.type));
  if (!input.sparse) return;
  const { capacity, fill } = input.sparse;
  const scope = constantScope(module, diagnostics);
  const constants = [capacity, fill].map((e) => (numberType(scope, e).type === "error" ? undefined : { expr: e, value: evaluateConstant(e, module) }));
  for (const c of constants) if (c && c.value === undefined) diagnostics.push(notConstant(c.expr.span, "the capacity and the value elsewhere of an input"));
  const size = constants[0]?.value;
  if (size === undefined) return;
  if (!Number.isInteger(size)) diagnostics.push(mustBeWhole(capacity.span, "the capacity of an input", String(size)));
  else if (size < 1 || size > MAX_CAPACITY) diagnostics.push(outOfRange(capacity.span, "sparse", `in [1, ${MAX_CAPACITY}]`, String(size), undefined));
}
