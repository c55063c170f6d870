/** Compiled chains on the backends that are compared, open for any number of tokens. */
import type { Graph } from "../../compiler/graph/graph.js";
import { encodeWire } from "../../compiler/graph/wire.js";
import type { ChainResults, NativeEvaluator } from "../../runtime/native/binding.js";
import { loadBinding } from "../../runtime/native/loader.js";
import { loadedWasm } from "../../runtime/wasm/loader.js";
import { interpret, type Outputs } from "../../runtime/reference/interpret.js";
import type { Vector } from "../../runtime/reference/kernels.js";

export type Backend = "reference" | "cpu" | "wasm";
export const BACKENDS: readonly Backend[] = ["reference", "cpu", "wasm"];

export type Results = Outputs | ChainResults;

/** Runs the graph on logits, with one f32 for each of its uniforms and a vector for each of its other inputs. */
export type Run = (logits: Float32Array, uniforms: Float32Array, inputs?: readonly Vector[]) => Results;

/** Evaluators that stay open, the one used last at the end. */
const open = new Map<Graph, Map<string, NativeEvaluator>>();
const MOST_GRAPHS = 64;

/** A graph for a vocabulary. The same one again is not opened anew. */
export function runOf(backend: Backend, graph: Graph, vocabSize: number): Run {
  if (backend === "reference")
    return (logits, uniforms, inputs = []) => interpret(graph, [logits, ...inputs], uniforms);
  const evaluator = evaluatorOf(backend, graph, vocabSize);
  return (logits, uniforms, inputs = []) => evaluator.evaluate({ logits, uniforms, inputs });
}

function evaluatorOf(backend: "cpu" | "wasm", graph: Graph, vocabSize: number): NativeEvaluator {
  const ofGraph = open.get(graph) ?? new Map<string, NativeEvaluator>();
  const key = `${backend}/${vocabSize}`;
  open.delete(graph);
  open.set(graph, ofGraph);
  const { Graph: NativeGraph, Evaluator } = backend === "cpu" ? loadBinding() : loadedWasm();
  const evaluator = ofGraph.get(key) ?? new Evaluator(new NativeGraph(encodeWire(graph)), { vocabSize });
  ofGraph.set(key, evaluator);
  for (const old of [...open.keys()].slice(0, -MOST_GRAPHS)) close(old);
  return evaluator;
}

function close(graph: Graph): void {
  for (const evaluator of open.get(graph)!.values()) evaluator.dispose();
  open.delete(graph);
}
