/**
 * Splits a graph in two: the host computes what the device cannot run, and everything after it in the chain, from values
 * read back from the device. Node ids stay the same in both parts.
 */
import type { Graph, GraphNode, NodeId } from "@ggsl/compiler/graph/graph.js";
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import { liveNodes, resultsOf } from "@ggsl/compiler/graph/liveness.js";
import { opRule } from "@ggsl/compiler/graph/ops.js";
import { least } from "@ggsl/compiler/core/extremes.js";

export interface SplitGraph {
  /** Outputs the tapped values only. */
  readonly device: Graph;
  /** Nodes of the device's part whose values the host reads. */
  readonly taps: readonly NodeId[];
  /** Computes all outputs, states and measures; its inputs are those of the graph and then one for each tap. */
  readonly host: Graph;
}

/** @param unsupported nodes that the device cannot run; at least one */
export function splitGraph(graph: Graph, unsupported: readonly NodeId[]): SplitGraph {
  const onHost = hostNodes(graph, unsupported);
  const live = liveNodes(graph);
  const ofModel = new Set([0, ...guidesOf(graph).map(({ input }) => input)]);
  const isFed = dependents(graph, ({ op, attrs }) => op === "input" && ofModel.has(attrs["index"] as number));
  // the host recomputes what depends on no logits
  const crosses = (id: NodeId): boolean => isFed[id]! && !onHost[id]!;
  const readers = graph.nodes.flatMap(({ inputs }, id) => (live.has(id) && onHost[id] ? inputs : []));
  const taps = [...new Set([...readers, ...resultsOf(graph)])].filter(crosses).sort((a, b) => a - b);
  const first = graph.inputs.length;
  const tapInput = (id: NodeId, i: number): GraphNode => {
    const { dtype, dim } = graph.nodes[id]!;
    return { op: "input", inputs: [], attrs: { index: first + i, dtype, dim }, dtype, dim };
  };
  const replaced = new Map(taps.map((id, i) => [id, tapInput(id, i)]));
  const tapped = taps.map((id, i) => {
    const { dtype, dim } = graph.nodes[id]!;
    return { name: `tap ${i}`, dtype, dim, source: { kind: "dense", feature: -1 } as const };
  });
  return {
    device: { ...graph, outputs: {}, states: [], windows: [], measures: [], stops: [] },
    taps,
    host: {
      ...graph,
      inputs: [...graph.inputs, ...tapped],
      nodes: graph.nodes.map((node, id) => replaced.get(id) ?? node),
    },
  };
}

/** The first stage with one of the nodes; undefined if none of them belongs to a stage. */
export function firstStage(graph: Graph, nodes: readonly NodeId[]): number | undefined {
  const stages = nodes.flatMap((id) => graph.nodes[id]!.origin?.stage ?? []);
  return stages.length === 0 ? undefined : least(stages);
}

/** The unsupported nodes, all nodes from their first stage on, and all dependents. */
function hostNodes(graph: Graph, unsupported: readonly NodeId[]): boolean[] {
  const bad = new Set(unsupported);
  const from = firstStage(graph, unsupported) ?? Infinity;
  return dependents(graph, (node, id) => {
    const isLate = (node.origin?.stage ?? -1) >= from && opRule(node.op).kind !== "leaf";
    return bad.has(id) || isLate;
  });
}

/** Marks the nodes for which `is` holds, and those that depend on them. */
function dependents({ nodes }: Graph, is: (node: GraphNode, id: NodeId) => boolean): boolean[] {
  const marks: boolean[] = [];
  for (const [id, node] of nodes.entries()) marks.push(is(node, id) || node.inputs.some((operand) => marks[operand]));
  return marks;
}
