/** Each op in onnxruntime-node gives what its reference kernel gives, on random and on odd numbers. */
import { describe, expect, test } from "@jest/globals";
import type { Dtype, GraphNode } from "../../compiler/graph/graph.js";
import { OP_NAMES, resultType, type OpName } from "../../compiler/graph/ops.js";
import type { Attrs, Dim } from "../../compiler/graph/vector.js";
import { plainGraph } from "../../compiler/graph/plain.js";
import { interpret } from "../../runtime/backends/reference/interpret.js";
import { F32_MIN } from "../../compiler/graph/interval.js";
import { random } from "../parity/random.js";
import { openOnnx } from "./ort.js";

/** More than one block of an f32 sum, and not a multiple of one. */
const V = 1300;
const K = 5;

/** Halves, whose rounding differs, and numbers at the ends of f32. */
const ODD = [0.5, -0.5, 1.5, -1.5, 2.5, 0.49999997, -0.49999997, 8388609, -0, 0, 1e-40, -3.7, 3.7, 1e30, 16777215];
const NUMBERS = Float32Array.from({ length: V }, (_, i) => ODD[i] ?? 3 * random(i).normal());

const node = (op: OpName, inputs: readonly number[], attrs: Attrs, dtype: Dtype, dim: Dim): GraphNode => ({
  op,
  inputs,
  attrs,
  dtype,
  dim,
});

/** What a test can use: the logits, a positive and a whole column, a scalar, k rows, positions of k rows and of all. */
const PARTS = {
  x: 0,
  positive: 1,
  whole: 3,
  scalar: 4,
  order: 5,
  best: 6,
  few: 7,
  zeros: 8,
  key: 9,
} as const;
const NODES: readonly GraphNode[] = [
  node("input", [], { index: 0, dtype: "f32", dim: "V" }, "f32", "V"),
  node("abs", [0], {}, "f32", "V"),
  node("clamp", [1], { lo: 0, hi: 16777215 }, "f32", "V"),
  node("floor", [2], {}, "f32", "V"),
  node("fill", [], { value: 0.75, dim: 1 }, "f32", 1),
  node("argsort", [0], { order: "asc" }, "i32", "V"),
  node("view", [5], { offset: -K, count: K }, "i32", K),
  node("get_rows", [0, 6], {}, "f32", K),
  node("fill", [], { value: 0, dim: "V" }, "f32", "V"),
  node("fill", [], { value: 123457, dim: 1 }, "f32", 1),
];

interface OpCase {
  readonly operands: readonly (keyof typeof PARTS)[];
  readonly attrs?: Attrs;
  /** The largest difference, relative to the larger number; absent: none. Numbers below the smallest normal one count as 0. */
  readonly tolerance?: number;
  /** The result has any order. */
  readonly isUnordered?: true;
}

/** Of operations that libraries approximate. */
const ROUNDED = 1e-6;
const unary = (tolerance?: number): OpCase[] => [{ operands: ["x"], ...(tolerance !== undefined && { tolerance }) }];
const binary: OpCase[] = [
  { operands: ["x", "positive"] },
  { operands: ["x", "scalar"] },
  { operands: ["few", "scalar"] },
];

const CASES: Readonly<Record<Exclude<OpName, "input" | "uniform">, readonly OpCase[]>> = {
  abs: unary(),
  neg: unary(),
  sgn: unary(),
  step: unary(),
  exp: unary(ROUNDED),
  log: [{ operands: ["positive"], tolerance: ROUNDED }],
  sqrt: [{ operands: ["positive"] }],
  sqr: unary(),
  sigmoid: unary(ROUNDED),
  tanh: unary(ROUNDED),
  floor: unary(),
  ceil: unary(),
  round: unary(),
  scale: [
    { operands: ["x"], attrs: { s: 2, b: 1 } },
    { operands: ["x"], attrs: { s: 1, b: 0 } },
  ],
  clamp: [{ operands: ["x"], attrs: { lo: -1, hi: 1 } }],
  add: binary,
  sub: binary,
  mul: binary,
  div: binary,
  soft_max: [
    { operands: ["few"], tolerance: ROUNDED },
    { operands: ["whole"], attrs: { scale: 1e-6 }, tolerance: ROUNDED },
    { operands: ["whole", "x"], attrs: { scale: 1e-6 }, tolerance: ROUNDED },
  ],
  cumsum: [
    { operands: ["positive"], tolerance: ROUNDED },
    { operands: ["few"], tolerance: ROUNDED },
  ],
  sum_rows: [
    { operands: ["positive"], tolerance: ROUNDED },
    { operands: ["few"], tolerance: ROUNDED },
    { operands: ["scalar"] },
  ],
  argmax: [{ operands: ["x"] }, { operands: ["zeros"] }],
  argsort: [
    { operands: ["whole"], attrs: { order: "asc" } },
    { operands: ["whole"], attrs: { order: "desc" } },
    { operands: ["zeros"], attrs: { order: "desc" } },
  ],
  top_k: [{ operands: ["x"], attrs: { k: K }, isUnordered: true }],
  get_rows: [
    { operands: ["x", "order"] },
    // of positions
    { operands: ["order", "best"] },
    // of a column that is the same for all sequences
    { operands: ["zeros", "best"] },
  ],
  set_rows: [{ operands: ["x", "few", "best"] }, { operands: ["zeros", "few", "best"] }],
  view: [
    { operands: ["x"], attrs: { offset: 0, count: 7 } },
    { operands: ["x"], attrs: { offset: -7, count: 7 } },
    { operands: ["order"], attrs: { offset: -1, count: 1 } },
    { operands: ["few"], attrs: { offset: 3, count: 1 } },
  ],
  roll: [1, -3, V - 1, V + 2, 0].map((shift) => ({ operands: ["x"], attrs: { shift } })),
  cast: [
    { operands: ["order"], attrs: { to: "f32" } },
    { operands: ["whole"], attrs: { to: "i32" } },
  ],
  repeat: [
    { operands: ["scalar"], attrs: { dim: "V" } },
    { operands: ["scalar"], attrs: { dim: K } },
  ],
  fill: [
    { operands: [], attrs: { value: 0.1, dim: "V" } },
    { operands: [], attrs: { value: -0, dim: 1 } },
  ],
  arange: [{ operands: [], attrs: { dim: "V" } }],
  hash: [{ operands: ["whole", "key"] }, { operands: ["whole", "whole"] }],
};

describe.each(OP_NAMES.filter((op): op is keyof typeof CASES => Object.hasOwn(CASES, op)))("%s", (op) => {
  test.each(CASES[op])("of $operands with $attrs", ({ operands, attrs = {}, tolerance = 0, isUnordered }) => {
    const ordered = (values: Iterable<number>): number[] =>
      isUnordered ? [...values].sort((a, b) => a - b) : [...values];
    const inputs = operands.map((name) => PARTS[name]);
    const { dtype, dim } = resultType(
      op,
      inputs.map((id) => NODES[id]!),
      attrs,
    );
    const nodes = [...NODES, node(op, inputs, attrs, dtype, dim)];
    // the rows of a graph are numbers
    if (dtype === "i32") nodes.push(node("cast", [nodes.length - 1], { to: "f32" }, "f32", dim));
    const logits = nodes.length - 1;
    const candidates = candidatesOf(nodes, dim);
    const graph = plainGraph("op", nodes, { logits, candidates });
    const wanted = ordered(interpret(graph, [NUMBERS], new Float32Array()).logits!);
    for (const options of [{}, { isSymbolic: true }, { sums: "f32" }, { sums: "f32", isSymbolic: true }] as const) {
      // sums of thousands of rows lose a digit in f32
      const allowed = "sums" in options ? 4 * tolerance : tolerance;
      using onnx = openOnnx(graph, V, options);
      const given = { logits: NUMBERS, uniforms: new Float32Array(), inputs: [] };
      const found = onnx.run([given, given]).map((outputs) => ordered(outputs.logits!));
      for (const values of found) {
        expect(values).toHaveLength(wanted.length);
        const i = values.findIndex((x, at) => !isClose(x, wanted[at]!, allowed));
        if (i >= 0) throw new Error(`row ${i} is ${values[i]}, expected ${wanted[i]}, with ${JSON.stringify(options)}`);
      }
    }
  });
});

/** A column of positions with that dim: outputs need one unless they have V rows. */
function candidatesOf(nodes: GraphNode[], dim: Dim): number {
  if (dim === "V") return PARTS.order;
  if (dim === K) return PARTS.best;
  nodes.push(node("view", [PARTS.order], { offset: 0, count: dim }, "i32", dim));
  return nodes.length - 1;
}

const isClose = (x: number, wanted: number, tolerance: number): boolean =>
  x === wanted ||
  (Number.isNaN(x) && Number.isNaN(wanted)) ||
  (tolerance > 0 && Math.max(Math.abs(x), Math.abs(wanted)) < F32_MIN) ||
  Math.abs(x - wanted) <= tolerance * Math.max(Math.abs(x), Math.abs(wanted));
