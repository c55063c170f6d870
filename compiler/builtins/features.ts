/** Columns that the host computes from the text so far. */
import type { Dim, FeatureSource } from "../graph/graph.js";
import * as I from "../graph/interval.js";
import { featureColumn } from "../lower/rows/features.js";
import type { Lowering } from "../lower/rows/lowering.js";
import type { Value } from "../lower/rows/value.js";
import { define, type Builtin } from "./builtin.js";

const COUNTS = I.interval(0, 2 ** 24);

/** A count for each of the last tokens, 0 for all others. */
function countsOfLast(cx: Lowering, from: FeatureSource & { readonly last: number }): Value {
  const capacity: Dim = from.last < 0 ? "V" : Math.max(1, from.last);
  return featureColumn(cx, { form: { kind: "sparse", capacity, fill: 0 }, from }, COUNTS);
}

export const FEATURES: Readonly<Record<string, Builtin>> = {
  occurrences: define({
    doc: "how often the token occurs among the last `last` tokens",
    args: { last: "window" },
    gives: "column",
    result: "i32",
    readsText: true,
    lower: (cx, { last }) => countsOfLast(cx, { kind: "occurrences", last }),
  }),
  repeat_len: define({
    doc: "length of the repetition among the last `last` tokens that the token would extend; breakers interrupt repetitions",
    args: { last: "window" },
    optional: { breakers: "texts" },
    gives: "column",
    result: "i32",
    readsText: true,
    lower: (cx, { last, breakers = [] }) => countsOfLast(cx, { kind: "repeat_len", last, breakers }),
  }),
  completes: define({
    doc: "whether the token would complete one of the sequences: texts, token ids or lists of token ids",
    args: { sequences: "sequences" },
    gives: "column",
    result: "bool",
    readsText: true,
    isUnreserved: true,
    lower(cx, { sequences }) {
      const form = { kind: "sparse", capacity: Math.max(1, sequences.length), fill: 0 } as const;
      return featureColumn(cx, { form, from: { kind: "completes", sequences } }, I.UNIT);
    },
  }),
  allowed: define({
    doc: "whether the grammar accepts the token next",
    args: { grammar: "text" },
    gives: "column",
    result: "bool",
    lower: (cx, { grammar }) =>
      featureColumn(cx, { form: { kind: "dense" }, from: { kind: "allowed", grammar } }, I.UNIT),
  }),
};
