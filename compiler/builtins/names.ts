/** Builtin names: columns of the table, and scalars. */
import * as I from "../graph/interval.js";
import { logitOf, probOf, rankOf, tokenOf, weightsOf } from "../table/columns.js";
import { featureColumn, pickedRawLogit, pickedRawProb, rawLogitOf, rawProbOf } from "../rows/features.js";
import { pickedId, pickedProb } from "../rows/pick.js";
import { countRows } from "../rows/reduce.js";
import { uniformValue } from "../table/value.js";
import type { BuiltinName } from "./builtin.js";

/** The most pairs of `bias`, the same as in common completion APIs. */
const BIAS_CAPACITY = 300;

export const NAMES: Readonly<Record<string, BuiltinName>> = {
  token: {
    doc: "the token's id",
    type: "i32",
    shape: "column",
    rate: "runtime",
    lower: tokenOf,
    lowerLater: pickedId,
  },
  logit: {
    doc: "the token's logit; can be assigned",
    type: "f32",
    shape: "column",
    rate: "runtime",
    isAssignable: true,
    readsRows: true,
    lower: logitOf,
  },
  prob: {
    doc: "softmax of `logit` over the rows left",
    type: "f32",
    shape: "column",
    rate: "runtime",
    isRelative: true,
    readsRows: true,
    lower: (cx) => (cx.isProbRelative ? weightsOf(cx) : probOf(cx)),
    lowerPicked: pickedProb,
  },
  raw_logit: {
    doc: "the token's logit as the model gave it, whatever stages came before",
    type: "f32",
    shape: "column",
    rate: "runtime",
    isUnreserved: true,
    readsRows: true,
    lower: rawLogitOf,
    lowerPicked: pickedRawLogit,
    lowerLater: pickedRawLogit,
  },
  raw_prob: {
    doc: "softmax of `raw_logit` over the whole vocabulary",
    type: "f32",
    shape: "column",
    rate: "runtime",
    isUnreserved: true,
    readsRows: true,
    lower: rawProbOf,
    lowerPicked: pickedRawProb,
    lowerLater: pickedRawProb,
  },
  rank: {
    doc: "index of the row in the present order of the rows left, from 0",
    type: "i32",
    shape: "column",
    rate: "runtime",
    needs: "order",
    readsRows: true,
    lower: rankOf,
  },
  bias: {
    doc: "the request's logit bias for the token",
    type: "f32",
    shape: "column",
    rate: "runtime",
    lower: (cx) => {
      const form = { kind: "sparse", capacity: BIAS_CAPACITY, fill: 0 } as const;
      return featureColumn(cx, { form, from: { kind: "bias" } }, I.FINITE);
    },
  },
  n: { doc: "number of rows left", type: "i32", shape: "scalar", rate: "runtime", readsRows: true, lower: countRows },
  vocab: {
    doc: "size of the vocabulary",
    type: "i32",
    shape: "scalar",
    rate: "uniform",
    lower: () => uniformValue("vocab", I.interval(1, 2 ** 24)),
  },
  step: {
    doc: "number of tokens generated so far",
    type: "i32",
    shape: "scalar",
    rate: "uniform",
    lower: () => uniformValue("step", I.interval(0, 2 ** 31)),
  },
  prompt_length: {
    doc: "number of tokens of the prompt",
    type: "i32",
    shape: "scalar",
    rate: "uniform",
    isUnreserved: true,
    lower: () => uniformValue("prompt_length", I.interval(0, 2 ** 24)),
  },
};
