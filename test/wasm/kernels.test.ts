/** Ops with special kernels in WebAssembly agree with the reference interpreter, for several rows. */
import { expect, test } from "@jest/globals";
import type { GraphNode } from "../../compiler/graph/graph.js";
import { encodeWire } from "../../compiler/graph/wire.js";
import { interpret } from "../../runtime/backends/reference/interpret.js";
import { loadedWasm } from "../../runtime/backends/wasm/loader.js";
import { graphOf, logitsNode, node } from "../native/graphs.js";

/** No multiple of a vector width; ggml computes narrower rows. */
const WIDTHS = [64, 1237];

const GRAPHS: Readonly<Record<string, readonly GraphNode[]>> = {
  soft_max: [logitsNode, node("soft_max", [0], { scale: 1 })],
  "soft_max with a scale": [logitsNode, node("soft_max", [0], { scale: 0.125 })],
  "soft_max with a mask": [
    logitsNode,
    node("clamp", [0], { lo: -50, hi: 50 }),
    node("step", [1]),
    node("log", [2]),
    node("soft_max", [1, 3], { scale: 2 }),
  ],
  clamp: [logitsNode, node("clamp", [0], { lo: -1, hi: 2.5 })],
  step: [logitsNode, node("step", [0])],
};

const rowsOf = (width: number): Float32Array[] => [
  Float32Array.from({ length: width }, (_, i) => 8 * Math.sin(i * 12.9898)),
  Float32Array.from({ length: width }, (_, i) => (i % 13 === 3 ? 3 * Math.cos(i) : -Infinity)),
  Float32Array.from({ length: width }, (_, i) => i / 4 - 60),
  new Float32Array(width),
];

const cases = Object.keys(GRAPHS).flatMap((name) => WIDTHS.map((width) => [name, width] as const));

test.each(cases)("%s of %d rows", (name, width) => {
  const nodes = GRAPHS[name]!;
  const graph = graphOf(nodes, { logits: nodes.length - 1 });
  const rows = rowsOf(width);
  const { Graph, Evaluator } = loadedWasm();
  const evaluator = new Evaluator(new Graph(encodeWire(graph)), { vocabSize: width, rows: rows.length });
  const logits = Float32Array.from(rows.flatMap((row) => [...row]));
  const found = evaluator.evaluate({ logits, uniforms: new Float32Array() }).logits!;
  evaluator.dispose();
  rows.forEach((row, r) => {
    const wanted = interpret(graph, [row], new Float32Array()).logits!;
    wanted.forEach((value, i) => {
      const own = found[r * width + i]!;
      // powers below e^-87 are 0 in one and subnormal in the other
      const isClose = Math.abs(own - value) <= 2e-6 * Math.abs(value) + 1e-37;
      if (!isClose) expect([r, i, own]).toEqual([r, i, value]);
    });
  });
});
