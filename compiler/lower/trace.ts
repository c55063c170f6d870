/** Traces: what each stage makes of the rows and of the token that is picked, as measures. */
import { traceOnHost, traceWithoutPick } from "../diagnostics/traces.js";
import { emit } from "../graph/build.js";
import type { Measure, NodeId } from "../graph/graph.js";
import type { Interval } from "../graph/interval.js";
import { traceName, type TraceColumn } from "../graph/trace.js";
import { LIMITS } from "../limits/format.js";
import { LimitExceeded } from "../limits/meter.js";
import { pickedId } from "../rows/pick.js";
import { countRows, sum } from "../rows/reduce.js";
import { usesFalling } from "../rules/order-facts.js";
import type { Span } from "../source/source.js";
import { add, log, mapped, mul, neg, scalarNode, sub } from "../table/arith.js";
import { aliveOf, largestKey, logitOf, probOf, scalar, tokenOf } from "../table/columns.js";
import { and, equal, greater, smaller } from "../table/conditions.js";
import { cloneTable, type Table } from "../table/table.js";
import { constant, type NodeValue, type Value } from "../table/value.js";
import type { ChainLowering } from "./chainLowering.js";

/** Remembers the rows, if the chain is traced. The copy takes what the trace computes, so that the chain is lowered as without it. */
export function traceRows(cx: ChainLowering, stage: number | undefined): void {
  cx.traced?.push({ stage, table: cloneTable(cx.table) });
}

/** A stage of which no trace can tell. */
export function refuseHost(cx: ChainLowering, span: Span, name: string): void {
  if (cx.traced) cx.diagnostics.push(traceOnHost(span, name));
}

/** The measures of a chain that is lowered as a whole. */
export function lowerTrace(cx: ChainLowering, name: Span, chain: string): void {
  const { traced, table, picked } = cx;
  if (!traced || cx.tail.length > 0) return;
  if (!picked) return void cx.diagnostics.push(traceWithoutPick(name, chain));
  // those of the model last: ops over few rows stay beside each other
  const measures = traced.toReversed().map(({ stage, table: rows }): Measure[] => {
    cx.table = rows;
    cx.builder.origin = stage === undefined ? undefined : { stage, ...cx.stages[stage]!.origin };
    return Object.entries(columnsOf(cx, rows, table)).map(([column, value]) => ({
      name: traceName(stage, column as TraceColumn),
      node: scalarNode(cx, value),
    }));
  });
  cx.table = table;
  // a limit of the program is about its own; those here follow from its stages
  for (const stage of measures.toReversed()) for (const measure of stage) cx.measures.push(measure);
  const found = cx.measures.length;
  if (found > LIMITS.measures) throw new LimitExceeded("measures", LIMITS.measures, found);
}

/** @param last the rows that the token was picked from */
function columnsOf(cx: ChainLowering, rows: Table, last: Table): Record<TraceColumn, Value> {
  const [logit, prob] = [logitOf(cx), probOf(cx)];
  const isSorted = rows.isPacked && usesFalling(cx, logit.facts);
  const at = (of: NodeValue, row: NodeId): NodeValue => scalar(cx, emit(cx.builder, "get_rows", [of.id, row]));
  const first = (of: NodeValue): NodeValue => scalar(cx, emit(cx.builder, "view", [of.id], { offset: 0, count: 1 }));
  const best = isSorted ? undefined : emit(cx.builder, "argmax", [largestKey(cx).id]);
  const most = best === undefined ? first(logit) : at(logit, best);
  const likeliest = { ...(best === undefined ? first(prob) : at(prob, best)), range: LIKELIEST };
  const own = rows.ids === last.ids && rows.dim === last.dim ? at(logit, cx.picked!.row) : logitOfToken(cx, logit);
  // a mask may drop larger logits; where rows are sorted, these are the last ones
  const hidesLarger = rows.mask !== undefined;
  // -sum(p log p) without a logarithm for each row: log p is log(likeliest) + (logit - most)
  const above = sumOfLeft(cx, mul(cx, prob, hidesLarger ? sub(cx, logit, most) : atMost(sub(cx, logit, most), 0)));
  const entropy = neg(cx, atMost(smaller(cx, add(cx, above, log(cx, likeliest)), constant(0)), 0));
  const likelier = hidesLarger ? and(cx, aliveOf(cx), greater(cx, logit, own)) : greater(cx, logit, own);
  return {
    rows: countRows(cx),
    entropy,
    rank: add(cx, sumOfLeft(cx, likelier), constant(1)),
    probability: mul(cx, likeliest, mapped(cx, "exp", atMost(sub(cx, own, most), 0))),
  };
}

/** The probability of the likeliest of at most 2^24 rows. */
const LIKELIEST: Interval = { lo: 2 ** -25, hi: 1 };

const atMost = (x: Value, hi: number): Value => ({ ...x, range: { lo: x.range.lo, hi } });

/** The sum of a column that is 0 in dropped rows. */
const sumOfLeft = (cx: ChainLowering, column: Value): NodeValue => {
  const { facts, ...rest } = column as NodeValue;
  return sum(cx, { ...rest, facts: { ...facts, isZeroDropped: true } });
};

/** The logit of the picked token where the rows are in another order than when it was picked. */
function logitOfToken(cx: ChainLowering, logit: NodeValue): NodeValue {
  if (cx.table.ids === undefined) return scalar(cx, emit(cx.builder, "get_rows", [logit.id, cx.picked!.token]));
  return sumOfLeft(cx, mul(cx, logit, equal(cx, tokenOf(cx), pickedId(cx))));
}
