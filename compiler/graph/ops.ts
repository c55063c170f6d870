/**
 * THE op table: which ggml ops a graph may use, their operands, attributes, result type and dim, and the range
 * of its values. It is plain data: the verifier, the text form and the reference interpreter read it, and `npm run generate`
 * writes the tables of the C++ builder from it. The order of the ops is the numbering of the wire form.
 */
import { rangeRule, type RangeRule } from "./rangeRules.js";
import type { Interval } from "./interval.js";
import type { Attr, Attrs, Dtype, VectorType } from "./vector.js";

export interface OperandRule {
  readonly name: string;
  readonly dtype: Dtype | "any";
  /** `rows`: any vector; all such operands share one dim. `broadcast`: like `rows`, or a scalar that is broadcast.
   * `scalar`: one row. `free`: any vector of any dim. */
  readonly dim: "rows" | "broadcast" | "scalar" | "free";
  readonly optional?: true;
}

export interface AttrRule {
  readonly name: string;
  /** `count` and `integer` are integers on the wire, `f32` a float; a `choice` is the index into `choices`. */
  readonly kind: "f32" | "integer" | "count" | "choice";
  readonly choices?: readonly string[];
  /** The default; without it the attribute is required. */
  readonly default?: number;
}

/** A fixed one, or that of a named operand or attribute. */
type ResultRule<T> = T | { readonly operand: string } | { readonly attr: string };

export interface OpRule {
  readonly doc: string;
  readonly operands: readonly OperandRule[];
  readonly attrs: readonly AttrRule[];
  readonly dtype: ResultRule<Dtype>;
  readonly dim: ResultRule<1>;
  readonly range: RangeRule;
  /** Leaves are fed from outside and launch no kernel; views move no data. */
  readonly kind?: "leaf" | "view";
  /** Each row of the result depends only on the same row of the operands. */
  readonly isElementwise?: true;
  /** Unary and non-decreasing. */
  readonly isRising?: true;
  /** The ggml op that computes it, if the name differs. */
  readonly ggml?: string;
}

const x: OperandRule = { name: "x", dtype: "f32", dim: "rows" };
const y: OperandRule = { name: "y", dtype: "f32", dim: "broadcast" };
const sameDim = { operand: "x" } as const;

const column = { attrs: [], dtype: "f32", dim: sameDim } as const;
const unary = { ...column, operands: [x], isElementwise: true } as const;
const rising = { ...unary, isRising: true } as const;
const binary = { ...column, operands: [x, y], isElementwise: true } as const;

const attr = (name: string, kind: AttrRule["kind"]): AttrRule => ({ name, kind });
const choice = (name: string, ...choices: string[]): AttrRule => ({ name, kind: "choice", choices });

export const OPS = {
  // leaves
  input: {
    doc: "the vector `inputs[index]`",
    operands: [],
    attrs: [attr("index", "integer"), choice("dtype", "f32", "i32"), attr("dim", "count")],
    dtype: { attr: "dtype" },
    dim: { attr: "dim" },
    range: "any",
    kind: "leaf",
  },
  uniform: {
    doc: "the number `uniforms[index]`",
    operands: [],
    attrs: [attr("index", "integer")],
    dtype: "f32",
    dim: 1,
    range: "any",
    kind: "leaf",
  },

  // elementwise, one operand
  abs: { ...unary, doc: "|x|", range: "abs" },
  neg: { ...unary, doc: "-x", range: "neg" },
  sgn: { ...rising, doc: "sign of x: -1, 0 or 1", range: "sign" },
  step: { ...rising, doc: "1 where x > 0, else 0", range: "step" },
  exp: { ...rising, doc: "e to the power x", range: "exp" },
  log: { ...rising, doc: "natural logarithm", range: "log" },
  sqrt: { ...rising, doc: "square root", range: "sqrt" },
  sqr: { ...unary, doc: "x squared", range: "sqr" },
  sigmoid: { ...rising, doc: "1 / (1 + exp(-x))", range: "unit" },
  tanh: { ...rising, doc: "hyperbolic tangent", range: "signed_unit" },
  floor: { ...rising, doc: "largest integer <= x", range: "floor" },
  ceil: { ...rising, doc: "smallest integer >= x", range: "ceil" },
  round: { ...rising, doc: "nearest integer, halves away from zero", range: "round" },
  scale: { ...unary, doc: "s * x + b", attrs: [attr("s", "f32"), attr("b", "f32")], range: "scale" },
  clamp: { ...rising, doc: "min(max(x, lo), hi)", attrs: [attr("lo", "f32"), attr("hi", "f32")], range: "clamp" },

  // elementwise, two operands; a scalar `y` is broadcast over `x`
  add: { ...binary, doc: "x + y", range: "add" },
  sub: { ...binary, doc: "x - y", range: "sub" },
  mul: { ...binary, doc: "x * y", range: "mul" },
  div: { ...binary, doc: "x / y", range: "div" },

  // along the rows
  soft_max: {
    doc: "softmax of scale * x, or of scale * x + mask (an additive mask: a large negative number in dropped rows)",
    operands: [x, { name: "mask", dtype: "f32", dim: "rows", optional: true }],
    attrs: [{ ...attr("scale", "f32"), default: 1 }],
    dtype: "f32",
    dim: sameDim,
    range: "soft_max",
  },
  cumsum: { ...column, doc: "prefix sum, this row included", operands: [x], range: "sum" },
  sum_rows: { ...column, doc: "sum over the rows", operands: [x], dim: 1, range: "sum" },
  argmax: {
    doc: "index of the largest x; ties are unspecified",
    operands: [x],
    attrs: [],
    dtype: "i32",
    dim: 1,
    range: "positions",
  },
  argsort: {
    doc: "indices of the rows in sorted order; the order of ties is unspecified",
    operands: [x],
    attrs: [choice("order", "asc", "desc")],
    dtype: "i32",
    dim: sameDim,
    range: "positions",
  },
  top_k: {
    doc: "indices of the k largest x, in unspecified order",
    operands: [{ ...x, dim: "free" }],
    attrs: [attr("k", "count")],
    dtype: "i32",
    dim: { attr: "k" },
    range: "positions",
  },

  // moving rows
  get_rows: {
    doc: "rows of x at the given indices",
    operands: [
      { name: "x", dtype: "any", dim: "free" },
      { name: "rows", dtype: "i32", dim: "free" },
    ],
    attrs: [],
    dtype: { operand: "x" },
    dim: { operand: "rows" },
    range: "same",
  },
  set_rows: {
    doc: "a copy of x with y at the given indices",
    operands: [
      { name: "x", dtype: "f32", dim: "free" },
      { name: "y", dtype: "f32", dim: "rows" },
      { name: "rows", dtype: "i32", dim: "rows" },
    ],
    attrs: [],
    dtype: "f32",
    dim: sameDim,
    range: "either",
  },
  view: {
    doc: "`count` consecutive rows from `offset`; a negative offset counts from the end",
    operands: [{ name: "x", dtype: "any", dim: "free" }],
    attrs: [attr("offset", "integer"), attr("count", "count")],
    dtype: { operand: "x" },
    dim: { attr: "count" },
    range: "same",
    kind: "view",
  },
  roll: {
    ...column,
    doc: "rows rotated down by `shift`",
    operands: [x],
    attrs: [attr("shift", "integer")],
    range: "same",
  },
  cast: {
    doc: "i32 to f32, or f32 to i32 towards zero",
    operands: [{ name: "x", dtype: "any", dim: "rows" }],
    attrs: [choice("to", "f32", "i32")],
    dtype: { attr: "to" },
    dim: sameDim,
    range: "cast",
    ggml: "cpy",
  },

  // making rows
  repeat: {
    doc: "a scalar repeated to `dim` rows",
    operands: [{ name: "x", dtype: "f32", dim: "scalar" }],
    attrs: [attr("dim", "count")],
    dtype: "f32",
    dim: { attr: "dim" },
    range: "same",
  },
  fill: {
    doc: "a constant vector of `dim` rows",
    operands: [],
    attrs: [attr("value", "f32"), attr("dim", "count")],
    dtype: "f32",
    dim: { attr: "dim" },
    range: "value",
  },
  arange: {
    doc: "0, 1, 2, ... in `dim` rows",
    operands: [],
    attrs: [attr("dim", "count")],
    dtype: "f32",
    dim: { attr: "dim" },
    range: "positions",
  },

  // random numbers
  hash: {
    ...binary,
    doc: "hash of the integer x by the key y: the [permutation](semantics.md#hashes) y of the integers below 2^24; for x, 2^24 counts as 0",
    range: "hash",
    ggml: "custom",
  },
} satisfies Record<string, OpRule>;

export type OpName = keyof typeof OPS;

/** Op names by number. */
export const OP_NAMES = Object.keys(OPS) as OpName[];

export const opRule = (op: OpName): OpRule => OPS[op];

/** Whether a node of this op launches a kernel: leaves are fed, and views move no data. */
export const launches = ({ op }: { readonly op: OpName }): boolean => opRule(op).kind === undefined;

/** An attribute of a node, or its default. */
export const attrValue = (attrs: Attrs, rule: AttrRule): Attr => attrs[rule.name] ?? rule.default!;

/** The dtype and the dim of a result. */
export function resultType(op: OpName, operands: readonly VectorType[], attrs: Attrs): VectorType {
  const { operands: rules, dtype, dim } = opRule(op);
  const find = (rule: ResultRule<Dtype | 1>, key: keyof VectorType): Attr => {
    if (typeof rule !== "object") return rule;
    if ("attr" in rule) return attrs[rule.attr]!;
    return operands[rules.findIndex(({ name }) => name === rule.operand)]![key];
  };
  return { dtype: find(dtype, "dtype"), dim: find(dim, "dim") } as VectorType;
}

/** The range of a result. */
export function resultRange(op: OpName, operands: readonly Interval[], attrs: Attrs): Interval {
  const { attrs: rules, range } = opRule(op);
  const numbers = rules.map((rule) => {
    const value = attrValue(attrs, rule);
    return [rule.name, rule.kind === "choice" ? rule.choices!.indexOf(value as string) : (value as number)] as const;
  });
  return rangeRule(range)(operands, Object.fromEntries(numbers));
}
