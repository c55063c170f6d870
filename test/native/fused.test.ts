/**
 * Wide columns in one pass (native/graph/fused) give what the ops give one by one: every standard sampler and graphs of every op,
 * with ties, -inf, one row that has almost everything, vocabularies that are no multiple of a block, several rows, on several threads.
 */
import { describe, expect, test } from "@jest/globals";
import type { Graph, GraphNode } from "../../compiler/graph/graph.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import { featureInputs, startSequence, uniformsOf } from "../../runtime/sequence/sequence.js";
import type { ChainResults } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { graphOf, logitsNode, nativeGraph, node, uniformNode } from "./graphs.js";

const ROWS = 6;
const SIZES = [700, 2049];

const noise = (seed: number, i: number): number => Math.abs((Math.sin(i * 12.9898 + seed) * 43758.5453) % 1);

const made = new Map<number, Float32Array>();

function logitsOf(size: number): Float32Array {
  const logits = made.get(size) ?? makeLogits(size);
  made.set(size, logits);
  return logits;
}

/** With ties, peaked, flat, almost all -inf, one row above all others, all equal. */
const makeLogits = (size: number): Float32Array =>
  Float32Array.from({ length: ROWS * size }, (_, at) => {
    const i = at % size;
    const x = noise(1, at);
    return [
      Math.round(x * 40) / 4,
      -12 * Math.log(1 - 0.999 * x) - 20,
      x / 10,
      i % 211 === 7 ? x : -Infinity,
      i === size - 3 ? 200 : x,
      -0.5,
    ][Math.floor(at / size)]!;
  });

interface Feed {
  readonly uniforms: Float32Array;
  readonly inputs: (Float32Array | Int32Array)[];
}

function results(graph: Graph, size: number, { uniforms, inputs }: Feed, fuse: boolean, threads = 1) {
  const native = new (loadBinding().Evaluator)(nativeGraph(graph), { vocabSize: size, rows: ROWS, threads, fuse });
  const { nodes, rewritten } = native;
  const found = native.evaluate({ logits: logitsOf(size), uniforms, inputs });
  native.dispose();
  return { found, nodes, passes: rewritten.filter(({ name }) => name === "one pass").length };
}

/** Two ways of adding in f64, and two polynomials for e^x, give numbers that differ in their last bits. */
function expectClose(found: ChainResults, wanted: ChainResults): void {
  expect(Object.keys(found)).toEqual(Object.keys(wanted));
  for (const key of ["logits", "probs", "states"] as const)
    wanted[key]?.forEach((value, i) => {
      const own = found[key]![i]!;
      if (!(Object.is(own, value) || Math.abs(own - value) <= 3e-6 * Math.abs(value) + 1e-37))
        expect([key, i, own]).toEqual([key, i, value]);
    });
}

function compare(graph: Graph, size: number, feed: Feed, isExact = true): void {
  const alone = results(graph, size, feed, false);
  const fused = results(graph, size, feed, true);
  expect(alone.passes).toBe(0);
  expectClose(fused.found, alone.found);
  if (isExact) expect(fused.found.sampled).toEqual(alone.found.sampled);
  // one thread computes a row, so the number of threads changes no bit
  const { found } = results(graph, size, feed, true, 3);
  for (const key of ["sampled", "candidates", "logits", "probs", "states"] as const) {
    const wanted = fused.found[key];
    expect([key, wanted && bitsOf(found[key]!).equals(bitsOf(wanted))]).toEqual([key, wanted && true]);
  }
}

const bitsOf = ({ buffer, byteOffset, byteLength }: Float32Array | Int32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

function repeated<T extends Float32Array | Int32Array>(row: T): T {
  const size = ROWS * row.length;
  const all = (row instanceof Float32Array ? new Float32Array(size) : new Int32Array(size)) as T;
  for (let i = 0; i < ROWS; ++i) all.set(row, i * row.length);
  return all;
}

const feedOf = (graph: Graph, size: number): Feed => {
  const sequence = startSequence(graph, size, { draws: [0.3, 0.7] });
  return { uniforms: repeated(uniformsOf(sequence)), inputs: featureInputs(sequence).map((row) => repeated(row)) };
};

describe("chains", () => {
  const chains = [
    // those that read the logits and draws alone
    ...STD_SAMPLERS.map(({ example }) => `${example} |> dist(7)`).filter(
      (text) => !/greedy|dist\(.*dist|mirostat|adaptive|tokens\(|contrastive|cfg|constrain/.test(text),
    ),
    "min_p(0.05) |> temp(0.8) |> dist(7)",
    "top_n_sigma(1) |> temp(0.8) |> dist(7)",
    "temp(0.7) |> min_p(0.01) |> typical(0.9) |> top_p(0.8) |> dist(7)",
  ];
  test.each(chains)("%s", (text) => {
    for (const size of SIZES) {
      const { graph } = compilePipeline(text);
      const feed = feedOf(graph, size);
      compare(graph, size, feed);
    }
  });

  // a sort in a pass stops where nothing reads on: within its first block, within its buckets, at their end
  const sorted = [
    ...["top_p(0.3)", "top_p(0.95, min_keep: 2000)", "top_p(0.9999)", "typical(0.2)", "temp_ext(0.8, 0.5)"],
    ...["temp(0.9) |> top_p(0.9) |> temp(2)"],
  ].map((text) => `${text} |> dist(7)`);
  test.each([...sorted, "mirostat_v2(seed: 7)"])("%s sorts as far as it reads", (text) => {
    const { graph } = compilePipeline(text);
    for (const size of [4096, 20011]) compare(graph, size, feedOf(graph, size));
  });

  test.each(["min_p(0.05) |> temp(0.8) |> dist(7)", "top_p(0.9) |> dist(7)", "typical(0.9) |> dist(7)"])(
    "%s is one node",
    (text) => {
      const { graph } = compilePipeline(text);
      const feed = feedOf(graph, 5003);
      expect(results(graph, 5003, feed, true).nodes).toBe(1);
      expect(results(graph, 5003, feed, false).nodes).toBeGreaterThan(10);
    },
  );

  test("each sequence has its own uniforms", () => {
    const { graph } = compile(
      'import { min_p, temp, dist } from "std"\nchain c(p: f32 in [0.001, 1] = 0.1, t: f32 in [0.1, 9] = 1) = min_p(p) |> temp(t) |> dist(7)',
    );
    const one = feedOf(graph, 2049).uniforms.slice(0, graph.uniforms.length);
    const uniforms = Float32Array.from({ length: ROWS * one.length }, (_, i) => one[i % one.length]! * (1 - i / 100));
    compare(graph, 2049, { uniforms, inputs: [] });
  });
});

/** The shares of `x` in the order of a key, and which of the places before half of them. */
const halved = (x: number, key: number, first: number): readonly GraphNode[] => [
  node("argsort", [key], { order: "desc" }, "i32"),
  node("get_rows", [x, first]),
  node("soft_max", [first + 1], { scale: 1 }),
  node("cumsum", [first + 2]),
  node("sub", [first + 3, first + 2]),
  node("scale", [first + 4], { s: -1, b: 0.5 }),
  node("step", [first + 5]),
  node("mul", [first + 2, first + 6]),
  node("sum_rows", [first + 7], {}, "f32", 1),
];

test("two orders in one pass, the second by a key that reads the first", () => {
  const x = node("clamp", [0], { lo: -30, hi: 30 });
  const second = [node("scale", [0], { s: 0.1, b: 0 }), node("sigmoid", [11]), node("mul", [12, 10])];
  const rest = [
    node("argmax", [21], {}, "i32", 1),
    node("get_rows", [14, 23], {}, "i32", 1),
    node("view", [17], { offset: -1, count: 1 }, "f32", 1),
  ];
  const graph = graphOf(
    [logitsNode, x, ...halved(1, 1, 2), ...second, ...halved(1, 13, 14), ...rest],
    { sampled: 24 },
    [
      { name: "first", init: 0, next: 10 },
      { name: "second", init: 0, next: 22 },
      { name: "sum", init: 0, next: 25 },
    ],
  );
  for (const size of [1025, 20011]) {
    const feed = { uniforms: new Float32Array(), inputs: [] };
    expect(results(graph, size, feed, true).nodes).toBeLessThan(7);
    compare(graph, size, feed);
  }
});

/** The words of a set for each row: all tokens, none, one, half of the first block, those by chance, all but the last. */
function wordsOf(size: number): Int32Array {
  const count = Math.ceil(size / 16);
  const has = [
    () => true,
    () => false,
    (token: number) => token === size - 1,
    (token: number) => token < 512,
    (token: number) => noise(3, token) < 0.3,
    (token: number) => token !== size - 1,
  ];
  const words = new Int32Array(ROWS * count);
  has.forEach((isIn, row) => {
    for (let token = 0; token < size; token++) if (isIn(token)) words[row * count + (token >> 4)]! |= 1 << (token % 16);
  });
  return words;
}

test("a pass reads the words of a set: rows of it alone, and the best where none of it are left", () => {
  const nodes = [
    ...[logitsNode, node("input", [], { index: 1, dtype: "f32", dim: "V" })],
    ...[node("scale", [0], { s: 1, b: 9e29 }), node("step", [2]), node("mul", [3, 1])],
    ...[node("argmax", [0], {}, "i32", 1), node("get_rows", [4, 5], {}, "f32", 1)],
    node("sum_rows", [4], {}, "f32", 1), // 7: how many are left
    ...[node("scale", [7], { s: -1, b: 1 }, "f32", 1), node("step", [8], {}, "f32", 1)],
    ...[node("add", [6, 9], {}, "f32", 1), node("clamp", [10], { lo: 0, hi: 1 }, "f32", 1)],
    node("set_rows", [4, 11, 5]), // 12: those that are kept
    ...[node("scale", [12], { s: 1e33, b: -1e33 }), node("add", [0, 13])],
    ...[node("argmax", [14], {}, "i32", 1), node("sum_rows", [12], {}, "f32", 1), node("cumsum", [12])],
    node("view", [17], { offset: 600, count: 1 }, "f32", 1),
  ];
  const plain = graphOf(nodes, { sampled: 15, logits: 14, probs: 12 }, [
    { name: "left", init: 0, next: 7 },
    { name: "kept", init: 0, next: 16 },
    { name: "before", init: 0, next: 18 },
  ]);
  const mask = { name: "mask", dtype: "f32", dim: "V", source: { kind: "bits", feature: 0 } } as const;
  const graph = { ...plain, inputs: [...plain.inputs, mask] };
  for (const size of [700, 2049, 4096]) {
    const feed = { uniforms: new Float32Array(), inputs: [wordsOf(size)] };
    const { found, passes } = results(graph, size, feed, true);
    expect(passes).toBe(nodes.length - 2); // all but the logits and the words
    const alone = results(graph, size, feed, false).found;
    for (const key of ["sampled", "logits", "probs", "states"] as const)
      expect([key, bitsOf(found[key]!).equals(bitsOf(alone[key]!))]).toEqual([key, true]);
    compare(graph, size, feed);
  }
});

describe("a pass selects the best of a column", () => {
  const mask = { name: "mask", dtype: "f32", dim: "V", source: { kind: "bits", feature: 0 } } as const;
  /** Those of a set come first: 3 is what is kept of them, 5 what is selected from. */
  const kept = [
    ...[logitsNode, node("input", [], { index: 1, dtype: "f32", dim: "V" })],
    ...[node("clamp", [0], { lo: -1e30, hi: 1e30 }), node("scale", [1], { s: 1e33, b: -1e33 }), node("add", [2, 3])],
  ];
  /** Of the column `x`: the positions, the numbers there, and others there in another order, which are `also`. */
  const selected = (x: number, also: number, k: number, first: number): readonly GraphNode[] => [
    node("top_k", [x], { k }, "i32", k),
    node("get_rows", [x, first], {}, "f32", k),
    node("argsort", [first + 1], { order: "asc" }, "i32", k),
    node("get_rows", [first, first + 2], {}, "i32", k),
    node("get_rows", [also, first + 3], {}, "f32", k),
    node("scale", [first + 4], { s: 1, b: 0 }, "f32", k),
  ];
  const withMask = (graph: Graph): Graph => ({ ...graph, inputs: [...graph.inputs, mask] });
  /** Both give the same bits, in passes of so many nodes. */
  const expectSame = (graph: Graph, size: number, words: Int32Array, passes: number) => {
    const feed = { uniforms: new Float32Array(), inputs: graph.inputs.length === 1 ? [] : [words] };
    const fused = results(graph, size, feed, true);
    const alone = results(graph, size, feed, false).found;
    expect(fused.passes).toBe(passes);
    for (const key of ["candidates", "logits", "probs", "states"] as const)
      expect([size, key, alone[key] && bitsOf(fused.found[key]!).equals(bitsOf(alone[key]))]).toEqual([
        size,
        key,
        alone[key] && true,
      ]);
    compare(graph, size, feed);
  };

  /** Each kind of logits with another kind of set. */
  const turned = (words: Int32Array, by: number): Int32Array => {
    const count = words.length / ROWS;
    return Int32Array.from({ length: words.length }, (_, i) => words[(i + by * count) % words.length]!);
  };

  test.each([2, 40, 1000])("%d of a set, with fewer or more in it", (k) => {
    const graph = withMask(graphOf([...kept, ...selected(4, 3, k, 5)], { candidates: 5, logits: 6, probs: 10 }));
    for (const size of [1025, 2049, 20011])
      for (let by = 0; by < ROWS; by++) expectSame(graph, size, turned(wordsOf(size), by), 4);
  });

  test("NaN, -inf, -0 and ties", () => {
    const nodes = [
      ...[logitsNode, node("clamp", [0], { lo: -1, hi: 0.25 }), node("step", [1]), node("mul", [1, 2])],
      ...[node("div", [3, 2]), node("neg", [2]), node("mul", [5, 3]), node("log", [6])],
    ];
    // 0 / 0 is NaN; -0 where no logit is above 0; the logarithm of -0 is -inf, of less NaN
    for (const x of [3, 4, 6, 7])
      for (const k of [3, 200]) {
        const graph = graphOf([...nodes, ...selected(x, 3, k, 8)], { candidates: 8, logits: 9, probs: 13 });
        for (const size of [1025, 5003]) {
          const { passes } = results(graph, size, { uniforms: new Float32Array(), inputs: [] }, true);
          expectSame(graph, size, new Int32Array(), passes);
          expect(passes).toBeGreaterThan(3);
        }
      }
  });

  test("two selections, and a column that is read as a whole, too", () => {
    const nodes = [
      ...[...kept, ...selected(4, 2, 7, 5), ...selected(2, 4, 30, 11), node("roll", [3], { shift: 1 })],
      ...[10, 17].map((x) => node("view", [x], { offset: 3, count: 1 }, "f32", 1)),
    ];
    const states = [18, 19].map((next) => ({ name: `s${next}`, init: 0, next }));
    const graph = withMask(graphOf(nodes, { candidates: 11, logits: 12, probs: 16 }, states));
    for (const size of [1025, 20011]) expectSame(graph, size, wordsOf(size), 5);
  });

  test("a column that depends on powers and sums", () => {
    const nodes = [
      ...[logitsNode, node("soft_max", [0], { scale: 1 }), node("log", [1]), node("sum_rows", [1], {}, "f32", 1)],
      ...[node("mul", [2, 3]), node("arange", [], { dim: "V" }), node("scale", [5], { s: -1e-4, b: 0 })],
      node("add", [4, 6]),
    ];
    const graph = graphOf([...nodes, ...selected(7, 2, 40, 8)], { candidates: 8, logits: 9, probs: 13 });
    for (const size of [1025, 20011]) compare(graph, size, { uniforms: new Float32Array(), inputs: [] });
  });
});

/** Two columns: x between -3 and 3, y between 0 and 1. */
const columns: readonly GraphNode[] = [
  logitsNode,
  uniformNode(0),
  node("clamp", [0], { lo: -3, hi: 3 }),
  node("sigmoid", [2]),
];
const UNARY = [
  "abs",
  "neg",
  "sgn",
  "step",
  "exp",
  "log",
  "sqrt",
  "sqr",
  "sigmoid",
  "tanh",
  "floor",
  "ceil",
  "round",
] as const;
const BINARY = ["add", "sub", "mul", "div"] as const;
const ops: readonly (readonly [string, readonly GraphNode[]])[] = [
  ...UNARY.map((op) => [op, [node(op, [op === "log" || op === "sqrt" ? 3 : 2])]] as const),
  ...BINARY.map((op) => [`${op} of columns`, [node(op, [2, 3])]] as const),
  ...BINARY.map((op) => [`${op} of a number`, [node(op, [2, 1])]] as const),
  ["scale", [node("scale", [2], { s: -2, b: 0.25 })]],
  ["arange", [node("arange", [], { dim: "V" })]],
  ["fill", [node("fill", [], { value: -7.5, dim: "V" })]],
  ["repeat", [node("sum_rows", [3], {}, "f32", 1), node("repeat", [4], { dim: "V" })]],
  ["cumsum of numbers that fall", [node("cumsum", [2])]],
  ["cumsum", [node("cumsum", [3])]],
  ["soft_max", [node("soft_max", [2], { scale: 1 })]],
  ["soft_max of -inf, with a mask", [node("step", [2]), node("log", [4]), node("soft_max", [3, 5], { scale: 3 })]],
  ...[40, 89.2, 1e31].map(
    (s) =>
      [
        `soft_max without the largest, ${s} above the others`,
        [
          node("scale", [0], { s: 1, b: -100 }),
          node("step", [4]),
          node("scale", [5], { s, b: 0 }),
          node("add", [6, 3]),
          node("scale", [5], { s: -1e33, b: 0 }),
          node("soft_max", [7, 8], { scale: 1 }),
        ],
      ] as const,
  ),
  ["view", [node("view", [3], { offset: 5, count: 1 }, "f32", 1), node("repeat", [4], { dim: "V" })]],
  [
    "get_rows at the largest",
    [
      node("argmax", [2], {}, "i32", 1),
      node("get_rows", [3, 4], {}, "f32", 1),
      node("cast", [4], { to: "f32" }, "f32", 1),
      node("add", [5, 6], {}, "f32", 1),
      node("repeat", [7], { dim: "V" }),
    ],
  ],
  ["NaN: 0 / 0", [node("sub", [2, 2]), node("div", [4, 4])]],
  ["inf - inf", [node("fill", [], { value: 3e38, dim: "V" }), node("add", [4, 4]), node("sub", [5, 5])]],
];

describe("ops", () => {
  test.each(ops)("%s", (_, nodes) => {
    // a column that is read twice, a sum and a position, so that a pass pays
    const x = columns.length + nodes.length - 1;
    const rest = [node("sum_rows", [x], {}, "f32", 1), node("argmax", [x], {}, "i32", 1), node("add", [x, 3])];
    const graph = graphOf([...columns, ...nodes, ...rest], { sampled: x + 2, logits: x, probs: x + 3 }, [
      { name: "s", init: 0, next: x + 1 },
    ]);
    for (const size of SIZES) {
      const feed = { uniforms: Float32Array.from({ length: ROWS }, (__, i) => i / 4 - 0.6), inputs: [] };
      expect(results(graph, size, feed, true).passes).toBeGreaterThan(0);
      compare(graph, size, feed);
    }
  });
});
