/**
 * soft_max can scale its operand, and adding a number to every row changes no probability: a constant temperature or factor
 * before it becomes its attribute, and a shift is removed.
 *
 *     %0 = div(x, u0)              with u0 = 0.8
 *     %1 = scale(%0) s=2 b=-1      ->      %0 = soft_max(x) scale=2.5
 *     %2 = soft_max(%1)
 *
 * A factor stays before an unmasked soft_max over the whole vocabulary: CUDA runs that on the whole device, but only
 * without a factor. A factor of 1/t instead of a division by t changes x / t by a relative 2^-24.
 */
import type { Graph, GraphNode, NodeId } from "../graph/graph.js";
import { F32_MAX } from "../graph/interval.js";
import { constantOf, rewrite, usersOf, type Rewriter } from "./draft.js";
import type { Pass } from "./pass.js";

export const fuseSoftMax: Pass = {
  name: "fuse-soft-max",
  doc: "constant factors become an attribute of soft_max, shifts before it are removed",
  example: "top_k(40) |> temp(0.8) |> dist(42)",
  run: (draft) => {
    const users = usersOf(draft.graph);
    return rewrite(draft, (r, node, id) => (node.op === "soft_max" ? fuse(r, node, id, users) : undefined));
  },
};

function fuse(r: Rewriter, node: GraphNode, id: NodeId, users: readonly (readonly NodeId[])[]): NodeId | undefined {
  const { graph, ranges } = r.before;
  const takesFactor = node.dim !== "V" || node.inputs.length > 1;
  let scale = (node.attrs["scale"] as number | undefined) ?? 1;
  let x = node.inputs[0]!;
  /** Whether only this soft_max (or an equal one) uses a step; otherwise it is computed anyway. */
  let isOwn = users[x]!.every((u) => graph.nodes[u]?.op === "soft_max" && graph.nodes[u].inputs[0] === x);
  while (isOwn) {
    const step = stepOf(graph, graph.nodes[x]!);
    if (!step || (step.factor !== 1 && !takesFactor)) break;
    const factor = Math.fround(scale * step.factor);
    const { lo, hi } = ranges[step.x]!;
    if (!(factor > 0 && Math.max(-lo, hi) * factor < F32_MAX)) break;
    isOwn = users[step.x]!.every((u) => u === x);
    scale = factor;
    x = step.x;
  }
  if (x === node.inputs[0]) return undefined;
  const inputs = [x, ...node.inputs.slice(1)].map(r.map);
  return r.emit("soft_max", inputs, scale === 1 ? {} : { scale }, { range: ranges[id]! });
}

/** A node as `factor * x` plus a shift. */
function stepOf(graph: Graph, { op, inputs, attrs, dim }: GraphNode): { x: NodeId; factor: number } | undefined {
  const [x, y] = inputs as [NodeId, NodeId];
  if (op === "scale") return { x, factor: attrs["s"] as number };
  if (y === undefined || dim === 1 || graph.nodes[y]!.dim !== 1) return undefined;
  if (op === "add" || op === "sub") return { x, factor: 1 };
  const by = constantOf(graph, graph.nodes[y]!);
  if (by === undefined) return undefined;
  return op === "mul" ? { x, factor: by } : op === "div" ? { x, factor: 1 / by } : undefined;
}
