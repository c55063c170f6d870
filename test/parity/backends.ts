/** A compiled chain on the backends that are compared, open for any number of tokens. */
import type { Graph } from "../../compiler/graph/graph.js";
import { encodeWire } from "../../compiler/graph/wire.js";
import type { ChainResults } from "../../runtime/native/binding.js";
import { loadBinding } from "../../runtime/native/loader.js";
import { interpret, type Outputs } from "../../runtime/reference/interpret.js";

export type Backend = "reference" | "cpu";
export const BACKENDS: readonly Backend[] = ["reference", "cpu"];

export type Results = Outputs | ChainResults;

/** Runs the graph on logits with one f32 for each of its uniforms. */
export type Run = (logits: Float32Array, uniforms: Float32Array) => Results;

/** Opens a graph on a backend for as long as `use` takes. */
export function withGraph<T>(backend: Backend, graph: Graph, vocabSize: number, use: (run: Run) => T): T {
  if (backend === "reference") return use((logits, uniforms) => interpret(graph, [logits], uniforms));
  const { Graph: NativeGraph, Evaluator } = loadBinding();
  const evaluator = new Evaluator(new NativeGraph(encodeWire(graph)), { vocabSize });
  try {
    return use((logits, uniforms) => evaluator.evaluate({ logits, uniforms }));
  } finally {
    evaluator.dispose();
  }
}
