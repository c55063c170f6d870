/** Folds calls and operations on constants by lowering them. */
import { newLowering, type Lowering } from "../table/lowering.js";
import { constant, isConstant, type Value } from "../table/value.js";
import type { BinaryOp } from "../syntax/ast.js";
import { argsOf, type Builtin } from "./builtin.js";
import { OPERATORS } from "./operators.js";

function fold(lower: (cx: Lowering) => Value): number | undefined {
  const value = lower(newLowering());
  return isConstant(value) ? value.expr : undefined;
}

/** The value of a call of an elementwise function with numbers. */
export function foldCall(builtin: Builtin, numbers: readonly number[]): number | undefined {
  const names = argsOf(builtin).map(([arg]) => arg);
  const args = Object.fromEntries(numbers.map((x, i) => [names[i]!, constant(x)]));
  return fold((cx) => builtin.lower(cx, args));
}

export const foldBinary = (op: BinaryOp, a: number, b: number): number | undefined =>
  fold((cx) => OPERATORS[op].lower(cx, constant(a), constant(b)));
