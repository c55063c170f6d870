/** Chains over a vocabulary of today's size in onnxruntime-node: the same rows, although sums have 128256 terms. */
import { test } from "@jest/globals";
import { withSeed } from "../../compiler/graph/seeds.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { LARGE } from "./chains.js";
import { expectSame } from "./compare.js";
import { openOnnx } from "./ort.js";

const V = 128256;

test.each(LARGE)("%s", (stages) => {
  const graph = withSeed(compilePipeline(stages).rowsGraph, 1);
  using onnx = openOnnx(graph, V);
  expectSame(graph, { vocabSize: V, rows: 1, steps: 1, shapes: ["longTail"] }, onnx.run);
});
