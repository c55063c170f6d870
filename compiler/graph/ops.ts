/**
 * THE op table: which ggml ops a graph may use, their operands, attributes, result type and dim, and what they do to
 * the range of values. The verifier, the text form, the reference interpreter and the C++ builder follow it; the
 * order of its entries is the numbering of the wire form.
 */
import * as I from "./interval.js";
import type { Interval } from "./interval.js";
import type { Attr, Dim, Dtype } from "./vector.js";

export interface OperandRule {
  readonly name: string;
  readonly dtype: Dtype | "any";
  /** `n`: any vector; all operands marked `n` share one dim. `1`: a scalar. `n|1`: like `n`, or a scalar that is
   * broadcast. `free`: any vector, unrelated to the others. */
  readonly dim: "n" | "1" | "n|1" | "free";
  readonly optional?: true;
}

export interface AttrRule {
  readonly name: string;
  /** `count` and `int` are integers on the wire, `f32` a float; a `choice` is the index into `choices`. */
  readonly kind: "f32" | "int" | "count" | "choice";
  readonly choices?: readonly string[];
  /** What an absent attribute stands for; without it the attribute is required. */
  readonly default?: number;
}

export interface OpRule {
  readonly doc: string;
  readonly operands: readonly OperandRule[];
  readonly attrs: readonly AttrRule[];
  readonly dtype: (operands: readonly Dtype[], attrs: Readonly<Record<string, Attr>>) => Dtype;
  readonly dim: (operands: readonly Dim[], attrs: Readonly<Record<string, Attr>>) => Dim;
  readonly range: (operands: readonly Interval[], attrs: Readonly<Record<string, number>>) => Interval;
  /** Leaves are fed from outside and launch nothing; views move no data. */
  readonly kind?: "leaf" | "view";
  /** Each row of the result depends on the same row of the operands alone. */
  readonly isElementwise?: true;
  /** Of one operand: a larger operand never gives a smaller result. */
  readonly isRising?: true;
}

const f32 = (): Dtype => "f32";
const i32 = (): Dtype => "i32";
const same = (dims: readonly Dim[]): Dim => dims[0]!;
const one = (): Dim => 1;
const x: OperandRule = { name: "x", dtype: "f32", dim: "n" };

function unary(doc: string, range: (a: Interval) => Interval): OpRule {
  return { doc, operands: [x], attrs: [], dtype: f32, dim: same, range: ([a]) => range(a!), isElementwise: true };
}

const rising = (doc: string, range: (a: Interval) => Interval): OpRule => ({ ...unary(doc, range), isRising: true });

function binary(doc: string, range: (a: Interval, b: Interval) => Interval): OpRule {
  const b: OperandRule = { name: "y", dtype: "f32", dim: "n|1" };
  return {
    doc,
    operands: [x, b],
    attrs: [],
    dtype: f32,
    dim: same,
    range: ([a, c]) => range(a!, c!),
    isElementwise: true,
  };
}

/** The most rows that a sum can run over. */
const MAX_ROWS = 2 ** 24;

function sumRange({ lo, hi }: Interval): Interval {
  return I.interval(lo >= 0 ? lo : lo * MAX_ROWS, hi <= 0 ? hi : hi * MAX_ROWS);
}

const attr = (name: string, kind: AttrRule["kind"]): AttrRule => ({ name, kind });

export const OPS = {
  // leaves
  input: {
    doc: "the vector `inputs[index]`",
    operands: [],
    attrs: [attr("index", "int"), { name: "dtype", kind: "choice", choices: ["f32", "i32"] }, attr("dim", "count")],
    dtype: (_, a) => a["dtype"] as Dtype,
    dim: (_, a) => a["dim"] as Dim,
    range: () => I.ANY,
    kind: "leaf",
  },
  uniform: {
    doc: "the number `uniforms[index]`",
    operands: [],
    attrs: [attr("index", "int")],
    dtype: f32,
    dim: one,
    range: () => I.ANY,
    kind: "leaf",
  },

  // elementwise, one operand
  abs: unary("|x|", (a) =>
    a.lo >= 0 ? a : a.hi <= 0 ? I.interval(-a.hi, -a.lo) : I.interval(0, Math.max(-a.lo, a.hi)),
  ),
  neg: unary("-x", (a) => I.interval(-a.hi, -a.lo)),
  sgn: rising("the sign of x: -1, 0 or 1", I.rising(Math.sign)),
  step: rising("1 where x > 0, else 0", (a) => I.interval(a.lo > 0 ? 1 : 0, a.hi > 0 ? 1 : 0)),
  exp: rising("e to the x", I.rising(Math.exp)),
  log: rising("natural logarithm", I.rising(Math.log)),
  sqrt: rising("square root", I.rising(Math.sqrt)),
  sqr: unary("x squared", (a) => {
    const s = I.hull(a.lo * a.lo, a.hi * a.hi);
    return a.lo <= 0 && a.hi >= 0 ? I.interval(0, s.hi) : s;
  }),
  sigmoid: rising("1 / (1 + exp(-x))", () => I.UNIT),
  tanh: rising("hyperbolic tangent", () => I.interval(-1, 1)),
  floor: rising("largest integer <= x", I.rising(Math.floor)),
  ceil: rising("smallest integer >= x", I.rising(Math.ceil)),
  round: rising("nearest integer, halves away from zero", (a) => I.interval(Math.floor(a.lo), Math.ceil(a.hi))),
  scale: {
    doc: "s * x + b",
    operands: [x],
    attrs: [attr("s", "f32"), attr("b", "f32")],
    dtype: f32,
    dim: same,
    range: ([a], { s, b }) => I.add(I.mul(a!, I.point(s!)), I.point(b!)),
    isElementwise: true,
  },
  clamp: {
    doc: "min(max(x, lo), hi)",
    operands: [x],
    attrs: [attr("lo", "f32"), attr("hi", "f32")],
    dtype: f32,
    dim: same,
    range: ([a], { lo, hi }) => I.clampTo(a!, lo!, hi!),
    isElementwise: true,
    isRising: true,
  },

  // elementwise, two operands; a scalar `y` is broadcast over `x`
  add: binary("x + y", I.add),
  sub: binary("x - y", I.sub),
  mul: binary("x * y", I.mul),
  div: binary("x / y", I.div),

  // along the rows
  soft_max: {
    doc: "softmax of scale * x, or of scale * x + mask (an additive mask, a large negative number for rows that are out)",
    operands: [x, { name: "mask", dtype: "f32", dim: "n", optional: true }],
    attrs: [{ ...attr("scale", "f32"), default: 1 }],
    dtype: f32,
    dim: same,
    range: () => I.UNIT,
  },
  cumsum: {
    doc: "running sum, this row included",
    operands: [x],
    attrs: [],
    dtype: f32,
    dim: same,
    range: ([a]) => sumRange(a!),
  },
  sum_rows: { doc: "sum over the rows", operands: [x], attrs: [], dtype: f32, dim: one, range: ([a]) => sumRange(a!) },
  argmax: {
    doc: "position of the largest x; which of several equal ones is up to the device",
    operands: [x],
    attrs: [],
    dtype: i32,
    dim: one,
    range: () => I.interval(0, Infinity),
  },
  argsort: {
    doc: "positions in sorted order; the order of equal x is up to the device",
    operands: [x],
    attrs: [{ name: "order", kind: "choice", choices: ["asc", "desc"] }],
    dtype: i32,
    dim: same,
    range: () => I.interval(0, Infinity),
  },
  top_k: {
    doc: "positions of the k largest x, in no particular order",
    operands: [{ ...x, dim: "free" }],
    attrs: [attr("k", "count")],
    dtype: i32,
    dim: (_, a) => a["k"] as Dim,
    range: () => I.interval(0, Infinity),
  },

  // moving rows
  get_rows: {
    doc: "x at the given positions",
    operands: [
      { name: "x", dtype: "any", dim: "free" },
      { name: "rows", dtype: "i32", dim: "free" },
    ],
    attrs: [],
    dtype: ([d]) => d!,
    dim: (dims) => dims[1]!,
    range: ([a]) => a!,
  },
  set_rows: {
    doc: "a copy of x in which the given positions hold y",
    operands: [
      { name: "x", dtype: "f32", dim: "free" },
      { name: "y", dtype: "f32", dim: "n" },
      { name: "rows", dtype: "i32", dim: "n" },
    ],
    attrs: [],
    dtype: f32,
    dim: same,
    range: ([a, b]) => I.union(a!, b!),
  },
  view: {
    doc: "`count` neighbouring rows from `offset` on; a negative offset counts from the end",
    operands: [{ name: "x", dtype: "any", dim: "free" }],
    attrs: [attr("offset", "int"), attr("count", "count")],
    dtype: ([d]) => d!,
    dim: (_, a) => a["count"] as Dim,
    range: ([a]) => a!,
    kind: "view",
  },
  roll: {
    doc: "rows moved down by `shift` places, those that leave come back at the other end",
    operands: [x],
    attrs: [attr("shift", "int")],
    dtype: f32,
    dim: same,
    range: ([a]) => a!,
  },
  cast: {
    doc: "i32 to f32, or f32 to i32 towards zero",
    operands: [{ name: "x", dtype: "any", dim: "n" }],
    attrs: [{ name: "to", kind: "choice", choices: ["f32", "i32"] }],
    dtype: (_, a) => a["to"] as Dtype,
    dim: same,
    range: ([a], { to }) => (to === 1 ? I.rising(Math.trunc)(a!) : a!),
  },

  // making rows
  repeat: {
    doc: "a scalar as a vector of `dim` rows",
    operands: [{ name: "x", dtype: "f32", dim: "1" }],
    attrs: [attr("dim", "count")],
    dtype: f32,
    dim: (_, a) => a["dim"] as Dim,
    range: ([a]) => a!,
  },
  fill: {
    doc: "`dim` rows of one number",
    operands: [],
    attrs: [attr("value", "f32"), attr("dim", "count")],
    dtype: f32,
    dim: (_, a) => a["dim"] as Dim,
    range: (_, { value }) => I.point(value!),
  },
  arange: {
    doc: "0, 1, 2, ... in `dim` rows",
    operands: [],
    attrs: [attr("dim", "count")],
    dtype: f32,
    dim: (_, a) => a["dim"] as Dim,
    range: () => I.interval(0, Infinity),
  },
} satisfies Record<string, OpRule>;

export type OpName = keyof typeof OPS;

/** Op names in the order of their numbers. */
export const OP_NAMES = Object.keys(OPS) as OpName[];

export const opRule = (op: OpName): OpRule => OPS[op];

/** Whether a node of this op computes something: leaves are fed, and views move no data. */
export const launches = ({ op }: { readonly op: OpName }): boolean => opRule(op).kind === undefined;

/** An attribute of a node, or what its absence stands for. */
export const attrValue = (attrs: Readonly<Record<string, Attr>>, rule: AttrRule): Attr =>
  attrs[rule.name] ?? rule.default!;
