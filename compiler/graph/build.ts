/** Builds a graph node by node. Types and dims follow from the op table; what is known of the values is kept beside. */
import type { Attr, Dim, GraphNode, NodeId, Origin } from "./graph.js";
import type { Interval } from "./interval.js";
import { attrValue, opRule, type OpName } from "./ops.js";

export interface Builder {
  readonly nodes: GraphNode[];
  /** What is known of each node's values. */
  readonly ranges: Interval[];
  /** Given to the nodes that are made from now on. */
  origin: Origin | undefined;
}

export const newBuilder = (): Builder => ({ nodes: [], ranges: [], origin: undefined });

export interface EmitOptions {
  readonly name?: string | undefined;
  /** Overrides what the op table concludes. */
  readonly range?: Interval;
}

/** Appends a node. Operands that break the op's rules are a bug of the caller; `verify` finds them. */
export function emit(
  b: Builder,
  op: OpName,
  inputs: readonly NodeId[],
  attrs: Readonly<Record<string, Attr>> = {},
  { name, range }: EmitOptions = {},
): NodeId {
  const rule = opRule(op);
  const operands = inputs.map((id) => b.nodes[id]!);
  const dtype = rule.dtype(
    operands.map((n) => n.dtype),
    attrs,
  );
  const dim: Dim = rule.dim(
    operands.map((n) => n.dim),
    attrs,
  );
  const known =
    range ??
    rule.range(
      inputs.map((id) => b.ranges[id]!),
      numericAttrs(op, attrs),
    );
  b.nodes.push({
    op,
    inputs,
    attrs,
    dtype,
    dim,
    ...(name !== undefined && { name }),
    ...(b.origin !== undefined && { origin: b.origin }),
  });
  b.ranges.push(known);
  return b.nodes.length - 1;
}

/** Attributes as range rules want them: a choice is its number. */
export function numericAttrs(op: OpName, attrs: Readonly<Record<string, Attr>>): Record<string, number> {
  const values = opRule(op).attrs.map((rule) => {
    const { name, kind, choices } = rule;
    const value = attrValue(attrs, rule);
    return [name, kind === "choice" ? choices!.indexOf(value as string) : (value as number)] as const;
  });
  return Object.fromEntries(values);
}
