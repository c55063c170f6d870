/** Ops that are written alike for NumPy and PyTorch. */
import type { Attrs, Dim } from "../../graph/vector.js";
import type { OpName } from "../../graph/ops.js";
import { numberText } from "./expression.js";

/** A node to write: values are arrays of `[B, rows]`, or `[1, rows]` if they are the same for all sequences. */
export interface Written {
  /** The expressions of the operands. */
  readonly operands: readonly string[];
  readonly attrs: Attrs;
  /** The expression of the number of rows, e.g. `V`. */
  readonly rows: string;
}

/** The expression of a node. */
export type Emitter = (node: Written) => string;

/** An expression for each op: one that is missing is a compile error. */
export type Emitters = Readonly<Record<OpName, Emitter>>;

/** How a library writes an f32 of an attribute. */
export type WriteF32 = (value: unknown) => string;

export const f32Text: WriteF32 = (value) => numberText(Math.fround(value as number));

/** The number of rows of a dim; a vocabulary may be smaller than what a chain asks for. */
export const rowsText = (dim: Dim): string => (dim === "V" ? "V" : dim === 1 ? "1" : `min(${dim}, V)`);

const binary =
  (operator: string): Emitter =>
  ({ operands: [x, y] }) =>
    `${x} ${operator} ${y}`;

function view({ operands: [x], attrs, rows }: Written): string {
  const offset = attrs["offset"] as number;
  if (offset >= 0) return `${x}[:, ${offset}:${offset} + ${rows}]`;
  return `${x}[:, ${x}.shape[1] - ${-offset}:${x}.shape[1] - ${-offset} + ${rows}]`;
}

export const sharedEmitters = (f32: WriteF32) =>
  ({
    uniform: ({ attrs }) => `uniforms[:, ${attrs["index"] as number}:${(attrs["index"] as number) + 1}]`,
    neg: ({ operands: [x] }) => `-${x}`,
    sqr: ({ operands: [x] }) => `${x} * ${x}`,
    add: binary("+"),
    sub: binary("-"),
    mul: binary("*"),
    div: binary("/"),
    scale: ({ operands: [x], attrs: { s, b } }) => {
      const product = Math.fround(s as number) === 1 ? x! : `${x} * ${f32(s)}`;
      return Math.fround(b as number) === 0 ? product : `${product} + ${f32(b)}`;
    },
    view,
    round: ({ operands: [x] }) => `_round(${x})`,
    sgn: ({ operands: [x] }) => `_sgn(${x})`,
    hash: ({ operands: [x, key] }) => `_permute(${x}, ${key})`,
    argmax: ({ operands: [x] }) => `_argmax(${x})`,
    argsort: ({ operands: [x], attrs }) => `_argsort(${x}, ${attrs["order"] === "desc" ? "True" : "False"})`,
    top_k: ({ operands: [x], rows }) => `_top_k(${x}, ${rows})`,
    get_rows: ({ operands: [x, rows] }) => `_take(${x}, ${rows})`,
    set_rows: ({ operands: [x, y, rows] }) => `_put(${x}, ${rows}, ${y})`,
    cumsum: ({ operands: [x] }) => `_cumsum(${x})`,
    sum_rows: ({ operands: [x] }) => `_sum(${x})`,
    soft_max: ({ operands: [x, mask], attrs: { scale = 1 } }) => {
      const scaled = Math.fround(scale as number) === 1 ? x! : `${x} * ${f32(scale)}`;
      return `_soft_max(${mask === undefined ? scaled : `${scaled} + ${mask}`})`;
    },
  }) satisfies Partial<Emitters>;
