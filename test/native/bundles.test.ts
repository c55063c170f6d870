/**
 * Small ops in one node (native/graph/bundles) give the bits that they give as nodes of their own: every standard sampler, graphs of every
 * op, with ties, -inf, several rows, on several threads.
 */
import { describe, expect, test } from "@jest/globals";
import type { Graph, GraphNode } from "../../compiler/graph/graph.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { featureInputs, startSequence, uniformsOf } from "../../runtime/sequence/sequence.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { graphOf, logitsNode, nativeGraph, node, TRUNCATED, uniformNode } from "./graphs.js";

const SIZES = [60, 2049];

const noise = (seed: number, i: number): number => Math.abs((Math.sin(i * 12.9898 + seed) * 43758.5453) % 1);

/** With ties, peaked, flat, almost all -inf, one row above all others, all equal. */
const logitsOf = (size: number, rows: number): Float32Array =>
  Float32Array.from({ length: rows * size }, (_, at) => {
    const i = at % size;
    const x = noise(1, at);
    return [
      Math.round(x * 40) / 4,
      -12 * Math.log(1 - 0.999 * x) - 20,
      x / 10,
      i % 21 === 7 ? x : -Infinity,
      i === size - 3 ? 200 : x,
      -0.5,
    ][Math.floor(at / size) % 6]!;
  });

function repeated<T extends Float32Array | Int32Array>(row: T, rows: number, change = 0): T {
  const all = (
    row instanceof Float32Array ? new Float32Array(rows * row.length) : new Int32Array(rows * row.length)
  ) as T;
  for (let i = 0; i < all.length; ++i) all[i] = row[i % row.length]! * (1 - (change * i) / all.length);
  return all;
}

function results(graph: Graph, size: number, rows: number, bundle: boolean, threads = 1, fuse = true) {
  const native = new (loadBinding().Evaluator)(nativeGraph(graph), {
    vocabSize: size,
    rows,
    threads,
    fuse,
    bundles: bundle,
  });
  const sequence = startSequence(graph, size, { draws: [0.3, 0.7] });
  const values = {
    logits: logitsOf(size, rows),
    uniforms: repeated(uniformsOf(sequence), rows, 0.1),
    inputs: featureInputs(sequence).map((row) => repeated(row, rows)),
  };
  native.evaluate(values);
  const found = native.evaluate(values);
  const { nodes, rewritten } = native;
  native.dispose();
  return { found, nodes, bundled: rewritten.filter(({ name }) => name === "one bundle").length };
}

const bitsOf = ({ buffer, byteOffset, byteLength }: Float32Array | Int32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

function compare(graph: Graph, size: number): number {
  let most = 0;
  for (const [rows, threads, fuse] of [
    [1, 1, true],
    [1, 2, false],
    [3, 2, true],
    [19, 1, true],
    [64, 3, true],
  ] as const) {
    const alone = results(graph, size, rows, false, 1, fuse);
    expect(alone.bundled).toBe(0);
    const bundled = results(graph, size, rows, true, threads, fuse);
    expect(Object.keys(bundled.found)).toEqual(Object.keys(alone.found));
    for (const key of ["sampled", "candidates", "logits", "probs", "states"] as const) {
      const wanted = alone.found[key];
      expect([key, rows, wanted && bitsOf(bundled.found[key]!).equals(bitsOf(wanted))]).toEqual([
        key,
        rows,
        wanted && true,
      ]);
    }
    most = Math.max(most, bundled.bundled);
  }
  return most;
}

describe("chains", () => {
  const chains = STD_SAMPLERS.flatMap(({ example }) => [
    /greedy|dist\(|mirostat|adaptive/.test(example) ? example : `${example} |> dist(7)`,
    `top_k(20) |> ${/greedy|dist\(|mirostat|adaptive/.test(example) ? example : `${example} |> dist(7)`}`,
  ]).filter((text) => !/tokens\(|contrastive|cfg|constrain/.test(text));
  test.each(chains)("%s", (text) => {
    const { graph } = compilePipeline(text);
    for (const size of SIZES) compare(graph, size);
  });

  test("the default chain is two nodes", () => {
    const { graph } = compilePipeline("top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(7)");
    expect(results(graph, 2049, 1, true).nodes).toBe(2);
    expect(compare(graph, 2049)).toBeGreaterThan(15);
  });
});

test("every kind of output, and a row that is set in place", () => {
  expect(compare(TRUNCATED, 60)).toBeGreaterThan(10);
});

/** x between -3 and 3, y between 0 and 1, of 60 numbers. */
const columns: readonly GraphNode[] = [
  logitsNode,
  uniformNode(0),
  node("clamp", [0], { lo: -3, hi: 3 }),
  node("sigmoid", [2]),
];
const UNARY = ["abs", "neg", "sgn", "step", "exp", "log", "sqrt", "sqr", "tanh", "floor", "ceil", "round"] as const;
const BINARY = ["add", "sub", "mul", "div", "hash"] as const;
const ops: readonly (readonly [string, readonly GraphNode[]])[] = [
  ...UNARY.map((op) => [op, [node(op, [2])]] as const),
  ...BINARY.map((op) => [`${op} of columns`, [node(op, [2, 3])]] as const),
  ...BINARY.map((op) => [`${op} of a number`, [node(op, [2, 1])]] as const),
  ["scale", [node("scale", [2], { s: -2, b: 0.25 })]],
  ["arange", [node("arange", [], { dim: "V" })]],
  ["fill", [node("fill", [], { value: -7.5, dim: "V" })]],
  ["repeat", [node("repeat", [1], { dim: "V" })]],
  ["cumsum", [node("cumsum", [3])]],
  ["roll", [node("roll", [3], { shift: 7 })]],
  ["soft_max of -inf, with a mask", [node("step", [2]), node("log", [4]), node("soft_max", [3, 5], { scale: 3 })]],
  ["soft_max of nothing", [node("log", [2]), node("sub", [4, 4]), node("soft_max", [5], { scale: 1 })]],
  [
    "rows in an order",
    [node("argsort", [2], { order: "asc" }, "i32"), node("get_rows", [3, 4]), node("set_rows", [2, 5, 4])],
  ],
  [
    "a number at the largest",
    [node("argmax", [2], {}, "i32", 1), node("cast", [4], { to: "f32" }, "f32", 1), node("set_rows", [3, 5, 4])],
  ],
  ["NaN: 0 / 0", [node("sub", [2, 2]), node("div", [4, 4])]],
  ["inf - inf", [node("fill", [], { value: 3e38, dim: "V" }), node("add", [4, 4]), node("sub", [5, 5])]],
];

describe("ops", () => {
  test.each(ops)("%s", (_, nodes) => {
    const x = columns.length + nodes.length - 1;
    const rest = [node("sum_rows", [x], {}, "f32", 1), node("argmax", [x], {}, "i32", 1), node("add", [x, 3])];
    const graph = graphOf([...columns, ...nodes, ...rest], { sampled: x + 2, logits: x, probs: x + 3 }, [
      { name: "s", init: 0, next: x + 1 },
    ]);
    expect(compare(graph, 60)).toBeGreaterThan(3);
  });
});
