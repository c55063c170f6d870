/** A graph in the optimizer, with the bounds of each node's values. */
import { emit, newBuilder, type Builder, type EmitOptions } from "../graph/build.js";
import type { Attr, Graph, GraphNode, NodeId } from "../graph/graph.js";
import type { Interval } from "../graph/interval.js";
import { liveNodes, mapResults, resultsOf, type KeptParts } from "../graph/liveness.js";
import { opRule, type OpName } from "../graph/ops.js";
import type { Meter } from "../limits/meter.js";

export interface Draft {
  readonly graph: Graph;
  /** Bounds of each node's values; by `Graph.nodes`. */
  readonly ranges: readonly Interval[];
  readonly meter: Meter;
  /** The states and windows that are kept although no output may depend on them. */
  readonly kept?: KeptParts;
}

/** The context of a pass that rewrites node by node: the old graph and the new one. */
export interface Rewriter {
  readonly before: Draft;
  readonly builder: Builder;
  /** The new number of an old node. */
  readonly map: (id: NodeId) => NodeId;
  /** The new node by its number. */
  readonly made: (id: NodeId) => GraphNode;
  /** Adds a node. */
  readonly emit: (
    op: OpName,
    inputs: readonly NodeId[],
    attrs?: Readonly<Record<string, Attr>>,
    options?: EmitOptions,
  ) => NodeId;
}

/**
 * Rebuilds a graph node by node, in the old order. `visit` returns the replacement of a node, or nothing to copy it;
 * `remove-dead` removes nodes that become unused. If nothing is replaced, the old draft is returned.
 */
export function rewrite(before: Draft, visit: (r: Rewriter, node: GraphNode, id: NodeId) => NodeId | undefined): Draft {
  const { meter } = before;
  meter.spend(before.graph.nodes.length);
  const builder = newBuilder(meter);
  const numbers: NodeId[] = [];
  const r: Rewriter = {
    before,
    builder,
    map: (id) => numbers[id]!,
    made: (id) => builder.nodes[id]!,
    emit: (op, inputs, attrs, options) => emit(builder, op, inputs, attrs, options),
  };
  let isSame = true;
  before.graph.nodes.forEach((node, id) => {
    builder.origin = node.origin;
    const instead = visit(r, node, id);
    isSame &&= instead === undefined;
    numbers.push(instead ?? copy(r, node, id));
  });
  if (isSame) return before;
  const graph = { ...before.graph, nodes: builder.nodes, ...mapResults(before.graph, (id) => numbers[id]!) };
  return { graph, ranges: builder.ranges, meter };
}

/** The node itself, with new operands. */
export function copy(
  { before, map, emit }: Pick<Rewriter, "before" | "map" | "emit">,
  node: GraphNode,
  id: NodeId,
): NodeId {
  const { op, inputs, attrs, name } = node;
  return emit(op, inputs.map(map), attrs, { name, range: before.ranges[id]! });
}

/**
 * Makes a new node for an old one after those for the nodes that it needs, each once, and returns it. Graphs can be deep, so that
 * they are not visited by recursion.
 */
export function makeInOrder(
  id: NodeId,
  needs: (id: NodeId) => readonly NodeId[],
  make: (id: NodeId, made: ReadonlyMap<NodeId, NodeId>) => NodeId,
): NodeId {
  const made = new Map<NodeId, NodeId>();
  const open = [id];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const pending = needs(top).filter((i) => !made.has(i));
    for (const one of pending.reverse()) open.push(one);
    if (pending.length > 0) continue;
    open.pop();
    if (!made.has(top)) made.set(top, make(top, made));
  }
  return made.get(id)!;
}

/** The live nodes that read each node; an output or a next state counts as `OUTPUT`. */
export function usersOf(graph: Graph): readonly (readonly NodeId[])[] {
  const users = graph.nodes.map((): NodeId[] => []);
  for (const id of liveNodes(graph)) graph.nodes[id]!.inputs.forEach((i) => users[i]!.push(id));
  for (const id of resultsOf(graph)) users[id]!.push(OUTPUT);
  return users;
}

/** Represents the reader of an output. */
export const OUTPUT = -1;

/** The value of a uniform that is constant. */
export function constantOf({ uniforms }: Graph, { op, attrs }: GraphNode): number | undefined {
  const expr = op === "uniform" ? uniforms[attrs["index"] as number]!.expr : undefined;
  return typeof expr === "number" ? expr : undefined;
}

/** Whether an op is elementwise. */
export const isElementwise = (op: OpName): boolean => opRule(op).isElementwise === true;
