/** Built-in columns, constants and functions of the language. */

/** What an argument must be. Seeds, a text and a list of texts are not values of rows. */
export type ArgType = "number" | "condition" | "seed" | "text" | "texts";

export interface Builtin {
  readonly doc: string;
  readonly args: readonly ArgType[];
  /** Arguments that may be left out, from the end. */
  readonly optional?: number;
  readonly result: "f32" | "i32" | "bool";
  /**
   * `map`: a value for each value. `reduce`: one value for the table. `scan`: a column, across rows. `host`: a scalar of its
   * own. `feature`: a column that the host feeds. `picked`: the value of the row that was picked.
   */
  readonly kind: "map" | "reduce" | "scan" | "host" | "feature" | "picked";
}

const map = (doc: string, args = 1, result: Builtin["result"] = "f32"): Builtin => ({
  doc,
  args: Array<ArgType>(args).fill("number"),
  result,
  kind: "map",
});
const reduce = (doc: string, args: ArgType[] = ["number"], result: Builtin["result"] = "f32"): Builtin => ({
  doc,
  args,
  result,
  kind: "reduce",
});
const scan = (doc: string, args: ArgType[] = ["number"]): Builtin => ({ doc, args, result: "f32", kind: "scan" });

const draw = (doc: string): Builtin => ({ doc, args: ["seed", "number"], optional: 1, result: "f32", kind: "host" });

export const FUNCTIONS: Readonly<Record<string, Builtin>> = {
  exp: map("e to the power x"),
  log: map("natural logarithm; of 0 the lowest finite number"),
  log2: map("logarithm to base 2; of 0 the lowest finite number"),
  sqrt: map("square root; of a negative number 0"),
  abs: map("distance from 0"),
  clamp: map("x, but at least lo and at most hi", 3),
  floor: map("largest integer not above x"),
  ceil: map("smallest integer not below x"),
  round: map("nearest integer, halves away from 0"),
  sign: map("-1, 0 or 1"),
  sigmoid: map("1 / (1 + exp(-x))"),
  tanh: map("hyperbolic tangent"),
  min: { ...map("the smaller of two; of one column, the smallest among the rows left", 2), optional: 1 },
  max: { ...map("the larger of two; of one column, the largest among the rows left", 2), optional: 1 },
  sum: reduce("sum over the rows left"),
  mean: reduce("mean over the rows left"),
  std: reduce("standard deviation over the rows left, of the population"),
  var: reduce("variance over the rows left, of the population"),
  count: reduce("number of rows left where the condition holds", ["condition"], "i32"),
  any: reduce("whether the condition holds in any row left", ["condition"], "bool"),
  all: reduce("whether the condition holds in every row left", ["condition"], "bool"),
  entropy: reduce("entropy of `prob` in nats", []),
  cumsum: scan("running sum over the rows left, this row included"),
  prev: scan("the row before, `edge` for the first", ["number", "number"]),
  next: scan("the row after, `edge` for the last", ["number", "number"]),
  softmax: scan("softmax over the rows left"),
  log_softmax: scan("logarithm of the softmax over the rows left"),
  uniform: draw("a random number in (0, 1) of 53 bits: the next one for each token, or number `at` of the stream"),
  uniform32: draw("a random number in (0, 1) of 24 bits: the next one for each token, or number `at` of the stream"),
  picked: {
    doc: "the value of the row that was picked; inside `after pick`",
    args: ["number"],
    result: "f32",
    kind: "picked",
  },
  occurrences: {
    doc: "how often the token occurs among the last ones",
    args: ["number"],
    result: "i32",
    kind: "feature",
  },
  repeat_len: {
    doc: "length of the repetition among the last tokens that the token would extend; a breaker ends one",
    args: ["number", "texts"],
    optional: 1,
    result: "i32",
    kind: "feature",
  },
  allowed: {
    doc: "whether a grammar accepts the token next",
    args: ["text"],
    result: "bool",
    kind: "feature",
  },
  known: {
    doc: "whether the compiler can tell that the condition holds",
    args: ["condition"],
    result: "bool",
    kind: "host",
  },
};

export interface BuiltinName {
  readonly doc: string;
  readonly type: "f32" | "i32";
  readonly shape: "scalar" | "column";
  readonly rate: "static" | "uniform" | "runtime";
}

export const NAMES: Readonly<Record<string, BuiltinName>> = {
  token: { doc: "the token's id", type: "i32", shape: "column", rate: "runtime" },
  logit: { doc: "the token's logit, which may be assigned", type: "f32", shape: "column", rate: "runtime" },
  prob: { doc: "softmax of `logit` over the rows left", type: "f32", shape: "column", rate: "runtime" },
  rank: {
    doc: "place in the present order among the rows left, from 0",
    type: "i32",
    shape: "column",
    rate: "runtime",
  },
  bias: {
    doc: "the request's bias of the token's logit",
    type: "f32",
    shape: "column",
    rate: "runtime",
  },
  n: { doc: "number of rows left", type: "i32", shape: "scalar", rate: "runtime" },
  vocab: { doc: "size of the vocabulary", type: "i32", shape: "scalar", rate: "uniform" },
  step: { doc: "number of tokens generated so far", type: "i32", shape: "scalar", rate: "uniform" },
};

/** What a name that the language keeps for itself stands for; undefined for all other names. */
export function builtinKind(name: string): string | undefined {
  if (Object.hasOwn(NAMES, name)) return NAMES[name]!.shape === "column" ? "column" : "value";
  if (Object.hasOwn(FUNCTIONS, name)) return "function";
  return name === "random" ? "seed" : undefined;
}
