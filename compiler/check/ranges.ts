/** Declared ranges of parameters. */
import type { Range } from "../graph/graph.js";
import type { Param } from "../syntax/ast.js";
import { evaluateConstant } from "./constants.js";
import type { Module } from "./program.js";

/** The range that a parameter declares; its bounds must already be checked as constants. */
export function declaredRange(module: Module, { range }: Param): Range {
  if (!range) return {};
  const bound = (e: Parameters<typeof evaluateConstant>[0]): number => evaluateConstant(e, module) ?? 0;
  if (range.kind === "in") return { min: bound(range.min), max: bound(range.max) };
  if (range.op === ">=") return { min: bound(range.bound) };
  if (range.op === ">") return { min: bound(range.bound), minExcluded: true };
  return range.op === "<=" ? { max: bound(range.bound) } : { max: bound(range.bound), maxExcluded: true };
}
