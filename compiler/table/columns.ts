/** The columns of the candidate table, created on demand and cached until the table changes. */
import { emit } from "../graph/build.js";
import type { NodeId } from "../graph/graph.js";
import * as I from "../graph/interval.js";
import { PENALTY } from "../graph/masks.js";
import { clamp, mul, node, scale } from "./arith.js";
import { and } from "./conditions.js";
import type { Gap } from "./gap.js";
import type { Lowering } from "./lowering.js";
import { LOGIT_ALIVE } from "./table.js";
import { NO_FACTS, type Facts, type NodeValue } from "./value.js";

/** Logits are clamped to plus and minus this: far beyond any effect on probabilities, and safe in arithmetic. */
export const LOGIT_MAX = 1e30;
/** Assigned logits are clamped to plus and minus this. */
export const LOGIT_LIMIT = 1e31;

export const column = (cx: Lowering, id: NodeId, facts: Facts = NO_FACTS): NodeValue => ({
  kind: "node",
  id,
  isColumn: true,
  range: cx.builder.ranges[id]!,
  facts,
});

export const scalar = (cx: Lowering, id: NodeId, facts: Facts = NO_FACTS): NodeValue => ({
  ...column(cx, id, facts),
  isColumn: false,
});

/** The result of `make`, cached until the table changes. */
function cached(cx: Lowering, name: string, make: () => NodeValue): NodeValue {
  const { cache } = cx.table;
  const present = cache.get(name);
  if (present) return present;
  const made = make();
  cache.set(name, made);
  return made;
}

/** The present logits, finite. */
export function logitOf(cx: Lowering): NodeValue {
  const t = cx.table;
  return (
    t.assigned ??
    cached(cx, "logit", () => {
      const id = t.raw.isFinite ? t.raw.id : clampLogits(cx, t.raw.id);
      return column(cx, id, {
        trend: t.raw.isFalling ? "falls" : undefined,
        gap: { size: LOGIT_MAX - LOGIT_ALIVE, lowest: -LOGIT_ALIVE, highestDropped: -LOGIT_MAX, drops: t.drops },
      });
    })
  );
}

/** Between the present logits of the rows left and those of the rows dropped by their logits. */
export const levelOf = ({ table }: Lowering, { lowest, highestDropped }: Gap): number =>
  table.assigned ? (lowest + highestDropped) / 2 : table.raw.level;

export const clampLogits = (cx: Lowering, id: NodeId, name = "logit"): NodeId =>
  emit(cx.builder, "clamp", [id], { lo: -LOGIT_MAX, hi: LOGIT_MAX }, { name });

/** Softmax of the logits over the rows left; 0 in dropped rows. */
export function probOf(cx: Lowering): NodeValue {
  return cached(cx, "prob", () => {
    const logit = logitOf(cx);
    const { mask, isPacked } = cx.table;
    const operands = mask ? [logit, penaltyOf(cx)] : [logit];
    const trend = isPacked ? logit.facts.trend : undefined;
    const facts: Facts = { trend: trend === "falls" ? trend : undefined, isZeroDropped: true };
    return (cx.table.weights = node(cx, "soft_max", operands, {}, facts));
  });
}

/** `prob` up to a positive factor: 0 in dropped rows, with a sum of at least 1 / V. */
export function weightsOf(cx: Lowering): NodeValue {
  const { mask, weights: before, cache } = cx.table;
  if (!before || !mask || cache.has("prob")) return probOf(cx);
  return cached(cx, "weights", () => {
    const weights = mul(cx, before, mask.value) as NodeValue;
    const falls = before.facts.trend === "falls" && mask.value.facts.trend === "falls";
    return { ...weights, facts: { isZeroDropped: true, trend: falls ? "falls" : undefined } };
  });
}

/** Row indices, 0 for the first row left. The values in dropped rows are meaningless. */
export function rankOf(cx: Lowering): NodeValue {
  return cached(cx, "rank", () => {
    if (cx.table.isPacked) return rowNumbers(cx);
    const full = aliveOf(cx);
    const count = node(cx, "cumsum", [full], {}, { trend: "rises" });
    return scale(cx, count, 1, -1) as NodeValue;
  });
}

export function rowNumbers(cx: Lowering): NodeValue {
  return cached(cx, "rows", () => {
    const { dim } = cx.table;
    const range = I.interval(0, dim === "V" ? 2 ** 24 : dim - 1);
    const id = emit(cx.builder, "arange", [], { dim }, { range });
    // otherwise the first row may be a dropped one
    return column(cx, id, { trend: "rises", ...(cx.table.isPacked && { first: I.point(0) }) });
  });
}

/** Token ids as numbers. */
export function tokenOf(cx: Lowering): NodeValue {
  return cached(cx, "token", () => {
    const { ids } = cx.table;
    if (ids === undefined) return rowNumbers(cx);
    return column(cx, emit(cx.builder, "cast", [ids], { to: "f32" }, { range: I.interval(0, 2 ** 24) }));
  });
}

/** 1 for every row left, 0 for every dropped one, including those dropped by their logits. */
export function aliveOf(cx: Lowering): NodeValue {
  const t = cx.table;
  if (t.mask?.isFull) return { ...t.mask.value, facts: { ...t.mask.value.facts, isZeroDropped: true } };
  return cached(cx, "alive", () => {
    const trend = t.isPacked ? "falls" : undefined;
    const shifted = emit(cx.builder, "scale", [t.raw.id], { s: 1, b: -t.raw.level });
    const entry = column(cx, emit(cx.builder, "step", [shifted], {}, { range: I.UNIT }), {
      isZeroDropped: true,
      trend,
    });
    if (!t.mask) return entry;
    return { ...(and(cx, t.mask.value, entry) as NodeValue), facts: { isZeroDropped: true, trend } };
  });
}

/** Penalty to add to a column so that dropped rows are lowest: 0 for rows left. */
function penaltyOf(cx: Lowering): NodeValue {
  return cached(cx, "penalty", () => scale(cx, cx.table.mask?.value ?? aliveOf(cx), PENALTY, -PENALTY) as NodeValue);
}

/** A sort key, descending: dropped rows are below all others. */
export function keyOf(cx: Lowering, by: NodeValue): NodeValue {
  const bounded = clamp(cx, by, -LOGIT_LIMIT, LOGIT_LIMIT) as NodeValue;
  return node(cx, "add", [bounded, scale(cx, aliveOf(cx), PENALTY, -PENALTY) as NodeValue]);
}

/** The logits as a sort key; rows that came as -inf are already lowest. */
export function logitKey(cx: Lowering): NodeValue {
  const t = cx.table;
  if (t.mask) return cached(cx, "key", () => node(cx, "add", [logitOf(cx), penaltyOf(cx)]));
  return t.assigned ?? column(cx, t.raw.id);
}

/**
 * The logits for an argmax: clamped, because the argmax of all -inf is -1 on some devices. A plain argmax pick needs no clamp:
 * such devices add their own.
 */
export const largestKey = (cx: Lowering): NodeValue => (cx.table.mask ? logitKey(cx) : logitOf(cx));

/** Whether the logits of dropped rows are: then they become -inf when they are divided by 0. */
const isBelowZero = (gap: Gap | undefined): boolean => gap !== undefined && gap.highestDropped < 0;

/** The logits as an output: -inf for dropped rows. */
export function outputLogits(cx: Lowering): NodeId {
  const alive = aliveOf(cx);
  if (!cx.table.mask && isBelowZero(logitOf(cx).facts.gap))
    return emit(cx.builder, "div", [logitOf(cx).id, alive.id], {}, { name: "logits" });
  const logMask = emit(cx.builder, "log", [alive.id]);
  return emit(cx.builder, "add", [logitOf(cx).id, logMask], {}, { name: "logits" });
}
