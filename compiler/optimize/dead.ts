/**
 * Dead nodes: what no output needs is not computed, and a uniform that no node reads is not uploaded.
 *
 *     %0 = soft_max(logits)      %0 = argmax(logits)
 *     %1 = argmax(logits)    ->  return sampled=%0
 *     return sampled=%1
 */
import type { Graph, GraphNode, NodeId } from "../graph/graph.js";
import { mapOutputs } from "./rewrite.js";

export function removeDead(graph: Graph): Graph {
  const live = new Set<NodeId>();
  const mark = (id: NodeId): void => {
    if (live.has(id)) return;
    live.add(id);
    graph.nodes[id]!.inputs.forEach(mark);
  };
  mark(0);
  mapOutputs(graph, (id) => (mark(id), id));
  const kept = [...live].sort((a, b) => a - b);
  const renumbered = new Map(kept.map((id, i) => [id, i]));
  const uniforms = renumberUniforms(graph, kept);
  const nodes = kept.map((id): GraphNode => {
    const node = graph.nodes[id]!;
    const attrs = node.op === "uniform" ? { index: uniforms.get(node.attrs["index"] as number)! } : node.attrs;
    return { ...node, attrs, inputs: node.inputs.map((i) => renumbered.get(i)!) };
  });
  const { outputs, states } = mapOutputs(graph, (id) => renumbered.get(id)!);
  return { ...graph, nodes, outputs, states, uniforms: [...uniforms.keys()].map((i) => graph.uniforms[i]!) };
}

/** The uniforms that are read, old number to new, in order. */
function renumberUniforms(graph: Graph, kept: readonly NodeId[]): Map<number, number> {
  const read = kept.map((id) => graph.nodes[id]!).filter((n) => n.op === "uniform");
  const indices = read.map((n) => n.attrs["index"] as number).sort((a, b) => a - b);
  return new Map([...new Set(indices)].map((index, i) => [index, i]));
}
