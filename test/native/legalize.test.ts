/**
 * Each rewrite of native/graph/legalize.cc applies on the devices that need it and only there, and computes what the op table
 * says. Rewrites for other devices run on the CPU; test/vulkan/rewrites.test.ts shows what Vulkan does without them.
 */
import { expect, test } from "@jest/globals";
import type { Dim, Dtype, Graph, GraphNode } from "../../compiler/graph/graph.js";
import type { OpName } from "../../compiler/graph/ops.js";
import { encodeWire } from "../../compiler/graph/wire.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import type { ChainResults, DeviceFamily, NativeEvaluator } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { interpret } from "../../runtime/backends/reference/interpret.js";
import { graphOf, logitsNode, nativeGraph, node } from "./graphs.js";

const FAMILIES: readonly DeviceFamily[] = ["cpu", "cuda", "vulkan", "other"];

const open = (graph: Graph, vocabSize: number, rewriteFor: DeviceFamily, rows = 1): NativeEvaluator =>
  new (loadBinding().Evaluator)(nativeGraph(graph), { vocabSize, rewriteFor, rows, fuse: false });

const evaluate = (evaluator: NativeEvaluator, logits: ArrayLike<number>): ChainResults =>
  evaluator.evaluate({ logits: Float32Array.from(logits), uniforms: new Float32Array() });

/** The device families that need rewrites of a graph, with the names of the rewrites. */
function rewrittenFor(graph: Graph, vocabSize: number): Partial<Record<DeviceFamily, string[]>> {
  const names = FAMILIES.map((family) => {
    const evaluator = open(graph, vocabSize, family);
    const found = evaluator.rewritten.map(({ name }) => name);
    evaluator.dispose();
    return [family, found] as const;
  });
  return Object.fromEntries(names.filter(([, found]) => found.length > 0));
}

const one = (op: OpName, attrs: GraphNode["attrs"], dtype: Dtype, dim: Dim): GraphNode[] => [
  logitsNode,
  node(op, [0], attrs, dtype, dim),
];

test("every rewrite of the table has a test here, in wide.test.ts, or in test/wasm/kernels.test.ts", () => {
  const named = loadBinding()
    .rewrites()
    .map(({ name, op }) => `${op}: ${name}`);
  expect(named.filter((name) => !name.includes(": wide "))).toEqual([
    "get_rows: get_rows of numbers",
    "soft_max: soft_max in WebAssembly",
    "clamp: clamp in WebAssembly",
    "step: step in WebAssembly",
    "hash: hash of integers",
    "input: bits of words",
    "argsort: sort numbers",
    "top_k: take the largest",
    "top_k: select by radix",
    "argmax: largest of numbers",
    "soft_max: softmax by steps",
  ]);
});

test("sort numbers: a column that may hold NaN is clamped before it is sorted, on every device", () => {
  const nan = [
    logitsNode,
    node("sub", [0, 0]), // -inf - -inf is NaN
    node("argsort", [1], { order: "desc" }, "i32"),
  ];
  const graph = graphOf(nan, { candidates: 2 });
  const all = Object.fromEntries(FAMILIES.map((family) => [family, ["sort numbers"]]));
  expect(rewrittenFor(graph, 4)).toEqual(all);
  const { candidates } = evaluate(open(graph, 4, "cpu"), [-Infinity, 1, 2, -Infinity]);
  expect([...candidates!].sort()).toEqual([0, 1, 2, 3]);
  const clean = [logitsNode, node("step", [0]), node("argsort", [1], { order: "desc" }, "i32")];
  expect(rewrittenFor(graphOf(clean, { candidates: 2 }), 4)).toEqual({});
});

test("bits of words: one kernel on the CPU, a table on every other device, whatever is left over in the last word", () => {
  for (const size of [1, 16, 37, 5000]) {
    const count = Math.ceil(size / 16);
    const nodes = [logitsNode, node("input", [], { index: 1, dtype: "f32", dim: "V" }), node("add", [0, 1])];
    const plain = graphOf(nodes, { logits: 2 });
    const mask = { name: "mask", dtype: "f32", dim: "V", source: { kind: "bits", feature: 0 } } as const;
    const graph = { ...plain, inputs: [...plain.inputs, mask] };
    expect(rewrittenFor(graph, size).cpu).toContain("bits of words");
    expect(rewrittenFor(graph, size).vulkan).toBeUndefined();
    const words = Int32Array.from({ length: 2 * count }, (_, i) => Math.floor(65536 * Math.abs(Math.sin(i + 1))));
    const logits = Float32Array.from({ length: 2 * size }, (_, i) => 2 * i);
    const wanted = logits.map((logit, i) => {
      const token = i % size;
      return logit + ((words[count * Math.floor(i / size) + (token >> 4)]! >> (token % 16)) & 1);
    });
    for (const family of FAMILIES) {
      const evaluator = open(graph, size, family, 2);
      const found = evaluator.evaluate({ logits, uniforms: new Float32Array(), inputs: [words] }).logits!;
      expect([family, [...found]]).toEqual([family, [...wanted]]);
    }
  }
});

test("take the largest: top_k of one row is argmax, on every device", () => {
  const graph = graphOf(one("top_k", { k: 1 }, "i32", 1), { candidates: 1 });
  expect(rewrittenFor(graph, 4).vulkan).toEqual(["take the largest"]);
  for (const family of FAMILIES) {
    const { candidates } = evaluate(open(graph, 4, family), [-5, -2, -3, -9]);
    expect([...candidates!]).toEqual([1]);
  }
  expect(rewrittenFor(graphOf(one("top_k", { k: 2 }, "i32", 2), { candidates: 1 }), 4).cpu).toBeUndefined();
});

test("select by radix: top_k of less than 1024 rows on Vulkan, unless no key reaches 2, for one sequence and for several", () => {
  const top = (k: number): Graph => graphOf(one("top_k", { k }, "i32", k), { candidates: 1 });
  expect(rewrittenFor(top(1023), 5000)).toEqual({ cpu: ["wide top_k"], vulkan: ["select by radix"] });
  expect(rewrittenFor(top(1024), 5000)).toEqual({ cpu: ["wide top_k"] });
  const probs = [logitsNode, node("soft_max", [0]), node("top_k", [1], { k: 3 }, "i32", 3)];
  expect(rewrittenFor(graphOf(probs, { candidates: 2 }), 100)).toEqual({});
  const row = (size: number, by: number): number[] =>
    Array.from({ length: size }, (_, i) => 1e30 * Math.sin(by * i + 1));
  for (const size of [8, 1024, 1025, 3000]) {
    const rows = [row(size, 1), row(size, 2)];
    const { candidates } = evaluate(open(top(7), size, "vulkan", 2), rows.flat());
    rows.forEach((keys, r) => {
      const order = [...keys.keys()].sort((a, b) => keys[b]! - keys[a]!);
      expect([...candidates!.slice(7 * r, 7 * r + 7)]).toEqual(order.slice(0, 7));
    });
  }
});

test("largest of numbers: argmax never sees a row of NaN alone, where that gives -1", () => {
  const graph = graphOf(one("argmax", {}, "i32", 1), { sampled: 1 });
  expect(rewrittenFor(graph, 4)).toEqual({ cuda: ["largest of numbers"], other: ["largest of numbers"] });
  const evaluator = open(graph, 4, "cuda", 2);
  const { sampled } = evaluate(evaluator, [-3e38, -Infinity, 4, 5, -Infinity, -7, -Infinity, -Infinity]);
  expect([...sampled!]).toEqual([3, 1]);
  // a value that is provably not NaN needs no clamp
  const known = [logitsNode, node("soft_max", [0]), node("clamp", [0], { lo: -1e30, hi: 1e30 })];
  const clamped = graphOf([...known, node("argmax", [2], {}, "i32", 1)], { sampled: 3 });
  expect(rewrittenFor(clamped, 4)).toEqual({});
  const masked = [
    ...known,
    node("step", [0]),
    node("scale", [3], { s: 1e33, b: -1e33 }),
    node("add", [2, 4]),
    node("argsort", [5], { order: "desc" }, "i32"),
    node("argmax", [5], {}, "i32", 1),
  ];
  expect(rewrittenFor(graphOf(masked, { candidates: 6, sampled: 7 }), 4)).toEqual({});
  // a sum that may overflow may be NaN
  const large = [...known, node("scale", [2], { s: 1e30, b: 0 }), node("argmax", [3], {}, "i32", 1)];
  expect(rewrittenFor(graphOf(large, { sampled: 4 }), 4).cuda).toEqual(["largest of numbers"]);
});

test("operands of the compiler's argmax are provably not NaN: the standard samplers need no clamp on CUDA", () => {
  const examples = STD_SAMPLERS.filter(({ picks }) => picks !== "argmax").map(({ example }) => example);
  for (const chain of [...examples, "min_p(0.1) |> greedy()"]) {
    const { cuda = [] } = rewrittenFor(compilePipeline(chain).graph, 1000);
    expect([chain, cuda]).toEqual([chain, []]);
  }
  // one clamp more here saves one in all others
  expect(rewrittenFor(compilePipeline("greedy()").graph, 1000).cuda).toEqual(["largest of numbers"]);
});

test("softmax by steps: above 16384 rows on Vulkan, with and without a mask, for one sequence and for several", () => {
  const masked = [logitsNode, node("clamp", [0], { lo: -1e9, hi: 0 }), node("soft_max", [0, 1])];
  const scaled = [logitsNode, node("clamp", [0], { lo: -1e9, hi: 0 }), node("soft_max", [0, 1], { scale: 0.25 })];
  const graphs = [
    graphOf(one("soft_max", {}, "f32", "V"), { probs: 1 }),
    graphOf(masked, { probs: 2 }),
    graphOf(scaled, { probs: 2 }),
  ];
  for (const graph of graphs) {
    expect(rewrittenFor(graph, 16384)).toEqual({});
    expect(rewrittenFor(graph, 16385)).toEqual({ vulkan: ["softmax by steps"] });
    const size = 20_000;
    const row = (k: number): Float32Array => Float32Array.from({ length: size }, (_, i) => 90 * Math.sin(k * i) - 40);
    const both = Float32Array.of(...row(1), ...row(2));
    const { probs } = evaluate(open(graph, size, "vulkan", 2), both);
    const expected = [1, 2].flatMap((k) => [...interpret(graph, [row(k)], new Float32Array()).probs!]);
    probs!.forEach((p, i) => {
      if (Math.abs(p - expected[i]!) > 1e-6) throw new Error(`row ${i}: expected ${expected[i]}, found ${p}`);
    });
  }
});

test("hash: one kernel on the CPU, exact ops on every other device, for keys of a sequence and of a row", () => {
  const size = 5000;
  const bounds = { lo: 0, hi: 2 ** 24 };
  // the keys of the rows are hashes; the key of a sequence is the largest of its logits
  const nodes = [
    logitsNode,
    node("clamp", [0], bounds),
    node("argmax", [0], {}, "i32", 1),
    node("get_rows", [0, 2], {}, "f32", 1),
    node("hash", [1, 3]),
    node("hash", [1, 4]),
  ];
  const graphs = [graphOf(nodes.slice(0, 5), { logits: 4 }), graphOf(nodes, { logits: 5 })];
  const edges = [0, 1, 4095, 4096, 2 ** 23, 2 ** 24 - 1, 2 ** 24, -5, 3e38];
  const row = (k: number): number[] =>
    Array.from({ length: size }, (_, i) => edges[i] ?? Math.floor(2 ** 24 * Math.abs(Math.sin(k * i))));
  for (const graph of graphs) {
    expect(rewrittenFor(graph, size).vulkan).toBeUndefined();
    const expected = [1, 2].map((k) => interpret(graph, [Float32Array.from(row(k))], new Float32Array()).logits!);
    for (const family of FAMILIES) {
      const found = evaluate(open(graph, size, family, 2), [...row(1), ...row(2)]).logits!;
      expected.forEach((wanted, r) => {
        const other = wanted.findIndex((h, i) => h !== found[r * size + i]);
        if (other >= 0) expect([family, r, other, found[r * size + other]]).toEqual([family, r, other, wanted[other]]);
      });
    }
  }
});

test("a hash is 60 nodes on devices without its kernel", () => {
  const graph = graphOf([logitsNode, node("hash", [0, 0])], { logits: 1 });
  const { nodes, rewritten } = open(graph, 1000, "vulkan", 2);
  expect({ nodes, rewritten }).toEqual({ nodes: 60, rewritten: [] });
});

test("a graph names the nodes that a device cannot run", () => {
  const { unsupported, Graph: NativeGraph } = loadBinding();
  const graph = new NativeGraph(encodeWire(graphOf(one("argmax", {}, "i32", 1), { sampled: 1 })));
  expect(unsupported(graph, "CPU", 100, true)).toEqual([]);
  expect(() => unsupported(graph, "abacus", 100, true)).toThrow('no device "abacus"; there are: CPU');
});
