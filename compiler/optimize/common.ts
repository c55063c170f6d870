/**
 * Common subexpressions: two nodes that compute the same become one.
 *
 *     %0 = soft_max(logits)      %0 = soft_max(logits)
 *     %1 = soft_max(logits)  ->  %1 = sub(%0, %0)
 *     %2 = sub(%0, %1)
 */
import type { Graph, GraphNode, NodeId } from "../graph/graph.js";
import { mapOutputs } from "./rewrite.js";

export function shareCommon(graph: Graph): Graph {
  const numbers: NodeId[] = [];
  const known = new Map<string, NodeId>();
  const nodes: GraphNode[] = [];
  for (const node of graph.nodes) {
    const inputs = node.inputs.map((id) => numbers[id]!);
    const key = JSON.stringify([node.op, inputs, node.attrs]);
    const present = known.get(key);
    numbers.push(present ?? nodes.length);
    if (present !== undefined) continue;
    known.set(key, nodes.length);
    nodes.push({ ...node, inputs });
  }
  return { ...graph, nodes, ...mapOutputs(graph, (id) => numbers[id]!) };
}
