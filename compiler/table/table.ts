/**
 * The candidate table as tensors. A dropped row stays in place, with 0 in a mask, until `top` removes it; logits stay
 * finite, and -inf appears only in outputs.
 */
import type { Dim, NodeId } from "../graph/graph.js";
import { outlastingFacts, type NodeValue, type Value } from "./value.js";

interface Let {
  readonly value: Value;
  readonly version: number;
}

/** The input logits; or those of when rows were last dropped by their logits. */
interface RawLogits {
  /** f32, may be -inf. */
  readonly id: NodeId;
  /** Rows of which they are at most this are dropped. */
  readonly level: number;
  /** They are already clamped: they are the logits, unless others are assigned. */
  readonly isFinite: boolean;
  /** They are descending. */
  readonly isFalling: boolean;
}

/** 1 for the rows left, 0 for dropped ones. */
export interface Mask {
  readonly value: NodeValue;
  /** It also covers the rows dropped by their logits. */
  readonly isFull: boolean;
}

/** What the rows are sorted by. */
interface Sorted {
  readonly by: Order;
  /** The present sampler has sorted them. */
  readonly isOwn: boolean;
}

export interface Table {
  dim: Dim;
  /** Token ids of the rows, i32; absent while row = token id. */
  ids: NodeId | undefined;
  raw: RawLogits;
  /** The present logits, finite; absent while they are `raw`, clamped. */
  assigned: NodeValue | undefined;
  /** Absent while rows are dropped by their logits only, first those that came as -inf. */
  mask: Mask | undefined;
  /** Absent while the program has not sorted the rows. */
  order: Sorted | undefined;
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
  raw: { id: raw, level: -LOGIT_ALIVE, isFinite: false, isFalling: false },
  assigned: undefined,
  mask: undefined,
  order: undefined,
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
