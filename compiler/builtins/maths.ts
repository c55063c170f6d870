/** Elementwise functions: uniform if their arguments are known before the graph runs, else computed for each row. */
import * as A from "../table/arith.js";
import * as C from "../table/conditions.js";
import * as R from "../rows/reduce.js";
import * as W from "../table/windows.js";
import { uniformOp } from "../table/value.js";
import { define, map, type Builtin } from "./builtin.js";

/** An operation with the same name for uniform values and for rows. */
const op =
  (name: Parameters<typeof A.mapped>[1]): Parameters<typeof map>[1] =>
  (cx, x) =>
    A.mapped(cx, name, x);

/** An extremum of two numbers, or of one argument over the rows left. */
const extremum = (
  doc: string,
  ofTwo: typeof C.smaller,
  overRows: typeof R.min,
  overTokens: typeof W.minOver,
): Builtin =>
  define({
    doc,
    args: { x: "number" },
    optional: { y: "number" },
    named: { last: "span" },
    gives: "map",
    givesWithout: "scalar",
    result: "number",
    isHomogeneous: true,
    lower: (cx, { x, y, last }) =>
      y ? ofTwo(cx, x, y) : last === undefined ? overRows(cx, x) : overTokens(cx, x, last),
  });

export const MATHS: Readonly<Record<string, Builtin>> = {
  exp: map("e to the power x", op("exp")),
  log: map("natural logarithm; log(0) is the lowest finite number", A.log),
  log2: map("logarithm to base 2; log2(0) is the lowest finite number", A.log2),
  sqrt: map("square root; 0 for a negative number", A.sqrt),
  abs: map("absolute value", op("abs"), { result: "number" }),
  clamp: define({
    doc: "x clamped to [lo, hi]",
    args: { x: "number", lo: "number", hi: "number" },
    gives: "map",
    result: "number",
    lower: (cx, { x, lo, hi }) => C.smaller(cx, C.larger(cx, x, lo), hi),
  }),
  floor: map("largest integer not above x", op("floor"), { result: "i32" }),
  ceil: map("smallest integer not below x", op("ceil"), { result: "i32" }),
  round: map("nearest integer, halves away from 0", op("round"), { result: "i32" }),
  sign: map("-1, 0 or 1", (cx, x) => (x.kind === "uniform" ? uniformOp("sign", x) : A.unary(cx, "sgn", x)), {
    result: "i32",
  }),
  sigmoid: map("1 / (1 + exp(-x))", op("sigmoid")),
  tanh: map("hyperbolic tangent", op("tanh")),
  min: extremum(
    "the smaller of two numbers; with one argument, the smallest value over the rows left, or with `last: n` that of a scalar over the last n tokens",
    C.smaller,
    R.min,
    W.minOver,
  ),
  max: extremum(
    "the larger of two numbers; with one argument, the largest value over the rows left, or with `last: n` that of a scalar over the last n tokens",
    C.larger,
    R.max,
    W.maxOver,
  ),
};
