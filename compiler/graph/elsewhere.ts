/**
 * What columns that depend on a sparse feature hold in the rows that none of its pairs names: there the feature has its fill value,
 * and a formula of it is often one number, or another column.
 */
import type { GraphNode, NodeId } from "./graph.js";
import { F32_MAX, isWithin, type Interval } from "./interval.js";

/** A node's value in rows without a pair: a number, or the value of another node in the same row. */
export type Elsewhere = { readonly value: number } | { readonly same: NodeId };

interface Nodes {
  readonly nodes: readonly GraphNode[];
  /** Bounds of each node's values. */
  readonly ranges: readonly Interval[];
}

/** The values of `parts`, in ascending order, if they are known; `columns` are the features' own columns and their fill values. */
export function findElsewhere(
  { nodes, ranges }: Nodes,
  columns: ReadonlyMap<NodeId, number>,
  parts: Iterable<NodeId>,
): ReadonlyMap<NodeId, Elsewhere> {
  const known = new Map<NodeId, Elsewhere>([...columns].map(([id, value]) => [id, { value }]));
  const isFinite = (id: NodeId): boolean => isWithin(ranges[id]!, -F32_MAX, F32_MAX);
  for (const id of parts) {
    if (columns.has(id)) continue;
    const node = nodes[id]!;
    const operands = node.inputs.map((i): Elsewhere => known.get(i) ?? { same: i });
    const found = apply(node, operands, isFinite, ranges[node.inputs[0]!]!);
    // one number per pair is not a column
    if (found && !("same" in found && nodes[found.same]!.dim !== node.dim)) known.set(id, found);
  }
  return known;
}

const { fround } = Math;

function apply(
  { op, attrs }: GraphNode,
  [x, y]: readonly Elsewhere[],
  isFinite: (id: NodeId) => boolean,
  range: Interval,
): Elsewhere | undefined {
  const [a, b] = [x, y].map((e) => (e && "value" in e ? e.value : undefined));
  const { s, b: shift, lo, hi } = attrs as Record<string, number>;
  const one = (value: number): Elsewhere => ({ value: fround(value) });
  switch (op) {
    case "scale":
      return a === undefined ? undefined : one(fround(a * fround(s!)) + fround(shift!));
    case "step":
      return a === undefined ? undefined : one(a > 0 ? 1 : 0);
    case "clamp":
      if (a !== undefined) return one(Math.min(Math.max(a, lo!), hi!));
      return isWithin(range, lo!, hi!) ? x : undefined;
    case "add":
      if (a !== undefined && b !== undefined) return one(a + b);
      return b === 0 ? x : a === 0 ? y : undefined;
    case "sub":
      if (a !== undefined && b !== undefined) return one(a - b);
      return b === 0 ? x : undefined;
    case "mul": {
      if (a !== undefined && b !== undefined) return one(a * b);
      const [number, other] = a === undefined ? [b, x!] : [a, y!];
      if (number === 1) return other;
      return number === 0 && "same" in other && isFinite(other.same) ? { value: 0 } : undefined;
    }
    default:
      return undefined;
  }
}
