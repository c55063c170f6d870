/** Liveness of nodes. */
import type { Graph, NodeId } from "./graph.js";

/** The nodes read from outside: the outputs, and the next values of the states. */
export const resultsOf = ({ outputs, states }: Pick<Graph, "outputs" | "states">): NodeId[] => [
  ...(Object.values(outputs) as NodeId[]),
  ...states.map(({ next }) => next),
];

/** The nodes that a result depends on, including the results. */
export function liveNodes(graph: Pick<Graph, "nodes" | "outputs" | "states">): ReadonlySet<NodeId> {
  const live = new Set(resultsOf(graph));
  for (let id = graph.nodes.length - 1; id >= 0; id--) {
    if (live.has(id)) for (const operand of graph.nodes[id]!.inputs) live.add(operand);
  }
  return live;
}
