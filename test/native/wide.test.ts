/**
 * The CPU kernels for wide rows (native/graph/cpu_kernels.cc, cpu_select.cc, cpu_sort.cc) agree with the reference interpreter: with ties, -inf and NaN, for
 * one row and for several, on one thread and on three.
 */
import { describe, expect, test } from "@jest/globals";
import type { Graph, GraphNode } from "../../compiler/graph/graph.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { interpret } from "../../runtime/backends/reference/interpret.js";
import { graphOf, logitsNode, nativeGraph, node } from "./graphs.js";

/** No multiple of a vector width, and larger than a kernel's block. */
const SIZE = 1237;

const number = node("argmax", [0], {}, "i32", 1);

/** A column and a number per row: the index of its maximum, which is never 0 here. */
const withNumber = (op: "add" | "sub" | "mul" | "div"): GraphNode[] => [
  logitsNode,
  node("clamp", [0], { lo: -50, hi: 50 }),
  number,
  node("cast", [2], { to: "f32" }, "f32", 1),
  node(op, [1, 3]),
];

const GRAPHS: Readonly<Record<string, Graph>> = {
  "wide top_k": graphOf([logitsNode, node("top_k", [0], { k: 40 }, "i32", 40)], { candidates: 1 }),
  "wide argmax": graphOf([logitsNode, number], { sampled: 1 }),
  "wide argsort": graphOf([logitsNode, node("argsort", [0], { order: "desc" }, "i32")], { candidates: 1 }),
  "wide argsort, rising": graphOf([logitsNode, node("argsort", [0], { order: "asc" }, "i32")], { candidates: 1 }),
  "get_rows of numbers": graphOf(
    [
      logitsNode,
      node("argsort", [0], { order: "desc" }, "i32"),
      node("get_rows", [0, 1]),
      node("get_rows", [1, 1], {}, "i32"),
    ],
    { candidates: 3, logits: 2 },
  ),
  "wide sum_rows": graphOf(
    [
      logitsNode,
      node("clamp", [0], { lo: -50, hi: 50 }),
      node("sum_rows", [1], {}, "f32", 1),
      node("repeat", [2], { dim: "V" }),
    ],
    { logits: 3 },
  ),
  "wide cumsum": graphOf([logitsNode, node("clamp", [0], { lo: 0, hi: 50 }), node("cumsum", [1])], { logits: 2 }),
  "wide add": graphOf(withNumber("add"), { logits: 4 }),
  "wide sub": graphOf(withNumber("sub"), { logits: 4 }),
  "wide mul": graphOf(withNumber("mul"), { logits: 4 }),
  "wide div": graphOf(withNumber("div"), { logits: 4 }),
};

const noise =
  (seed: number) =>
  (i: number): number =>
    Math.round(((Math.sin(i * 12.9898 + seed) * 43758.5453) % 1) * 400) / 10;

/** Rows of logits: with many ties, all but a few -inf, rising, falling, all equal. */
const ROWS: readonly Float32Array[] = [
  Float32Array.from({ length: SIZE }, (_, i) => noise(1)(i)),
  Float32Array.from({ length: SIZE }, (_, i) => (i % 97 === 3 ? noise(2)(i) : -Infinity)),
  Float32Array.from({ length: SIZE }, (_, i) => i - 600),
  Float32Array.from({ length: SIZE }, (_, i) => 600 - i),
  new Float32Array(SIZE).fill(-0.5),
  Float32Array.from({ length: SIZE }, (_, i) => (i % 2 === 0 ? 0 : -0)),
];

const all = new Float32Array(ROWS.flatMap((row) => [...row]));

test("every rewrite for wide rows has a graph here", () => {
  const names = loadBinding()
    .rewrites()
    .map(({ name }) => name)
    .filter((name) => name.startsWith("wide "));
  expect(Object.keys(GRAPHS)).toEqual(expect.arrayContaining(names));
  expect(names).toHaveLength(9);
});

describe.each(Object.entries(GRAPHS))("%s", (name, graph) => {
  const open = (size: number, rows: number, threads: number) =>
    new (loadBinding().Evaluator)(nativeGraph(graph), { vocabSize: size, rows, threads, fuse: false });

  test.each([1, 3])("agrees with the reference on %d threads", (threads) => {
    const native = open(SIZE, ROWS.length, threads);
    expect(native.rewritten.map((r) => r.name)).toContain(name.replace(", rising", ""));
    const found = native.evaluate({ logits: all, uniforms: new Float32Array() });
    native.dispose();
    ROWS.forEach((row, r) => {
      const wanted = interpret(graph, [row], new Float32Array());
      const part = <T extends Float32Array | Int32Array>(values: T, size: number): T =>
        values.subarray(r * size, (r + 1) * size) as T;
      if (wanted.sampled !== undefined) expect(found.sampled![r]).toBe(wanted.sampled);
      if (wanted.candidates) {
        const { length } = wanted.candidates;
        const rows = [...part(found.candidates!, length)];
        // top_k's order is unspecified
        expect(name === "wide top_k" ? rows.sort((a, b) => a - b) : rows).toEqual(
          name === "wide top_k" ? [...wanted.candidates].sort((a, b) => a - b) : [...wanted.candidates],
        );
      }
      if (wanted.logits) expect([...part(found.logits!, wanted.logits.length)]).toEqual([...wanted.logits]);
    });
  });

  test("is left to ggml for few rows", () => {
    const native = open(64, 1, 1);
    expect(native.rewritten.filter((r) => r.name.startsWith("wide "))).toEqual([]);
    native.dispose();
  });
});

describe("top_k", () => {
  /** Rows in which a bound of the best is easy or hard to find. */
  const shapes: Readonly<Record<string, (i: number, size: number) => number>> = {
    "of any order": (i) => noise(3)(i),
    rising: (i) => i,
    falling: (i) => -i,
    "of equal numbers": () => 1,
    "of two numbers": (i) => i % 2,
    "with few numbers": (i) => (i % 211 === 5 ? i : -Infinity),
    "with the best at its end": (i, size) => (i >= size - 50 ? 1000 : 0) + noise(4)(i),
    "of the lowest numbers": (i) => (i % 3 === 0 ? -3.4028234663852886e38 : -Infinity),
  };
  const sizes = [512, 577, 4096, 32003];
  const counts = [2, 8, 40, 250, 511];

  test.each(Object.entries(shapes))("takes the best of a row %s", (_, shape) => {
    for (const size of sizes) {
      const logits = Float32Array.from({ length: size }, (__, i) => shape(i, size));
      // of a tie the earlier ones
      const ranked = [...logits.keys()].sort((a, b) => (logits[a] === logits[b] ? a - b : logits[b]! - logits[a]!));
      for (const k of counts) {
        const graph = graphOf([logitsNode, node("top_k", [0], { k }, "i32", k)], { candidates: 1 });
        const native = new (loadBinding().Evaluator)(nativeGraph(graph), { vocabSize: size, fuse: false });
        const { candidates } = native.evaluate({ logits, uniforms: new Float32Array() });
        native.dispose();
        expect([...candidates!].sort((a, b) => a - b)).toEqual(ranked.slice(0, k).sort((a, b) => a - b));
      }
    }
  });
});

test("NaN counts as the lowest number, and indices stay within the table", () => {
  // -inf - -inf is NaN
  const nans = [logitsNode, node("sub", [0, 0])];
  const positions = (choice: GraphNode, logits: Float32Array): number[] => {
    const native = new (loadBinding().Evaluator)(nativeGraph(graphOf([...nans, choice], { candidates: 2 })), {
      vocabSize: SIZE,
    });
    const { candidates } = native.evaluate({ logits, uniforms: new Float32Array() });
    native.dispose();
    return [...candidates!];
  };
  const isNumber = (i: number): boolean => i % 3 === 2;
  const some = Float32Array.from({ length: SIZE }, (_, i) => (isNumber(i) ? 1 : -Infinity));
  const none = new Float32Array(SIZE).fill(-Infinity);
  const sort = node("argsort", [1], { order: "desc" }, "i32");
  const best = node("top_k", [1], { k: 40 }, "i32", 40);
  const largest = node("argmax", [1], {}, "i32", 1);
  const sorted = positions(sort, some);
  expect(sorted.slice(0, 400).every(isNumber)).toBe(true);
  for (const found of [sorted, positions(sort, none)]) expect(found.sort((a, b) => a - b)).toEqual([...some.keys()]);
  expect(positions(best, some).every(isNumber)).toBe(true);
  expect(new Set(positions(best, none).filter((i) => i >= 0 && i < SIZE)).size).toBe(40);
  expect(positions(largest, some)).toEqual([2]);
  expect(positions(largest, none)).toEqual([0]);
});
