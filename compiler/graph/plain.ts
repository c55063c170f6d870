/** Graphs without a program: nodes on the logits alone, for probes of devices. */
import type { Graph, GraphNode, Outputs } from "./graph.js";

/** A graph that only the logits feed. */
export const plainGraph = (name: string, nodes: readonly GraphNode[], outputs: Outputs): Graph => ({
  name,
  nodes,
  params: [],
  draws: [],
  states: [],
  measures: [],
  uniforms: [],
  inputs: [{ name: "logits", dtype: "f32", dim: "V", source: { kind: "logits" } }],
  features: [],
  stages: [],
  tail: [],
  outputs,
});
