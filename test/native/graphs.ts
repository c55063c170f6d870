/** Small hand-written graphs for the tests of the native runtime. */
import type { Dim, Dtype, Graph, GraphNode, Outputs, State } from "../../compiler/graph/graph.js";
import { plainGraph } from "../../compiler/graph/plain.js";
import type { OpName } from "../../compiler/graph/ops.js";
import { encodeWire } from "../../compiler/graph/wire.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import type { NativeGraph } from "../../runtime/backends/native/binding.js";

export const node = (
  op: OpName,
  inputs: readonly number[],
  attrs: GraphNode["attrs"] = {},
  dtype: Dtype = "f32",
  dim: Dim = "V",
): GraphNode => ({ op, inputs, attrs, dtype, dim });

export const logitsNode = node("input", [], { index: 0, dtype: "f32", dim: "V" });

export const uniformNode = (index: number): GraphNode => node("uniform", [], { index }, "f32", 1);

export function graphOf(nodes: readonly GraphNode[], outputs: Outputs, states: readonly State[] = []): Graph {
  const uniforms = nodes.filter(({ op }) => op === "uniform").map((_, i) => ({ name: `u${i}`, expr: 0 }));
  return { ...plainGraph("test", nodes, outputs), states, uniforms };
}

export const nativeGraph = (graph: Graph): NativeGraph => new (loadBinding().Graph)(encodeWire(graph));

export const GREEDY = graphOf([logitsNode, node("argmax", [0], {}, "i32", 1)], { sampled: 1 });

/** Picks the token whose rank (0 is the most likely) is uniform 0; its state becomes uniform 0 plus 1. */
export const RANKED = graphOf(
  [
    logitsNode,
    uniformNode(0),
    node("argsort", [0], { order: "desc" }, "i32"),
    node("scale", [1], { s: 1, b: 0 }, "f32", 1),
    node("cast", [3], { to: "i32" }, "i32", 1),
    node("get_rows", [2, 4], {}, "i32", 1),
    node("scale", [1], { s: 1, b: 1 }, "f32", 1),
  ],
  { sampled: 5 },
  [{ name: "s", init: 0, next: 6 }],
);

/** Many ops: the 8 most likely tokens best first, the third dropped, a draw with uniform 0. Has all outputs. */
export const TRUNCATED = graphOf(
  [
    logitsNode,
    uniformNode(0),
    node("top_k", [0], { k: 8 }, "i32", 8),
    node("get_rows", [0, 2], {}, "f32", 8),
    node("argsort", [3], { order: "desc" }, "i32", 8),
    node("get_rows", [3, 4], {}, "f32", 8), // 5: logits
    node("get_rows", [2, 4], {}, "i32", 8), // 6: tokens
    node("fill", [], { value: 0, dim: 8 }, "f32", 8),
    node("fill", [], { value: -1e9, dim: 1 }, "f32", 1),
    node("arange", [], { dim: 8 }, "f32", 8),
    node("view", [9], { offset: 2, count: 1 }, "f32", 1),
    node("cast", [10], { to: "i32" }, "i32", 1),
    node("set_rows", [7, 8, 11], {}, "f32", 8), // 12: mask
    node("soft_max", [5, 12], {}, "f32", 8), // 13: probs
    node("cumsum", [13], {}, "f32", 8),
    node("sub", [14, 1], {}, "f32", 8),
    node("step", [15], {}, "f32", 8),
    node("sum_rows", [16], {}, "f32", 1),
    node("scale", [17], { s: -1, b: 8 }, "f32", 1),
    node("cast", [18], { to: "i32" }, "i32", 1),
    node("get_rows", [6, 19], {}, "i32", 1), // 20: sampled
    node("roll", [13], { shift: 1 }, "f32", 8),
    node("view", [21], { offset: 0, count: 1 }, "f32", 1), // 22: the last prob
  ],
  { sampled: 20, candidates: 6, logits: 5, probs: 13 },
  [{ name: "last", init: 0, next: 22 }],
);
