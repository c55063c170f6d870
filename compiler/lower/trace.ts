/** Traces: what each stage makes of the rows and of the token that is picked, as measures. */
import { traceOnHost, traceWithoutPick } from "../diagnostics/traces.js";
import { emit } from "../graph/build.js";
import { traceName, type TraceColumn } from "../graph/trace.js";
import { pickedId, pickedValue } from "../rows/pick.js";
import { countRows, entropy, sum } from "../rows/reduce.js";
import type { Span } from "../source/source.js";
import { add, mul, scalarNode } from "../table/arith.js";
import { probOf, scalar, tokenOf } from "../table/columns.js";
import { equal, greater } from "../table/conditions.js";
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
  for (const { stage, table: rows } of traced) {
    cx.table = rows;
    for (const [column, value] of Object.entries(columnsOf(cx, rows, table)) as [TraceColumn, Value][]) {
      cx.meter.check("measures", cx.measures.length + 1);
      cx.measures.push({ name: traceName(stage, column), node: scalarNode(cx, value) });
    }
  }
  cx.table = table;
}

/** @param last the rows that the token was picked from */
function columnsOf(cx: ChainLowering, rows: Table, last: Table): Record<TraceColumn, Value> {
  const prob = probOf(cx);
  const probability = rows.ids === last.ids && rows.dim === last.dim ? pickedValue(cx, prob) : ofToken(cx, prob);
  const isLikelier = greater(cx, prob, probability) as NodeValue;
  // no row that was dropped is likelier
  const likelier = sum(cx, { ...isLikelier, facts: { ...isLikelier.facts, isZeroDropped: true } });
  return { rows: countRows(cx), entropy: entropy(cx), rank: add(cx, likelier, constant(1)), probability };
}

/** The probability of the picked token where the rows are in another order than when it was picked. */
function ofToken(cx: ChainLowering, prob: NodeValue): Value {
  if (cx.table.ids === undefined) return scalar(cx, emit(cx.builder, "get_rows", [prob.id, cx.picked!.token]));
  const own = mul(cx, prob, equal(cx, tokenOf(cx), pickedId(cx))) as NodeValue;
  return sum(cx, { ...own, facts: { isZeroDropped: true } });
}
