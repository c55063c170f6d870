/**
 * Assignments that change the logits of a sparse feature's tokens only: `logit = count > 0 ? x : logit`, `logit -= penalty` with a
 * penalty of 0 for all others. The rows that came as -inf stay below the rows left, by a bound on the changed logits or on the
 * difference: so the rows still differ by their logits, and no mask over all rows is needed. The bounds are steps on the feature's
 * tokens only.
 */
import { findElsewhere, type Elsewhere } from "../graph/elsewhere.js";
import type { GraphNode, NodeId } from "../graph/graph.js";
import { F32_MAX } from "../graph/interval.js";
import { opRule } from "../graph/ops.js";
import { tellsDropped } from "../rules/implied-mask.js";
import { add, clamp, node, scale, sub, unary } from "../table/arith.js";
import { column, levelOf, LOGIT_MAX, logitOf } from "../table/columns.js";
import { and, select } from "../table/conditions.js";
import type { Gap } from "../table/gap.js";
import type { Lowering } from "../table/lowering.js";
import { LOGIT_ALIVE } from "../table/table.js";
import type { NodeValue, Value } from "../table/value.js";

/** A difference of logits beyond this has no further effect: far above any logit, and so far below the gap that many fit into it. */
const SHIFT_MAX = 1e27;

/** The assigned logits, with a gap if they can have one. */
export function ofFewTokens(cx: Lowering, value: NodeValue): NodeValue {
  const present = logitOf(cx);
  const { gap } = present.facts;
  if (cx.table.mask || !tellsDropped(cx, gap) || tellsDropped(cx, value.facts.gap)) return value;
  return chosen(cx, value, present, gap) ?? shifted(cx, value, present) ?? value;
}

/** `condition ? x : logit` */
function chosen(cx: Lowering, { facts }: NodeValue, present: NodeValue, gap: Gap): NodeValue | undefined {
  const { choice } = facts;
  if (choice?.otherwise.kind !== "node" || choice.otherwise.id !== present.id) return undefined;
  if (gap.highestDropped >= -LOGIT_ALIVE || !isForOthers(cx, choice.condition.id, 0)) return undefined;
  const changed = clamp(cx, choice.then, -LOGIT_ALIVE, LOGIT_MAX);
  const result = select(cx, andAlive(cx, choice.condition, present, gap), changed, present) as NodeValue;
  const lowest = Math.min(gap.lowest, -LOGIT_ALIVE);
  const left = { ...gap, lowest, size: Math.min(gap.size, lowest - gap.highestDropped) };
  return { ...result, facts: { ...result.facts, gap: left } };
}

/** A condition, and that the row is left. The present logits tell the rows left, and are read in any case. */
function andAlive(cx: Lowering, condition: NodeValue, present: NodeValue, gap: Gap): Value {
  const height = scale(cx, { ...present, facts: {} }, 1, -levelOf(cx, gap)) as NodeValue;
  const { op, inputs } = cx.builder.nodes[condition.id]!;
  const range = cx.builder.ranges[inputs[0] ?? condition.id]!;
  if (op !== "step" || range.lo < 0) return and(cx, condition, unary(cx, "step", height));
  // x > 0 and y > 0 for an x of at least 0; y is 0 or so large that the product is not rounded to 0
  const counted = node(cx, "mul", [{ ...condition, id: inputs[0]!, range, facts: {} }, height]);
  return unary(cx, "step", counted);
}

/** The present logits, plus or minus columns that are 0 for all other tokens. */
function shifted(cx: Lowering, value: NodeValue, present: NodeValue): NodeValue | undefined {
  const { nodes } = cx.builder;
  const steps: { readonly op: typeof add; readonly by: NodeId }[] = [];
  let id = value.id;
  while (id !== present.id) {
    const { op, inputs } = unclamped(nodes, id);
    const [x, y] = inputs as [NodeId, NodeId];
    if ((op !== "add" && op !== "sub") || nodes[x]!.dim !== nodes[y]!.dim) return undefined;
    const isSwapped = op === "add" && y === present.id;
    steps.push({ op: op === "add" ? add : sub, by: isSwapped ? x : y });
    id = isSwapped ? y : x;
  }
  if (!steps.every(({ by }) => isForOthers(cx, by, 0))) return undefined;
  return steps.reduceRight(
    (logit, { op, by }) => op(cx, logit, clamp(cx, column(cx, by), -SHIFT_MAX, SHIFT_MAX)) as NodeValue,
    present,
  );
}

/** A node, without the clamp of a result that may overflow. */
function unclamped(nodes: readonly GraphNode[], id: NodeId): GraphNode {
  const found = nodes[id]!;
  return found.op === "clamp" && found.attrs["hi"] === F32_MAX ? nodes[found.inputs[0]!]! : found;
}

/** Whether a column is `number` in all rows but those of a sparse feature's tokens. */
export function isForOthers(cx: Lowering, id: NodeId, number: number): boolean {
  const isIt = (e: Elsewhere | undefined): boolean => e !== undefined && "value" in e && e.value === number;
  const parts = [...partsOf(cx, id)].sort((a, b) => a - b);
  return parts.some((part) => {
    const fill = fillOf(cx, part);
    return fill !== undefined && isIt(findElsewhere(cx.builder, new Map([[part, fill]]), parts).get(id));
  });
}

/** The nodes that a column depends on row by row, with itself. */
function partsOf({ builder: { nodes }, meter }: Lowering, id: NodeId): ReadonlySet<NodeId> {
  const { dim } = nodes[id]!;
  const parts = new Set([id]);
  // a set gives what is added while it is read
  for (const at of parts) {
    const { op, inputs } = nodes[at]!;
    if (opRule(op).isElementwise) inputs.forEach((i) => nodes[i]!.dim === dim && parts.add(i));
  }
  meter.spend(parts.size);
  return parts;
}

/** The value of a sparse feature's column for all other tokens; undefined if the node is no such column, or they may be all. */
function fillOf({ builder: { nodes }, features, inputs }: Lowering, id: NodeId): number | undefined {
  const { op, inputs: operands } = nodes[id]!;
  if (op !== "set_rows") return undefined;
  const { op: fed, attrs } = nodes[operands[2]!]!;
  const source = fed === "input" ? inputs[attrs["index"] as number]!.source : undefined;
  if (source?.kind !== "ids") return undefined;
  const { form } = features[source.feature]!;
  return form.kind === "sparse" && form.capacity !== "V" ? form.fill : undefined;
}
