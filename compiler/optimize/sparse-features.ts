/**
 * A sparse feature, fed as (token, value) pairs, affects only the rows of these tokens: in all other rows, where it has its
 * fill value, the result of a formula is another column or a constant. So the formula is computed on the pairs' rows only,
 * and the results are scattered into that column.
 *
 *     %1 = set_rows(0, values, ids) : f32[V]      %1 = get_rows(logits, ids)      : f32[64]
 *     %2 = step(%1)                 : f32[V]      %2 = step(values)               : f32[64]
 *     %3 = mul(%1, %2)              : f32[V]  ->  %3 = mul(values, %2)            : f32[64]
 *     %4 = sub(logits, %3)          : f32[V]      %4 = sub(%1, %3)                : f32[64]
 *                                                 %5 = set_rows(logits, %4, ids)  : f32[V]
 */
import { findElsewhere } from "../graph/elsewhere.js";
import type { Graph, NodeId } from "../graph/graph.js";
import { isElementwise, makeInOrder, OUTPUT, rewrite, usersOf, type Draft, type Rewriter } from "./draft.js";
import type { Pass } from "./pass.js";

export const sparseFeatures: Pass = {
  name: "sparse-features",
  doc: "the changes of a sparse feature are computed on its rows only",
  example: "penalties(64, 1.1, 0.5, 0.5) |> top_k(40) |> dist(42)",
  run: (draft) => draft.graph.features.reduce((before, _, feature) => narrowTo(before, feature), draft),
};

/** With fewer steps over all rows there is nothing to gain: the gather and scatter are as many nodes as the feature's column. */
const LEAST_STEPS = 1;

/** The column of a sparse feature, and its parts. */
interface Column {
  readonly id: NodeId;
  readonly ids: NodeId;
  readonly values: NodeId;
  /** The value in rows without a pair. */
  readonly usual: number;
}

function narrowTo(draft: Draft, feature: number): Draft {
  const column = columnOf(draft, feature);
  if (!column) return draft;
  const { graph } = draft;
  const parts = partsOf(graph, column);
  const elsewhere = findElsewhere({ ...graph, ranges: draft.ranges }, new Map([[column.id, column.usual]]), parts);
  const users = usersOf(graph);
  /** Nodes of these that other nodes use. */
  const isNeeded = (id: NodeId): boolean => users[id]!.some((u) => u === OUTPUT || !elsewhere.has(u));
  return rewrite(draft, (r, _, id) => {
    const rest = elsewhere.get(id);
    if (id === column.id || !rest || !isNeeded(id) || !hasSteps(graph, parts, id)) return undefined;
    if ("same" in rest && parts.has(rest.same)) return undefined;
    const base = "same" in rest ? r.map(rest.same) : r.emit("fill", [], { value: rest.value, dim: "V" });
    const rows = atPairs(r, column, parts, id);
    return r.emit("set_rows", [base, rows, r.map(column.ids)], {}, { range: draft.ranges[id]! });
  });
}

/** The nodes that depend on the feature row by row, including itself. */
function partsOf({ nodes }: Graph, column: Column): ReadonlySet<NodeId> {
  const parts = new Set([column.id]);
  nodes.forEach(({ op, inputs, dim }, id) => {
    if (dim === "V" && isElementwise(op) && inputs.some((i) => parts.has(i))) parts.add(id);
  });
  return parts;
}

function columnOf({ graph }: Draft, feature: number): Column | undefined {
  const { nodes, inputs, features } = graph;
  const { form } = features[feature]!;
  if (form.kind !== "sparse" || form.capacity === "V") return undefined;
  const isInput = (id: NodeId, kind: "ids" | "values"): boolean => {
    const { op, attrs } = nodes[id]!;
    const source = op === "input" ? inputs[attrs["index"] as number]!.source : undefined;
    return source?.kind === kind && source.feature === feature;
  };
  const id = nodes.findIndex(({ op, inputs: [x, y, rows] }) => {
    return op === "set_rows" && nodes[x!]!.op === "fill" && isInput(y!, "values") && isInput(rows!, "ids");
  });
  if (id < 0) return undefined;
  const [, values, ids] = nodes[id]!.inputs as [NodeId, NodeId, NodeId];
  return { id, ids, values, usual: form.fill };
}

/** Whether at least `LEAST_STEPS` steps over all rows lead from the feature to a node. */
function hasSteps({ nodes }: Graph, parts: ReadonlySet<NodeId>, id: NodeId): boolean {
  const seen = new Set([id]);
  // a set gives what is added while it is read; the feature's own column is no step
  for (const at of seen) {
    if (seen.size > LEAST_STEPS) return true;
    for (const operand of nodes[at]!.inputs) if (parts.has(operand)) seen.add(operand);
  }
  return seen.size > LEAST_STEPS;
}

/** A node's values in the rows of the pairs. */
function atPairs(r: Rewriter, column: Column, parts: ReadonlySet<NodeId>, id: NodeId): NodeId {
  const { graph, ranges } = r.before;
  const isPart = (old: NodeId): boolean => graph.nodes[old]!.dim === "V" && parts.has(old);
  const needs = (old: NodeId): readonly NodeId[] => (old !== column.id && isPart(old) ? graph.nodes[old]!.inputs : []);
  return makeInOrder(id, needs, (old, made) => {
    const { op, inputs, attrs, dim, name } = graph.nodes[old]!;
    if (old === column.id) return r.map(column.values);
    if (dim !== "V") return r.map(old);
    const operands = inputs.map((i) => made.get(i)!);
    const range = ranges[old]!;
    return isPart(old)
      ? r.emit(op, operands, attrs, { name, range })
      : r.emit("get_rows", [r.map(old), r.map(column.ids)], {}, { range });
  });
}
