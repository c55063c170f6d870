/**
 * The candidate table as tensors. A dropped row stays where it is, marked 0 in a mask, until `top` leaves it behind;
 * logits stay finite, and -inf appears in outputs only.
 */
import { emit } from "../graph/build.js";
import type { Dim, NodeId } from "../graph/graph.js";
import * as I from "../graph/interval.js";
import { clamp, node, scale } from "./arith.js";
import { tellsDropped } from "../optimize/implied-mask.js";
import { takesAll } from "../optimize/no-op-filters.js";
import { orderFacts, trendOf } from "../optimize/order-facts.js";
import { and } from "./conditions.js";
import { PENALTY } from "./masks.js";
import type { Context } from "./context.js";
import { NO_FACTS, outlastingFacts, type Facts, type NodeValue, type Value } from "./value.js";

/** Logits are clamped to plus and minus this: far beyond what decides a probability, and safe to do arithmetic on. */
export const LOGIT_MAX = 1e30;
/** A logit at or below minus this counts as -inf on the way in. */
const LOGIT_ALIVE = 0.9e30;
/** Assigned logits are clamped to plus and minus this. */
const LOGIT_LIMIT = 1e31;

export interface Let {
  readonly value: Value;
  readonly version: number;
}

export interface Table {
  dim: Dim;
  /** Token ids of the rows, i32; absent while row = token id. */
  ids: NodeId | undefined;
  /** The logits as they came, f32, perhaps -inf. */
  raw: NodeId;
  /** `raw` is clamped already: it is the logits, and rows that came as -inf lie below `-LOGIT_ALIVE`. */
  isRawFinite: boolean;
  /** `raw` never rises from row to row. */
  isRawFalling: boolean;
  /** The present logits, finite; absent while they are `raw`, clamped. */
  assigned: NodeValue | undefined;
  /** 1 for the rows left, 0 for dropped ones; absent while only rows that came as -inf are dropped. */
  mask: NodeValue | undefined;
  /** The mask marks the rows that came as -inf, too. */
  isMaskFull: boolean;
  /** Rows are in an order that the program asked for. */
  isOrdered: boolean;
  /** That order is by the logits and an earlier sampler's: it says what is best only until the logits change. */
  isOrderInherited: boolean;
  /** Rows that were dropped come after all others. */
  isPacked: boolean;
  /** A softmax of the present logits from before rows were dropped, the best of which is still there. */
  weights: NodeValue | undefined;
  /** Counts the changes to the set of rows. */
  version: number;
  /** Values derived from the table as it is now. */
  cache: Map<string, NodeValue>;
  lets: Map<string, Let>;
}

export const newTable = (raw: NodeId): Table => ({
  dim: "V",
  ids: undefined,
  raw,
  isRawFinite: false,
  isRawFalling: false,
  assigned: undefined,
  mask: undefined,
  isMaskFull: false,
  isOrdered: false,
  isOrderInherited: false,
  isPacked: false,
  weights: undefined,
  version: 0,
  cache: new Map(),
  lets: new Map(),
});

/** A copy to lower one branch of an `if` on. */
export const cloneTable = (t: Table): Table => ({ ...t, cache: new Map(t.cache), lets: new Map(t.lets) });

export const column = (cx: Context, id: NodeId, facts: Facts = NO_FACTS): NodeValue => ({
  kind: "node",
  id,
  isColumn: true,
  range: cx.builder.ranges[id]!,
  facts,
});

export const scalar = (cx: Context, id: NodeId, facts: Facts = NO_FACTS): NodeValue => ({
  ...column(cx, id, facts),
  isColumn: false,
});

/** What `make` gives, made once for the table as it is. */
export function cached(cx: Context, name: string, make: () => NodeValue): NodeValue {
  const { cache } = cx.table;
  const present = cache.get(name);
  if (present) return present;
  const made = make();
  cache.set(name, made);
  return made;
}

// ---------------------------------------------------------------- columns

/** The present logits, finite. */
export function logitOf(cx: Context): NodeValue {
  const t = cx.table;
  return (
    t.assigned ??
    cached(cx, "logit", () => {
      const id = t.isRawFinite ? t.raw : clampLogits(cx, t.raw);
      return column(cx, id, {
        trend: t.isRawFalling ? trendOf(cx, "falls") : undefined,
        gap: LOGIT_MAX - LOGIT_ALIVE,
        stretch: 1,
      });
    })
  );
}

const clampLogits = (cx: Context, id: NodeId): NodeId =>
  emit(cx.builder, "clamp", [id], { lo: -LOGIT_MAX, hi: LOGIT_MAX }, { name: "logit" });

/** Softmax of the logits over the rows left; 0 in dropped rows. */
export function probOf(cx: Context): NodeValue {
  return cached(cx, "prob", () => {
    const logit = logitOf(cx);
    const { mask, isPacked } = cx.table;
    const operands = mask ? [logit, penaltyOf(cx)] : [logit];
    const trend = isPacked ? logit.facts.trend : undefined;
    const facts: Facts = { trend: trend === "falls" ? trend : undefined, isZeroDropped: true };
    return (cx.table.weights = node(cx, "soft_max", operands, {}, facts));
  });
}

/** Row numbers, 0 for the first row left. Dropped rows hold numbers too, to be ignored. */
export function rankOf(cx: Context): NodeValue {
  return cached(cx, "rank", () => {
    if (cx.table.isPacked) return rowNumbers(cx);
    const full = aliveOf(cx);
    const count = node(cx, "cumsum", [full], {}, { trend: trendOf(cx, "rises") });
    return scale(cx, count, 1, -1) as NodeValue;
  });
}

export function rowNumbers(cx: Context): NodeValue {
  return cached(cx, "rows", () => {
    const { dim } = cx.table;
    const range = I.interval(0, dim === "V" ? 2 ** 24 : dim - 1);
    const id = emit(cx.builder, "arange", [], { dim }, { range });
    // elsewhere the first row may be a dropped one
    const trend = trendOf(cx, "rises");
    return column(cx, id, cx.table.isPacked ? { trend, first: I.point(0) } : { trend });
  });
}

/** Token ids as numbers. */
export function tokenOf(cx: Context): NodeValue {
  return cached(cx, "token", () => {
    const { ids } = cx.table;
    if (ids === undefined) return rowNumbers(cx);
    return column(cx, emit(cx.builder, "cast", [ids], { to: "f32" }, { range: I.interval(0, 2 ** 24) }));
  });
}

/** 1 for every row left, 0 for every dropped one, those that came as -inf included. */
export function aliveOf(cx: Context): NodeValue {
  const t = cx.table;
  if (t.mask && t.isMaskFull) return { ...t.mask, facts: { ...t.mask.facts, isZeroDropped: true } };
  return cached(cx, "alive", () => {
    const trend = t.isPacked ? trendOf(cx, "falls") : undefined;
    const shifted = emit(cx.builder, "scale", [t.raw], { s: 1, b: LOGIT_ALIVE });
    const entry = column(cx, emit(cx.builder, "step", [shifted], {}, { range: I.UNIT }), {
      isZeroDropped: true,
      trend,
    });
    if (!t.mask) return entry;
    return { ...(and(cx, t.mask, entry) as NodeValue), facts: { isZeroDropped: true, trend } };
  });
}

/** What is added to a column so that dropped rows are lowest: 0 for rows left. */
function penaltyOf(cx: Context): NodeValue {
  return cached(cx, "penalty", () => scale(cx, cx.table.mask ?? aliveOf(cx), PENALTY, -PENALTY) as NodeValue);
}

/** A column to order by, descending: dropped rows lie below all others. */
export function keyOf(cx: Context, by: NodeValue): NodeValue {
  const bounded = clamp(cx, by, -LOGIT_LIMIT, LOGIT_LIMIT) as NodeValue;
  return node(cx, "add", [bounded, scale(cx, aliveOf(cx), PENALTY, -PENALTY) as NodeValue]);
}

/** The same for the logits, which mark rows that came as -inf by themselves. */
export function logitKey(cx: Context): NodeValue {
  const t = cx.table;
  if (t.mask) return cached(cx, "key", () => node(cx, "add", [logitOf(cx), penaltyOf(cx)]));
  return t.assigned ?? column(cx, t.raw);
}

/**
 * The same to take the largest of: clamped, because the largest of numbers that are all -inf is at -1 on some devices. A pick
 * of the largest alone is not worth a clamp: such a device has its own.
 */
export const largestKey = (cx: Context): NodeValue => (cx.table.mask ? logitKey(cx) : logitOf(cx));

// ---------------------------------------------------------------- changes

/** Drops what was derived from the rows as they were. */
function changeRows(t: Table): void {
  t.version++;
  t.cache = new Map();
}

/** `logit = value` */
export function assignLogit(cx: Context, value: NodeValue): void {
  const t = cx.table;
  if (value.id === logitOf(cx).id) return;
  const logit = clamp(cx, value, -LOGIT_LIMIT, LOGIT_LIMIT) as NodeValue;
  const { gap, stretch } = value.facts;
  if (!tellsDropped(cx, value.facts)) {
    t.mask = aliveOf(cx);
    t.isMaskFull = true;
  }
  t.weights = undefined;
  t.assigned = { ...logit, facts: { trend: value.facts.trend, gap, stretch } };
  if (t.isOrderInherited) t.isOrdered = value.facts.trend === "falls";
  changeRows(t);
}

/** Leaves only the rows where `mask` is 1. */
export function narrow(cx: Context, condition: NodeValue, isFull: boolean): void {
  const t = cx.table;
  const trend = condition.facts.trend === "falls" && t.isPacked ? "falls" : undefined;
  if (!keepsBest(cx, condition)) t.weights = undefined;
  const mask = t.mask && !isFull ? (and(cx, t.mask, condition) as NodeValue) : condition;
  t.mask = { ...mask, facts: { trend } };
  t.isMaskFull ||= isFull;
  t.isPacked &&= trend === "falls";
  changeRows(t);
}

/** Whether the row of the largest logit meets a condition for certain. */
function keepsBest(cx: Context, { facts }: NodeValue): boolean {
  if (facts.trend === "falls" && isInLogitOrder(cx)) return true;
  const { cache } = cx.table;
  const risingWithLogit = [logitOf(cx), cache.get("prob"), cache.get("weights")];
  return facts.holdsForMaxOf !== undefined && risingWithLogit.some((v) => v?.id === facts.holdsForMaxOf);
}

/** Puts blended logits and a blended mask in place of the present ones. */
export function replaceTable(
  cx: Context,
  logit: NodeValue,
  mask: NodeValue | undefined,
  { isMaskFull, isPacked }: Pick<Table, "isMaskFull" | "isPacked">,
): void {
  const t = cx.table;
  t.mask = mask;
  t.isMaskFull = isMaskFull;
  t.isPacked = isPacked;
  // the mask has changed even where the logits have not
  changeRows(t);
  assignLogit(cx, logit);
}

/** Moves every column of the table by `take`; `dim` is the new number of rows. */
function rearrange(cx: Context, dim: Dim, take: (id: NodeId) => NodeId): void {
  const t = cx.table;
  const moved = (v: NodeValue, facts: Facts): NodeValue => ({ ...column(cx, take(v.id)), facts });
  if (t.assigned) t.assigned = moved(t.assigned, { gap: t.assigned.facts.gap, stretch: t.assigned.facts.stretch });
  if (t.mask) t.mask = moved(t.mask, NO_FACTS);
  t.raw = take(t.raw);
  t.isRawFalling = false;
  t.weights = undefined;
  for (const [name, { value }] of t.lets) {
    if (value.kind !== "node" || !value.isColumn) continue;
    const { isZeroDropped = false } = value.facts;
    t.lets.set(name, { value: moved(value, { isZeroDropped }), version: t.version + 1 });
  }
  t.dim = dim;
  t.isOrdered = true;
  t.isOrderInherited = false;
  t.isPacked = true;
  changeRows(t);
}

/** Marks the logits as falling, after they were put in order. */
function markFalling(cx: Context): void {
  const t = cx.table;
  if (t.assigned) t.assigned = { ...t.assigned, facts: { ...t.assigned.facts, trend: trendOf(cx, "falls") } };
  else t.isRawFalling = true;
}

const isInLogitOrder = (cx: Context): boolean => {
  const { assigned, isRawFalling, isPacked } = cx.table;
  return isPacked && (assigned ? assigned.facts.trend === "falls" : isRawFalling);
};

/**
 * An order by something else than the logits, or by logits that have changed since, is that of the sampler that made it: for
 * the next one the best rows are those of the largest logits again.
 */
export function enterStage(cx: Context): void {
  const { assigned, isRawFalling } = cx.table;
  cx.table.isOrdered &&= assigned ? assigned.facts.trend === "falls" : isRawFalling;
  cx.table.isOrderInherited = cx.table.isOrdered;
}

const gather = (cx: Context, rows: NodeId) => (id: NodeId) => emit(cx.builder, "get_rows", [id, rows]);

/** Reorders the rows, by `by` or by the logits; dropped rows go last. */
export function sortRows(cx: Context, by: NodeValue | undefined, order: "asc" | "desc"): void {
  const t = cx.table;
  const isByLogit = by === undefined && order === "desc";
  if (isByLogit && isInLogitOrder(cx) && cx.uses(orderFacts)) return;
  if (isByLogit) settleRaw(cx);
  const column = by ?? logitOf(cx);
  const key = isByLogit ? logitKey(cx) : keyOf(cx, order === "asc" ? (scale(cx, column, -1, 0) as NodeValue) : column);
  const rows = emit(cx.builder, "argsort", [key.id], { order: "desc" });
  t.ids = t.ids === undefined ? rows : gather(cx, rows)(t.ids);
  rearrange(cx, t.dim, gather(cx, rows));
  if (isByLogit) markFalling(cx);
}

/** Clamps logits that are about to be put in order, so that the order is of the very numbers that follow. */
function settleRaw(cx: Context): void {
  const t = cx.table;
  if (t.assigned || t.isRawFinite) return;
  t.raw = logitOf(cx).id;
  t.isRawFinite = true;
}

/** Leaves the `k` best rows by `by` or by the logits, best first. */
export function topRows(cx: Context, k: number, by: NodeValue | undefined): void {
  const t = cx.table;
  const count = t.dim === "V" ? k : Math.min(k, t.dim);
  if (!by && isInLogitOrder(cx) && cx.uses(orderFacts)) {
    if (takesAll(cx, count)) return;
    const view = (id: NodeId): NodeId => emit(cx.builder, "view", [id], { offset: 0, count });
    if (t.ids !== undefined) t.ids = view(t.ids);
    rearrange(cx, count, view);
  } else if (count === t.dim) {
    return sortRows(cx, by, "desc");
  } else {
    const key = by ? keyOf(cx, by) : logitKey(cx);
    const isRaw = key.id === t.raw;
    const { rows, values } = bestRows(cx, key, count, isRaw);
    t.ids = t.ids === undefined ? rows : gather(cx, rows)(t.ids);
    rearrange(cx, count, (id) => (id === key.id ? values : gather(cx, rows)(id)));
    t.isRawFinite ||= isRaw;
  }
  if (!by) markFalling(cx);
}

/**
 * Positions of the `count` best rows by `key`, best first, and their keys, which are clamped if the key is raw logits: few
 * rows are put in order rather than all.
 */
function bestRows(cx: Context, key: NodeValue, count: number, isRaw: boolean): { rows: NodeId; values: NodeId } {
  const settle = (id: NodeId): NodeId => (isRaw && !cx.table.isRawFinite ? clampLogits(cx, id) : id);
  const best = emit(cx.builder, "top_k", [key.id], { k: count });
  const unordered = settle(emit(cx.builder, "get_rows", [key.id, best]));
  const order = emit(cx.builder, "argsort", [unordered], { order: "desc" });
  return { rows: gather(cx, order)(best), values: gather(cx, order)(unordered) };
}

// ---------------------------------------------------------------- lets

export function lookUpLet(t: Table, name: string): Value | undefined {
  const found = t.lets.get(name);
  if (!found || found.value.kind === "host" || found.version === t.version) return found?.value;
  return { ...found.value, facts: outlastingFacts(found.value.facts) };
}

/** The logits as an output: -inf for dropped rows. */
export function outputLogits(cx: Context): NodeId {
  const alive = aliveOf(cx);
  const logMask = emit(cx.builder, "log", [alive.id]);
  return emit(cx.builder, "add", [logitOf(cx).id, logMask], {}, { name: "logits" });
}
