/** Chains over a vocabulary of today's size in onnxruntime-node: the same rows, although sums have 128256 terms. */
import { test } from "@jest/globals";
import { withSeed } from "../../compiler/graph/seeds.js";
import { compilePipeline } from "../../runtime/chain.js";
import { expectSame } from "./compare.js";
import { openOnnx } from "./ort.js";

const V = 128256;

test.each([
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "min_p(0.05) |> temp(0.8) |> dist(1)",
  "top_p(0.95) |> dist(1)",
  "typical(0.95) |> dist(2)",
  "top_n_sigma(1) |> temp(0.7) |> dist(7)",
  "penalties(64, 1.1) |> epsilon(0.0003) |> dist(3)",
  "eta(0.0003) |> dist(4)",
  "xtc(0.5, 0.1, seed: 3) |> mirostat_v2(seed: 3)",
  "temp(1.3) |> top_h(0.4) |> dist(8)",
  "gumbel(9)",
])("%s", (stages) => {
  const graph = withSeed(compilePipeline(stages).rowsGraph, 1);
  using onnx = openOnnx(graph, V);
  expectSame(graph, { vocabSize: V, rows: 1, steps: 1, shapes: ["longTail"] }, onnx.run);
});
