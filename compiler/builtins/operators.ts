/** Binary operators. */
import * as A from "../table/arith.js";
import * as C from "../table/conditions.js";
import { pow } from "../table/power.js";
import type { BinaryOp } from "../syntax/ast.js";
import type { Operator } from "./builtin.js";

type Rest = Omit<Operator, "takes" | "result" | "lower">;

const arithmetic = (lower: Operator["lower"], result: "f32" | "number", rest: Rest = {}): Operator => ({
  takes: "number",
  result,
  lower,
  ...rest,
});
const comparison = (lower: Operator["lower"], rest: Rest = {}): Operator => ({
  takes: "number",
  result: "bool",
  lower,
  ...rest,
});
const equality = (lower: Operator["lower"]): Operator => ({ takes: "either", result: "bool", lower });
const logic = (lower: Operator["lower"]): Operator => ({ takes: "condition", result: "bool", lower });

const same = (a: number, b: number): number | undefined => (a === b ? a : undefined);

export const OPERATORS: Readonly<Record<BinaryOp, Operator>> = {
  "+": arithmetic(A.add, "number", { degree: same }),
  "-": arithmetic(A.sub, "number", { degree: same }),
  "*": arithmetic(A.mul, "number", { degree: (a, b) => a + b }),
  "/": arithmetic(A.div, "f32", { degree: (a, b) => a - b }),
  "%": arithmetic(A.mod, "number"),
  "^": arithmetic(pow, "f32", { degree: (a, _, power) => (power === undefined ? undefined : a * power) }),
  ">": comparison(C.greater, { isOrdering: true }),
  ">=": comparison(C.atLeast, { isOrdering: true }),
  "<": comparison((cx, a, b) => C.greater(cx, b, a), { isOrdering: true }),
  "<=": comparison((cx, a, b) => C.atLeast(cx, b, a), { isOrdering: true }),
  "==": equality(C.equal),
  "!=": equality(C.unequal),
  and: logic(C.and),
  or: logic(C.or),
};
