/** What a graph picks, found by its form, so that specs of every version have it. */
import type { Graph, NodeId } from "./graph.js";
import { keptOf } from "./liveness.js";
import { bindDim } from "./wire.js";

/** The pick of a graph. */
export interface GraphPick {
  /** The index of the picked row, i32[1]. */
  readonly row: NodeId;
  /** What leads from a row to its token: the token of a row is that at its index in the first, which is an index of the second, and so on. None: it is the row. */
  readonly ids: readonly NodeId[];
  /** The weights of a draw among the rows, 0 for those that were dropped; absent for a pick of the largest value. */
  readonly weights?: NodeId;
  /** The nodes that are computed from the picked row, in order. */
  readonly users: readonly NodeId[];
  /** What is kept of a token and is one of them, by number: states, then windows. */
  readonly states: readonly number[];
}

/** The pick of a graph with states or windows that depend on it; undefined for any other graph. */
export function pickOf(graph: Graph): GraphPick | undefined {
  const { nodes, outputs } = graph;
  if (outputs.sampled === undefined) return undefined;
  const ids: NodeId[] = [];
  let row = outputs.sampled;
  for (let node = nodes[row]!; node.op === "get_rows"; node = nodes[row]!) {
    ids.unshift(node.inputs[0]!);
    row = node.inputs[1]!;
  }
  const users = usersOf(graph, row);
  const read = keptOf(graph).flatMap((next, i) => (users.has(next) || next === row ? [i] : []));
  if (read.length === 0) return undefined;
  const weights = weightsOf(graph, row);
  return { row, ids, users: [...users], states: read, ...(weights !== undefined && { weights }) };
}

/**
 * The nodes that depend on a row. A mask that has nothing left keeps the best row, which can be the node of the pick as well: it is
 * another number then, and only it writes rows.
 */
function usersOf({ nodes }: Graph, row: NodeId): Set<NodeId> {
  const users = new Set<NodeId>();
  for (let id = row + 1; id < nodes.length; id++) {
    const { op, inputs } = nodes[id]!;
    if (op !== "set_rows" && inputs.some((input) => input === row || users.has(input))) users.add(id);
  }
  return users;
}

/** The weights of a draw: those whose prefix sums are compared with its threshold, in one of the three forms that draws have. */
function weightsOf({ nodes }: Graph, row: NodeId): NodeId | undefined {
  const below = (id: NodeId | undefined, op: string, at = 0): NodeId | undefined =>
    id !== undefined && nodes[id]!.op === op ? nodes[id]!.inputs[at] : undefined;
  /** The weights of `cumsum(weights) - threshold`, and of its negative. */
  const summed = (id: NodeId | undefined): NodeId | undefined => {
    const sum = below(id, "sub") ?? below(below(id, "add"), "scale");
    return below(sum, "cumsum");
  };
  /** The weights of `weights / (cumsum(weights) - threshold)`. */
  const divided = (id: NodeId | undefined): NodeId | undefined => {
    const weights = below(id, "div");
    return weights !== undefined && summed(below(id, "div", 1)) === weights ? weights : undefined;
  };
  const largest = below(row, "argmax");
  return (
    divided(largest) ??
    divided(below(below(below(largest, "sub"), "scale"), "step")) ??
    summed(below(below(below(row, "cast"), "sum_rows"), "step"))
  );
}

/** Whether some stage may drop tokens. */
export const mayDrop = ({ stages }: Graph, vocabSize: number): boolean =>
  stages.some(
    ({ drops = [], rows }) => drops.length > 0 || (rows !== undefined && bindDim(rows, vocabSize) < vocabSize),
  );
