/**
 * The candidate table as tensors. A dropped row stays in place, with 0 in a mask, until `top` removes it; logits stay
 * finite, and -inf appears only in outputs.
 */
import type { Dim, NodeId } from "../graph/graph.js";
import { outlastingFacts, type NodeValue, type Value } from "./value.js";

export interface Let {
  readonly value: Value;
  readonly version: number;
}

export interface Table {
  dim: Dim;
  /** Token ids of the rows, i32; absent while row = token id. */
  ids: NodeId | undefined;
  /** The input logits, f32, may be -inf; or those of when rows were last dropped by their logits. */
  raw: NodeId;
  /** Rows of which `raw` is at most this are dropped. */
  rawLevel: number;
  /** `raw` is already clamped: it is the logits, unless others are assigned. */
  isRawFinite: boolean;
  /** `raw` is descending. */
  isRawFalling: boolean;
  /** The present logits, finite; absent while they are `raw`, clamped. */
  assigned: NodeValue | undefined;
  /** 1 for the rows left, 0 for dropped ones; absent while rows are dropped by their logits only, first those that came as -inf. */
  mask: NodeValue | undefined;
  /** The mask also covers the rows dropped by their logits. */
  isMaskFull: boolean;
  /** What the program has sorted the rows by. */
  order: Order | undefined;
  /** The present sampler has sorted the rows. */
  isOrderOwn: boolean;
  /** Dropped rows come after all others. */
  isPacked: boolean;
  /** A softmax of the present logits from before rows were dropped; its best row is still left. */
  weights: NodeValue | undefined;
  /** Counts the statements that dropped rows by their logits. */
  drops: number;
  /** Counts the changes to the set of rows. */
  version: number;
  /** Values derived from the present table. */
  cache: Map<string, NodeValue>;
  /** The `let`s so far, by what declares them. */
  lets: Map<object, Let>;
}

/**
 * The order of rows that the program has sorted: by the logits, or by another key. It is `stale` where an earlier sampler has sorted
 * them by logits that have changed since, and may now be in another order.
 */
export type Order = "byLogit" | "byKey" | "stale";

/** An input logit at or below minus this counts as -inf. */
export const LOGIT_ALIVE = 0.9e30;

export const newTable = (raw: NodeId): Table => ({
  dim: "V",
  ids: undefined,
  raw,
  rawLevel: -LOGIT_ALIVE,
  isRawFinite: false,
  isRawFalling: false,
  assigned: undefined,
  mask: undefined,
  isMaskFull: false,
  order: undefined,
  isOrderOwn: false,
  isPacked: false,
  weights: undefined,
  drops: 0,
  version: 0,
  cache: new Map(),
  lets: new Map(),
});

/** A copy for lowering one branch of an `if`. */
export const cloneTable = (t: Table): Table => ({ ...t, cache: new Map(t.cache), lets: new Map(t.lets) });

/** The value of a `let`, without the facts that dropped rows may have invalidated. */
export function lookUpLet(t: Table, declared: object): Value | undefined {
  const found = t.lets.get(declared);
  if (!found || found.value.kind === "uniform" || found.version === t.version) return found?.value;
  return { ...found.value, facts: outlastingFacts(found.value.facts) };
}
