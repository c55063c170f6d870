/**
 * Which chains a draft can be computed for in the graph. Row i of a draft needs the states after the tokens before it. They are
 * known to the host before the model runs if none of them is computed from logits, columns or the picked token; otherwise the rows
 * are evaluated one after the other on the model's own logits.
 */
import type { Graph, NodeId } from "@ggsl/compiler/graph/graph.js";
import { keptOf } from "@ggsl/compiler/graph/liveness.js";
import { bindDim } from "@ggsl/compiler/graph/wire.js";
import { KERNELS, type Vector } from "../../backends/reference/kernels.js";

/** What a chain keeps of a token, its next states first, from its uniforms, f32; undefined if that depends on more. */
export function knownStates(graph: Graph, vocabSize: number): ((uniforms: Float32Array) => Float32Array) | undefined {
  const needed = nodesFor(graph, keptOf(graph));
  if ([...needed].some((id) => graph.nodes[id]!.op === "input")) return undefined;
  const order = [...needed].sort((a, b) => a - b);
  return (uniforms) => {
    const values = new Map<NodeId, Vector>();
    for (const id of order) {
      const { op, inputs, attrs, dim } = graph.nodes[id]!;
      const index = attrs["index"] as number;
      if (op === "uniform") values.set(id, uniforms.subarray(index, index + 1));
      else if (op !== "input")
        values.set(
          id,
          KERNELS[op](
            inputs.map((from) => values.get(from)!),
            attrs,
            bindDim(dim, vocabSize),
          ),
        );
    }
    return Float32Array.from(keptOf(graph), (next) => values.get(next)![0]!);
  };
}

/** The nodes that some nodes are computed from, and these. */
function nodesFor(graph: Graph, roots: readonly NodeId[]): Set<NodeId> {
  const found = new Set<NodeId>();
  const waiting = [...roots];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    for (const one of graph.nodes[id]!.inputs) waiting.push(one);
  }
  return found;
}
