/** Functions over the rows left. */
import * as R from "../rows/reduce.js";
import * as W from "../table/windows.js";
import { define, reduction, scan, summary, windowed, type Builtin } from "./builtin.js";

/** One value for the table. */
export const REDUCTIONS: Readonly<Record<string, Builtin>> = {
  sum: windowed("number", "sum over the rows left", [R.sum, W.sumOver], { isHomogeneous: true }),
  mean: windowed("number", "mean over the rows left", [R.mean, W.meanOver]),
  std: reduction("population standard deviation over the rows left", R.standardDeviation),
  var: reduction("population variance over the rows left", R.variance),
  count: windowed("condition", "number of rows left where the condition holds", [R.count, W.sumOver], {
    result: "i32",
  }),
  any: summary("whether the condition holds in any row left", R.any, { result: "bool" }),
  all: summary("whether the condition holds in every row left", R.all, { result: "bool" }),
  entropy: define({
    doc: "entropy of `prob` in nats",
    args: {},
    gives: "scalar",
    result: "f32",
    readsProb: true,
    help: "`entropy()` is the entropy of `prob`",
    lower: (cx) => R.entropy(cx),
  }),
};

/** A value for each row. */
export const SCANS: Readonly<Record<string, Builtin>> = {
  cumsum: scan("prefix sum over the rows left, this row included", R.cumsum, { isOrdered: true }),
  prev: define({
    doc: "the value in the previous row; `edge` in the first row",
    args: { x: "number", edge: "number" },
    gives: "column",
    result: "f32",
    needs: "order",
    lower: (cx, { x, edge }) => R.rowBeside(cx, x, edge, 1),
  }),
  next: define({
    doc: "the value in the next row; `edge` in the last row",
    args: { x: "number", edge: "number" },
    gives: "column",
    result: "f32",
    needs: "order",
    lower: (cx, { x, edge }) => R.rowBeside(cx, x, edge, -1),
  }),
  softmax: scan("softmax over the rows left", R.softmax),
  log_softmax: scan("logarithm of the softmax over the rows left", R.logSoftmax),
};
