/**
 * The candidate table as tensors. A dropped row stays where it is, marked 0 in a mask, until `top` leaves it behind;
 * logits stay finite, and -inf appears in outputs only.
 */
import type { Dim, NodeId } from "../../graph/graph.js";
import { outlastingFacts, type NodeValue, type Value } from "./value.js";

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

/** What a `let` holds, without the facts that dropped rows may have ended. */
export function lookUpLet(t: Table, name: string): Value | undefined {
  const found = t.lets.get(name);
  if (!found || found.value.kind === "uniform" || found.version === t.version) return found?.value;
  return { ...found.value, facts: outlastingFacts(found.value.facts) };
}
