/** What a chain costs: its stages, nodes and the bytes that come back. */
import type { Graph, GraphNode } from "../compiler/graph/graph.js";
import { opRule } from "../compiler/graph/ops.js";
import { bindDim, encodeWire } from "../compiler/graph/wire.js";
import { isNativeThere, loadBinding } from "./native/loader.js";

export interface StageExplanation {
  readonly name: string;
  readonly device: string;
  /** Nodes of the spec that launch something. */
  readonly nodes: number;
  readonly ops: readonly string[];
  /** Rows of the candidate table after the stage, `V` for the vocabulary. */
  readonly rows: string;
}

export interface Explanation {
  /** Nodes of the graph as ggml has it, views and reshapes among them. */
  readonly nodes: number;
  readonly nodesWithoutViews: number;
  /** False when they are counted in the spec, because the native runtime is not there. */
  readonly isMeasured: boolean;
  /** Bytes that come back to the host with each token. */
  readonly readbackBytes: number;
  readonly stages: readonly StageExplanation[];
}

export function explain(graph: Graph, vocabSize: number): Explanation {
  return { ...countNodes(graph, vocabSize), readbackBytes: readbackBytes(graph, vocabSize), stages: stagesOf(graph) };
}

const launches = ({ op }: GraphNode): boolean => opRule(op).kind === undefined;

function countNodes(graph: Graph, vocabSize: number): Pick<Explanation, "nodes" | "nodesWithoutViews" | "isMeasured"> {
  const binding = isNativeThere() ? loadBinding() : undefined;
  if (!binding) {
    const nodes = graph.nodes.filter(({ op }) => opRule(op).kind !== "leaf").length;
    return { nodes, nodesWithoutViews: graph.nodes.filter(launches).length, isMeasured: false };
  }
  const native = new binding.Evaluator(new binding.Graph(encodeWire(graph)), { vocabSize });
  const { nodes, nodesWithoutViews } = native;
  native.dispose();
  return { nodes, nodesWithoutViews, isMeasured: true };
}

function readbackBytes({ outputs, states, nodes }: Graph, vocabSize: number): number {
  const rows = Object.values(outputs).map((id: number) => bindDim(nodes[id]!.dim, vocabSize));
  return 4 * (rows.reduce((a, b) => a + b, 0) + states.length);
}

/** The stages of a graph, as they are before it meets a device. */
export function stagesOf(graph: Graph): StageExplanation[] {
  let rows = "V";
  const firstOnHost = graph.stages.length - graph.tail.length;
  return graph.stages.map(({ name }, i) => {
    const nodes = graph.nodes.filter((n) => n.origin?.stage === i && launches(n));
    const widest = nodes.findLast(({ op }) => op === "top_k" || op === "argsort" || op === "get_rows")?.dim;
    if (widest !== undefined && widest !== 1) rows = String(widest);
    return {
      name,
      device: i < firstOnHost ? "cpu" : "host",
      nodes: nodes.length,
      ops: [...new Set(nodes.map((n) => n.op))],
      rows,
    };
  });
}
