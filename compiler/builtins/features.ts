/** Columns that the host computes from the text so far. */
import type { FeatureSource, TextSource } from "../graph/graph.js";
import * as I from "../graph/interval.js";
import { MOST_MASKED } from "../graph/phrases.js";
import { featureColumn, windowCapacity } from "../rows/features.js";
import type { Lowering } from "../table/lowering.js";
import type { UniformValue, Value } from "../table/value.js";
import { define, type Builtin } from "./builtin.js";

const COUNTS = I.interval(0, 2 ** 24);

/** The words for parts of the text. */
export const TEXT_SOURCES: Readonly<Record<string, TextSource | undefined>> = {
  all: undefined,
  prompt: "prompt",
  generated: "generated",
};

/** A count for each of the last tokens of a text, 0 for all others. */
function countsOfLast(
  cx: Lowering,
  window: UniformValue,
  source: TextSource | undefined,
  of:
    { readonly kind: "occurrences" } | { readonly kind: "repeat_len"; readonly breakers: readonly (string | number)[] },
): Value {
  const capacity = windowCapacity(window.range, source);
  const from: FeatureSource = { ...of, last: window.expr, ...(source !== undefined && { in: source }) };
  return featureColumn(cx, { form: { kind: "sparse", capacity, fill: 0 }, from }, COUNTS);
}

export const FEATURES: Readonly<Record<string, Builtin>> = {
  occurrences: define({
    doc: "how often the token occurs among the last `last` tokens of the text, or of `in: prompt` or `in: generated`",
    args: { last: "window" },
    named: { in: "source" },
    gives: "column",
    result: "i32",
    readsText: true,
    lower: (cx, { last, in: source }) => countsOfLast(cx, last, source, { kind: "occurrences" }),
  }),
  repeat_len: define({
    doc: "length of the repetition among the last `last` tokens that the token would extend; breakers interrupt repetitions",
    args: { last: "window" },
    optional: { breakers: "texts" },
    named: { in: "source" },
    gives: "column",
    result: "i32",
    readsText: true,
    lower: (cx, { last, breakers = [], in: source }) =>
      countsOfLast(cx, last, source, { kind: "repeat_len", breakers }),
  }),
  completes: define({
    doc: "how many of the sequences the token would complete: texts, token ids or lists of token ids",
    args: { sequences: "sequences" },
    gives: "column",
    result: "i32",
    readsText: true,
    isUnreserved: true,
    lower(cx, { sequences }) {
      const form = { kind: "sparse", capacity: Math.max(1, sequences.length), fill: 0 } as const;
      return featureColumn(cx, { form, from: { kind: "completes", sequences } }, I.interval(0, sequences.length));
    },
  }),
  rejected: define({
    doc: "whether the token begins a phrase of the list that the text was taken back for, to this place; false at all other places",
    args: { list: "phrases" },
    gives: "column",
    result: "bool",
    isUnreserved: true,
    lower: (cx, { list }) => {
      const form = { kind: "sparse", capacity: MOST_MASKED, fill: 0 } as const;
      return featureColumn(cx, { form, from: { kind: "set", set: list } }, I.UNIT);
    },
  }),
  allowed: define({
    doc: "whether the grammar accepts the token next",
    args: { grammar: "grammar" },
    gives: "column",
    result: "bool",
    lower: (cx, { grammar }) =>
      featureColumn(cx, { form: { kind: "bits" }, from: { kind: "allowed", grammar } }, I.UNIT),
  }),
};
