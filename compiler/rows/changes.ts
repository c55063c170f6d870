/** Changes of the candidate table: new logits, fewer rows, another order. */
import { emit } from "../graph/build.js";
import type { Dim, NodeId } from "../graph/graph.js";
import { isWithin } from "../graph/interval.js";
import { tellsDropped } from "../rules/implied-mask.js";
import { takesAll } from "../rules/no-op-filters.js";
import { orderFacts, usesFalling } from "../rules/order-facts.js";
import { clamp, scale } from "../table/arith.js";
import { aliveOf, clampLogits, column, keyOf, LOGIT_LIMIT, logitKey, logitOf } from "../table/columns.js";
import { and } from "../table/conditions.js";
import { ofFewTokens } from "./few-tokens.js";
import { clampedGap, type Gap } from "../table/gap.js";
import type { Lowering } from "../table/lowering.js";
import type { Order, Table } from "../table/table.js";
import { NO_FACTS, type Facts, type NodeValue } from "../table/value.js";

/** Discards values derived from the previous rows. */
function changeRows(t: Table): void {
  t.version++;
  t.cache = new Map();
}

/** `logit = value` */
export function assignLogit(cx: Lowering, given: NodeValue): void {
  const t = cx.table;
  if (given.id === logitOf(cx).id) return;
  const value = ofFewTokens(cx, given);
  const limit = limitFor(cx, value);
  const logit = clamp(cx, value, -limit, limit) as NodeValue;
  const gap = value.facts.gap && clampedGap(value.facts.gap, limit);
  if (!tellsDropped(cx, gap)) {
    t.mask = { value: aliveOf(cx), isFull: true };
  }
  t.weights = undefined;
  t.assigned = { ...logit, facts: { trend: value.facts.trend, gap } };
  if (!t.order?.isOwn) renewOrder(t);
  changeRows(t);
}

/** Keeps only the rows where `mask` is 1. */
export function narrow(cx: Lowering, condition: NodeValue, isFull: boolean): void {
  const t = cx.table;
  const isPrefix = t.isPacked && usesFalling(cx, condition.facts);
  if (!keepsBest(cx, condition)) t.weights = undefined;
  const mask = t.mask && !isFull ? (and(cx, t.mask.value, condition) as NodeValue) : condition;
  const value = { ...mask, facts: { trend: isPrefix ? ("falls" as const) : undefined } };
  t.mask = { value, isFull: isFull || t.mask?.isFull === true };
  t.isPacked = isPrefix;
  changeRows(t);
}

/** A third of the penalty of a dropped row, which lowers any such logit below all others. */
const WIDE_LIMIT = 2 ** 108;

/** Logits that are known to stay within the wide limit are not clamped if they tell the dropped rows: clamped, they need a mask. */
const limitFor = (cx: Lowering, { range, facts: { gap } }: NodeValue): number =>
  isWithin(range, -WIDE_LIMIT, WIDE_LIMIT) && tellsDropped(cx, gap && clampedGap(gap, WIDE_LIMIT))
    ? WIDE_LIMIT
    : LOGIT_LIMIT;

/** Drops the rows of which `logits` are at most `level`; those of all other rows are the present ones. */
export function dropByLogit(cx: Lowering, logits: NodeValue, gap: Gap, level: number): void {
  const t = cx.table;
  t.drops++;
  t.assigned = { ...logits, facts: { gap: { ...gap, drops: t.drops } } };
  t.raw = { id: logits.id, level, isFinite: true, isFalling: false };
  t.isPacked = false;
  t.weights = undefined;
  changeRows(t);
}

/** Whether the row with the largest logit is certain to meet a condition. */
function keepsBest(cx: Lowering, { facts }: NodeValue): boolean {
  if (usesFalling(cx, facts) && isInLogitOrder(cx)) return true;
  const { cache } = cx.table;
  const risingWithLogit = [logitOf(cx), cache.get("prob"), cache.get("weights")];
  return facts.holdsForMaxOf !== undefined && risingWithLogit.some((v) => v?.id === facts.holdsForMaxOf);
}

/** Replaces the present logits and mask with blended ones. */
export function replaceTable(
  cx: Lowering,
  logit: NodeValue,
  { mask, isPacked }: Pick<Table, "mask" | "isPacked">,
): void {
  const t = cx.table;
  t.mask = mask;
  t.isPacked = isPacked;
  // the mask has changed even if the logits have not
  changeRows(t);
  assignLogit(cx, logit);
}

/** Applies `take` to every column of the table; `dim` is the new number of rows. */
function rearrange(cx: Lowering, dim: Dim, order: Order, take: (id: NodeId) => NodeId): void {
  const t = cx.table;
  const moved = (v: NodeValue, facts: Facts): NodeValue => ({ ...column(cx, take(v.id)), facts });
  if (t.assigned) t.assigned = moved(t.assigned, { gap: t.assigned.facts.gap });
  if (t.mask) t.mask = { ...t.mask, value: moved(t.mask.value, NO_FACTS) };
  t.raw = { ...t.raw, id: take(t.raw.id), isFalling: false };
  t.weights = undefined;
  for (const [declared, { value }] of t.lets) {
    if (value.kind !== "node" || !value.isColumn) continue;
    const { isZeroDropped = false } = value.facts;
    t.lets.set(declared, { value: moved(value, { isZeroDropped }), version: t.version + 1 });
  }
  t.dim = dim;
  ownOrder(t, order);
  t.isPacked = true;
  changeRows(t);
}

/** The present sampler has sorted the rows, even if they were in that order before. */
function ownOrder(t: Table, by: Order): void {
  t.order = { by, isOwn: true };
}

/** Whether the logits of the rows fall, dropped ones included. */
const isFalling = ({ assigned, raw }: Table): boolean => (assigned ? assigned.facts.trend === "falls" : raw.isFalling);

/** The order that an earlier sampler has made: one by the logits is valid as long as they fall, any other one until the next sort. */
function renewOrder(t: Table): void {
  if (t.order && t.order.by !== "byKey") t.order = { ...t.order, by: isFalling(t) ? "byLogit" : "stale" };
}

/** Marks the logits as descending, after a sort. */
function markFalling({ table: t }: Lowering): void {
  if (t.assigned) t.assigned = { ...t.assigned, facts: { ...t.assigned.facts, trend: "falls" } };
  else t.raw = { ...t.raw, isFalling: true };
}

const isInLogitOrder = ({ table }: Lowering): boolean => table.isPacked && isFalling(table);

/**
 * Whether the first rows are the best ones: after a sort in the same sampler, or where they have the largest logits. An order by
 * another key is a ranking only for the sampler that made it.
 */
export const isRanked = ({ table }: Lowering): boolean => table.order?.isOwn === true || table.order?.by === "byLogit";

/** Whether `by` is the token's id, and the rows are in its order, as long as none was moved. */
const isInTokenOrder = ({ table: { ids, cache } }: Lowering, by: NodeValue): boolean =>
  ids === undefined && by.id === cache.get("token")?.id;

/** The order of the sampler before is now one that an earlier sampler has made. */
export function enterStage({ table }: Lowering): void {
  if (table.order) table.order = { ...table.order, isOwn: false };
  renewOrder(table);
}

const gather = (cx: Lowering, rows: NodeId) => (id: NodeId) => emit(cx.builder, "get_rows", [id, rows]);

/** Sorts the rows by `by` or by the logits; dropped rows go last. */
export function sortRows(cx: Lowering, by: NodeValue | undefined, order: "asc" | "desc"): void {
  const t = cx.table;
  const isByLogit = by === undefined && order === "desc";
  if (isByLogit && isInLogitOrder(cx) && cx.uses(orderFacts)) return ownOrder(t, "byLogit");
  if (order === "asc" && by && isInTokenOrder(cx, by) && cx.uses(orderFacts)) return ownOrder(t, "byKey");
  if (isByLogit) settleRaw(cx);
  const column = by ?? logitOf(cx);
  const key = isByLogit ? logitKey(cx) : keyOf(cx, order === "asc" ? (scale(cx, column, -1, 0) as NodeValue) : column);
  const rows = emit(cx.builder, "argsort", [key.id], { order: "desc" });
  t.ids = t.ids === undefined ? rows : gather(cx, rows)(t.ids);
  rearrange(cx, t.dim, isByLogit ? "byLogit" : "byKey", gather(cx, rows));
  if (isByLogit) markFalling(cx);
}

/** Clamps logits before a sort, so that the order is that of the clamped numbers used afterwards. */
function settleRaw(cx: Lowering): void {
  const t = cx.table;
  if (t.assigned || t.raw.isFinite) return;
  t.raw = { ...t.raw, id: logitOf(cx).id, isFinite: true };
}

/** Keeps the `k` best rows by `by` or by the logits, best first. */
export function topRows(cx: Lowering, k: number, by: NodeValue | undefined): void {
  const t = cx.table;
  const count = t.dim === "V" ? k : Math.min(k, t.dim);
  if (!by && isInLogitOrder(cx) && cx.uses(orderFacts)) {
    if (takesAll(cx, count)) return ownOrder(t, "byLogit");
    const view = (id: NodeId): NodeId => emit(cx.builder, "view", [id], { offset: 0, count });
    if (t.ids !== undefined) t.ids = view(t.ids);
    rearrange(cx, count, "byLogit", view);
  } else if (count === t.dim) {
    return sortRows(cx, by, "desc");
  } else {
    const key = by ? keyOf(cx, by) : logitKey(cx);
    const isRaw = key.id === t.raw.id;
    const { rows, values } = bestRows(cx, key, count, isRaw);
    t.ids = t.ids === undefined ? rows : gather(cx, rows)(t.ids);
    rearrange(cx, count, by ? "byKey" : "byLogit", (id) => (id === key.id ? values : gather(cx, rows)(id)));
    if (isRaw) t.raw = { ...t.raw, isFinite: true };
  }
  if (!by) markFalling(cx);
}

/**
 * Indices of the `count` best rows by `key`, best first, and their keys, clamped if the key is raw logits: selects first,
 * then sorts only the selected rows.
 */
function bestRows(cx: Lowering, key: NodeValue, count: number, isRaw: boolean): { rows: NodeId; values: NodeId } {
  const settle = (id: NodeId): NodeId => (isRaw && !cx.table.raw.isFinite ? clampLogits(cx, id) : id);
  const best = emit(cx.builder, "top_k", [key.id], { k: count });
  const unordered = settle(emit(cx.builder, "get_rows", [key.id, best]));
  const order = emit(cx.builder, "argsort", [unordered], { order: "desc" });
  return { rows: gather(cx, order)(best), values: gather(cx, order)(unordered) };
}
