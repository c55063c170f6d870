/** The outputs of a chain: it is lowered with all of them, and a graph has those that are asked for. */
import type { Graph, NodeId } from "../graph/graph.js";
import type { Interval } from "../graph/interval.js";
import { liveNodes, mapResults } from "../graph/liveness.js";

/** What a graph gives: the picked token, or the rows that are left. */
export type OutputName = "sampled" | "candidates" | "logits" | "probs";

/** All outputs; a chain has some of them: the token, and the rows left. */
export const ALL_OUTPUTS: readonly OutputName[] = ["sampled", "candidates", "logits", "probs"];

const ROWS: readonly OutputName[] = ["candidates", "logits", "probs"];

/** A graph as it is lowered, with all outputs of its chain. */
export interface Whole {
  readonly graph: Graph;
  /** Bounds of the values of the graph's nodes. */
  readonly ranges: readonly Interval[];
  /** How many nodes its stages have. Those of the outputs and of the next states follow. */
  readonly staged: number;
}

/** The outputs of a graph: the token if the chain picks one, else the rows. The host tail computes the probabilities of its rows. */
const usual = ({ outputs, tail }: Graph): readonly OutputName[] =>
  outputs.sampled !== undefined ? ["sampled"] : tail.length > 0 ? ["candidates", "logits"] : ROWS;

/** The same chain with some of its outputs, without the nodes that only the others need. */
export function chooseOutputs(
  { graph: whole, ranges, staged }: Whole,
  wanted: readonly OutputName[] = usual(whole),
): Pick<Whole, "graph" | "ranges"> {
  const chosen = Object.entries(whole.outputs).filter(([name]) => wanted.includes(name as OutputName));
  const graph: Graph = { ...whole, outputs: Object.fromEntries(chosen) };
  const live = liveNodes(graph);
  const kept = [...graph.nodes.keys()].filter((id) => id < staged || live.has(id));
  if (kept.length === graph.nodes.length) return { graph, ranges };
  const numbers = new Map(kept.map((old, id) => [old, id]));
  const map = (old: NodeId): NodeId => numbers.get(old)!;
  const nodes = kept.map((id) => graph.nodes[id]!);
  return {
    graph: { ...graph, nodes: nodes.map((n) => ({ ...n, inputs: n.inputs.map(map) })), ...mapResults(graph, map) },
    ranges: kept.map((id) => ranges[id]!),
  };
}

/** Whether a graph has all outputs of its chain. */
export const hasAllOutputs = ({ outputs }: Graph, { graph }: Whole): boolean =>
  Object.keys(outputs).length === Object.keys(graph.outputs).length;
