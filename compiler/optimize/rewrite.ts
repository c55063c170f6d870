/** What passes share. */
import type { Graph, NodeId, Outputs, State } from "../graph/graph.js";

/** The outputs and states of a graph with other node numbers. */
export function mapOutputs(graph: Graph, map: (id: NodeId) => NodeId): { outputs: Outputs; states: State[] } {
  const outputs = Object.fromEntries(
    Object.entries(graph.outputs).map(([name, id]) => [name, map(id as NodeId)]),
  ) as Outputs;
  return { outputs, states: graph.states.map((s) => ({ ...s, next: map(s.next) })) };
}
