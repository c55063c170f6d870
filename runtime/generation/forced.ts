/**
 * Forced tokens: where a grammar allows one token alone, the chain picks it whatever the logits are, so the model need not be asked.
 * Its tokens are read with the next one that is picked.
 */
import type { Graph, GraphNode, NodeId } from "@ggsl/compiler/graph/graph.js";
import { onlyToken } from "../grammars/bits.js";
import type { SequenceState } from "../sequence.js";
import type { SequenceRequest } from "./request.js";

/** What decides whether the model must be asked for each token. */
interface Asked {
  readonly graph: Graph;
  readonly options: SequenceRequest;
  readonly tail: unknown;
  readonly guides: readonly unknown[];
  readonly speculator: unknown;
  readonly checksLogits: boolean;
}

/**
 * Whether the chain keeps what its one grammar allows before it drops any other row, and computes nothing else that is read:
 * states, measures, rows of the host tail or of the caller.
 */
export function canForce({ graph, options, tail, guides, speculator, checksLogits }: Asked): boolean {
  const { alternatives = 0, logprobs } = options;
  const asksForRows = alternatives > 0 || logprobs !== undefined || tail !== undefined || checksLogits;
  // guides and drafts are read with each token
  const isAlone = guides.length === 0 && speculator === undefined;
  const isScalar = graph.states.length === 0 && graph.measures.length === 0;
  return !asksForRows && isAlone && isScalar && keepsOnly(graph);
}

/** The only token that may come next; undefined if there are several. Its grammar is ready. */
export function forcedToken({ features }: SequenceState): number | undefined {
  const state = features.find(({ grammar }) => grammar)?.grammar?.state;
  return state && onlyToken(state.bits());
}

/**
 * Whether the graph is that of `keep allowed(...)` on the model's logits, without a condition: the mask of all rows with a logit
 * reaches an output only through the mask of those that the grammar allows.
 */
function keepsOnly(graph: Graph): boolean {
  const { nodes } = graph;
  const users = usersOf(nodes);
  const inputs = nodes.flatMap((node, id) => (node.op === "input" ? [id] : []));
  const sourceOf = (id: NodeId): string | undefined => graph.inputs[nodes[id]!.attrs["index"] as number]?.source.kind;
  const masks = inputs.filter((id) => sourceOf(id) === "bits");
  const logits = inputs.find((id) => sourceOf(id) === "logits");
  if (masks.length !== 1 || logits === undefined) return false;
  const kept = only(users, masks[0]!);
  if (kept === undefined || nodes[kept]!.op !== "mul") return false;
  const alive = nodes[kept]!.inputs.find((id) => id !== masks[0])!;
  if (!isAlive(nodes, alive, logits)) return false;
  // where nothing is kept, the likeliest row is: `add(kept, fallback * (sum(kept) == 0))`
  const afterKept = users[kept]!;
  const sum = afterKept.find((id) => nodes[id]!.op === "sum_rows");
  const both = afterKept.find((id) => nodes[id]!.op === "add");
  if (afterKept.length !== 2 || sum === undefined || both === undefined) return false;
  const fallback = nodes[both]!.inputs.find((id) => id !== kept);
  if (fallback === undefined || nodes[fallback]!.op !== "mul" || !isWhereNone(nodes, nodes[fallback]!, sum))
    return false;
  const mask = only(users, both);
  return (
    mask !== undefined && nodes[mask]!.op === "clamp" && !reaches(users, alive, mask, Object.values(graph.outputs))
  );
}

function usersOf(nodes: readonly GraphNode[]): readonly NodeId[][] {
  const users: NodeId[][] = nodes.map(() => []);
  for (const [id, { inputs }] of nodes.entries()) for (const input of new Set(inputs)) users[input]!.push(id);
  return users;
}

function only(users: readonly NodeId[][], id: NodeId): NodeId | undefined {
  const [first, ...others] = users[id]!;
  return others.length === 0 ? first : undefined;
}

/** Whether a node is 1 for each row whose logit is not -inf, else 0. */
function isAlive(nodes: readonly GraphNode[], id: NodeId, logits: NodeId): boolean {
  const { op, inputs } = nodes[id]!;
  const from = nodes[inputs[0]!];
  return op === "step" && from?.op === "scale" && from.inputs[0] === logits && from.attrs["s"] === 1;
}

/** Whether one factor is 1 only where the sum is 0: `step(1 - sum)`. */
function isWhereNone(nodes: readonly GraphNode[], { inputs }: GraphNode, sum: NodeId): boolean {
  return inputs.some((id) => {
    const from = nodes[nodes[id]!.inputs[0]!];
    const isLess = from?.op === "scale" && from.attrs["s"] === -1 && from.attrs["b"] === 1 && from.inputs[0] === sum;
    return nodes[id]!.op === "step" && isLess;
  });
}

/** Whether a node reaches one of the others without passing through `gate`. */
function reaches(users: readonly NodeId[][], from: NodeId, gate: NodeId, to: readonly unknown[]): boolean {
  const seen = new Set<NodeId>();
  const todo = [from];
  for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
    if (id === gate || seen.has(id)) continue;
    seen.add(id);
    if (to.includes(id)) return true;
    todo.push(...users[id]!);
  }
  return false;
}
