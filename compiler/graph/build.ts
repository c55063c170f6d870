/** Builds a graph node by node. Types and dims follow from the op table; ranges of values are tracked with it. */
import type { Meter } from "../limits/meter.js";
import type { GraphNode, NodeId, Origin } from "./graph.js";
import type { Interval } from "./interval.js";
import { resultRange, resultType, type OpName } from "./ops.js";
import type { Attrs } from "./vector.js";

export interface Builder {
  readonly nodes: GraphNode[];
  /** The range of each node's values. */
  readonly ranges: Interval[];
  /** The origin of nodes added from now on. */
  origin: Origin | undefined;
  /** Counts the nodes. */
  readonly meter: Meter;
}

export const newBuilder = (meter: Meter): Builder => ({ nodes: [], ranges: [], origin: undefined, meter });

export interface EmitOptions {
  readonly name?: string | undefined;
  /** Overrides the range from the op table. */
  readonly range?: Interval;
}

/** Appends a node. Invalid operands are a bug of the caller; `verify` finds them. Throws `LimitExceeded`. */
export function emit(
  b: Builder,
  op: OpName,
  inputs: readonly NodeId[],
  attrs: Attrs = {},
  { name, range }: EmitOptions = {},
): NodeId {
  b.meter.spend(1);
  b.meter.check("nodes", b.nodes.length + 1);
  const operands = inputs.map((id) => b.nodes[id]!);
  const { dtype, dim } = resultType(op, operands, attrs);
  const operandRanges = inputs.map((id) => b.ranges[id]!);
  b.nodes.push({
    op,
    inputs,
    attrs,
    dtype,
    dim,
    ...(name !== undefined && { name }),
    ...(b.origin !== undefined && { origin: b.origin }),
  });
  b.ranges.push(range ?? resultRange(op, operandRanges, attrs));
  return b.nodes.length - 1;
}
