/**
 * Works on the few rows left instead of all: order-preserving steps (a temperature above 0, a shift) move behind `top_k`, and
 * values that are only needed for the selected rows are computed for these.
 *
 *     %0 = div(logits, u0)       : f32[V]      %0 = top_k(logits) k=40     : i32[40]
 *     %1 = top_k(%0) k=40        : i32[40]  ->  %1 = get_rows(logits, %0)   : f32[40]
 *     %2 = get_rows(%0, %1)      : f32[40]      %2 = div(%1, u0)            : f32[40]
 */
import type { Dim, Graph, GraphNode, NodeId } from "../graph/graph.js";
import { opRule, type OpName } from "../graph/ops.js";
import { makeInOrder, OUTPUT, rewrite, usersOf, type Draft, type Rewriter } from "./draft.js";
import type { Pass } from "./pass.js";

export const fewRows: Pass = {
  name: "few-rows",
  doc: "order-preserving steps move behind the selection of the best rows",
  example: "temp(0.8) |> top_k(40) |> dist(42)",
  // selection, then the sort of the selected rows: each lets more steps move down
  run: (draft) => sinkBehindGathers(chooseEarly(sinkBehindGathers(chooseEarly(draft)))),
};

// ---------------------------------------------------------------- selection

/** The best rows of f(x) are those of x if f is non-decreasing. */
const chooseEarly = (draft: Draft): Draft =>
  rewrite(draft, (r, node) => {
    if (!CHOOSING.has(node.op)) return undefined;
    const key = unordered(draft, node.inputs[0]!, node.op);
    return key === node.inputs[0] ? undefined : r.emit(node.op, [r.map(key)], node.attrs);
  });

const CHOOSING: ReadonlySet<OpName> = new Set(["top_k", "argmax", "argsort"]);

/** The column that determines the order of column `id`. */
function unordered(draft: Draft, id: NodeId, by: OpName): NodeId {
  const { nodes } = draft.graph;
  let key = id;
  for (let node = nodes[key]!; keepsOrder(draft, node); node = nodes[key]!) {
    // keep the clamp: on some devices an argmax of all -inf is not a row, and a NaN has no order
    if (by !== "top_k" && node.op === "clamp") break;
    key = node.inputs[0]!;
  }
  return key;
}

function keepsOrder({ graph: { nodes }, ranges }: Draft, { op, inputs, attrs, dim }: GraphNode): boolean {
  if (opRule(op).isRising) return true;
  if (op === "scale") return (attrs["s"] as number) > 0;
  const [, by] = inputs;
  if (by === undefined || dim === 1 || nodes[by]!.dim !== 1) return false;
  return op === "add" || op === "sub" || ((op === "mul" || op === "div") && ranges[by]!.lo > 0);
}

// ---------------------------------------------------------------- gathers

/** Gathers rows of x and applies f to them, if nothing needs f of all rows. */
function sinkBehindGathers(draft: Draft): Draft {
  const sinking = sinkingNodes(draft.graph);
  return rewrite(draft, (r, node) => {
    const [x, rows] = node.inputs as [NodeId, NodeId];
    if (node.op !== "get_rows") return undefined;
    const isKnown = sinking.has(x) || draft.graph.nodes[x]!.op === "arange";
    return isKnown ? gather(r, sinking, x, r.map(rows)) : undefined;
  });
}

/** Columns that are needed only for some rows and can be computed from those. */
function sinkingNodes(graph: Graph): ReadonlySet<NodeId> {
  const { nodes } = graph;
  const users = usersOf(graph);
  const sinking = new Set<NodeId>();
  const isOfFew = (user: NodeId, id: NodeId): boolean => {
    if (user === OUTPUT) return false;
    const { op, inputs, dim } = nodes[user]!;
    if (op !== "get_rows") return sinking.has(user);
    return inputs[1] !== id && (isLess(dim, nodes[id]!.dim) || (dim === nodes[id]!.dim && columns(graph, id) === 1));
  };
  for (let id = nodes.length - 1; id >= 0; id--) {
    const { op, dim } = nodes[id]!;
    const canSink = op === "fill" || op === "repeat" || opRule(op).isElementwise === true;
    if (canSink && dim !== 1 && users[id]!.length > 0 && users[id]!.every((user) => isOfFew(user, id))) sinking.add(id);
  }
  return sinking;
}

/** The number of columns that a column depends on; each is a gather. */
const columns = ({ nodes }: Graph, id: NodeId): number =>
  nodes[id]!.inputs.filter((i) => nodes[i]!.dim === nodes[id]!.dim).length;

const isLess = (a: Dim, b: Dim): boolean => typeof a === "number" && (b === "V" || a < b);

/** The rows `rows` (a new node) of the old node `id`. */
function gather(r: Rewriter, sinking: ReadonlySet<NodeId>, id: NodeId, rows: NodeId): NodeId {
  const { graph, ranges } = r.before;
  const { dim } = graph.nodes[id]!;
  const isConstant = (op: OpName): boolean => op === "fill" || op === "repeat";
  const needs = (old: NodeId): NodeId[] => {
    const { op, inputs, origin } = graph.nodes[old]!;
    if (!sinking.has(old)) return [];
    // a gather belongs to the node that needs it
    r.builder.origin = origin;
    return isConstant(op) ? [] : inputs.filter((i) => graph.nodes[i]!.dim === dim);
  };
  return makeInOrder(id, needs, (old, made) => {
    const { op, inputs, attrs, name } = graph.nodes[old]!;
    // of the numbers 0, 1, 2, ... the rows are the numbers
    if (op === "arange") return r.emit("cast", [rows], { to: "f32" });
    if (!sinking.has(old)) return r.emit("get_rows", [r.map(old), rows]);
    const operands = inputs.map((i) => made.get(i) ?? r.map(i));
    return isConstant(op)
      ? r.emit(op, operands, { ...attrs, dim: r.made(rows).dim })
      : r.emit(op, operands, attrs, { name, range: ranges[old]! });
  });
}
