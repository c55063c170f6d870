/** A chain in Node.js: GGSL's backends, the native call alone, and onnxruntime-node. One thread each. */
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { createEvaluator } from "ggsl/chain/evaluate.js";
import { loadBinding } from "ggsl/backends/native/loader.js";
import { createOnnxEvaluator } from "ggsl/onnx";
import { startSequence, uniformsOf } from "ggsl/sequence/sequence.js";
import * as ort from "onnxruntime-node";
import { alternate, type Rounds, type Side, type SideTimes } from "./chains.js";

export const NATIVE = "GGSL cpu, native call";
export const CPU = "GGSL cpu";

export async function nodeTimes(graph: Graph, logits: Float32Array, rounds: Rounds): Promise<SideTimes[]> {
  const onnx = await createOnnxEvaluator(graph, logits.length, { ort });
  const sides: Side[] = [
    { name: "onnxruntime-node", run: async () => (await onnx.evaluate(logits)).token, end: () => onnx.dispose() },
    evaluated(CPU, "cpu", graph, logits),
    nativeCall(graph, logits),
    evaluated("GGSL wasm", "wasm", graph, logits),
  ];
  return alternate(sides, rounds);
}

function evaluated(name: string, backend: "cpu" | "wasm", graph: Graph, logits: Float32Array): Side {
  const evaluator = createEvaluator(graph, logits.length, { backend });
  return { name, run: () => evaluator.evaluate(logits).token, end: () => evaluator.dispose() };
}

/** What `evaluate` calls, without its checks and the uniforms of the step. */
function nativeCall(graph: Graph, logits: Float32Array): Side {
  const { Graph: NativeGraph, Evaluator } = loadBinding();
  const evaluator = new Evaluator(new NativeGraph(encodeWire(graph)), { vocabSize: logits.length });
  const values = { logits, uniforms: uniformsOf(startSequence(graph, logits.length)) };
  return { name: NATIVE, run: () => evaluator.evaluate(values).sampled![0]!, end: () => evaluator.dispose() };
}
