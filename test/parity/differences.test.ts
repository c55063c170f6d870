/** The intended differences from llama.cpp, as in docs/semantics.md: both sides of each. */
import { describe, expect, test } from "@jest/globals";
import { compileProgram, compileStages, graphOf } from "../../compiler/driver.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import type { Feed } from "../../runtime/sequence/features/feed.js";
import { loadOracle, type LlamaSampler } from "../native/oracle.js";
import { BACKENDS } from "./backends.js";

const DROPPED = -Infinity;

interface Difference {
  readonly text: string;
  readonly llama: readonly LlamaSampler[];
  readonly logits: readonly number[];
  readonly feed?: Feed;
  /** Tokens of the rows left, in their order. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

const DIFFERENCES: Readonly<Record<string, Difference>> = {
  "a top_p that is 1 for now leaves its rows sorted": {
    text: 'import { top_p } from "std"\nchain c(p: f32 = 1) = top_p(p)',
    llama: [{ name: "top_p", p: 1 }],
    logits: [1, 3, 2],
    ours: [1, 2, 0],
    theirs: [0, 1, 2],
  },
  "xtc that strikes leaves the order alone": {
    text: "xtc(1, 0.1, seed: 1)",
    llama: [{ name: "xtc", p: 1, t: 0.1, seed: 1 }],
    logits: [0, 2, 0.5, 1.5],
    ours: [0, 2],
    theirs: [2, 0],
  },
  "min_p that falls back on min_keep leaves the order alone": {
    text: "min_p(0.9, 3)",
    llama: [{ name: "min_p", p: 0.9, min_keep: 3 }],
    logits: [0, 2, 1, 3],
    ours: [1, 2, 3],
    theirs: [3, 1, 2],
  },
  "a table whose logits were biased does not count as sorted": {
    text: "top_k(3) |> logit_bias() |> top_p(0.5)",
    llama: [
      { name: "top_k", k: 3 },
      { name: "logit_bias", biases: [[1, -5]] },
      { name: "top_p", p: 0.5 },
    ],
    logits: [0, 3, 2, 1],
    feed: { bias: new Map([[1, -5]]) },
    ours: [2],
    theirs: [1, 2],
  },
  "mirostat keeps all rows where its k is beyond an integer": {
    text: "mirostat(30, 0.1, seed: 1)",
    llama: [{ name: "mirostat", tau: 30, eta: 0.1, n_vocab: 4, seed: 1 }],
    logits: [1.1, 1, 0.5, 0.6],
    ours: [0, 1, 3, 2],
    theirs: [0],
  },
  "xtc counts only rows that may be picked": {
    text: "xtc(1, 0.1, 3, seed: 1)",
    llama: [{ name: "xtc", p: 1, t: 0.1, min_keep: 3, seed: 1 }],
    logits: [1, 2, 1.5, DROPPED, DROPPED],
    ours: [0, 1, 2],
    theirs: [0],
  },
};

function rowsHere({ text, logits, feed }: Difference, backend: (typeof BACKENDS)[number]): number[] {
  const compile = text.includes("chain") ? compileProgram : compileStages;
  const graph = graphOf(compile(text, { outputs: ["candidates", "logits", "probs"] }));
  using evaluator = createEvaluator(graph, logits.length, { backend, feed });
  return evaluator.evaluate(logits).candidates.map((c) => c.token);
}

function rowsThere({ llama, logits }: Difference): number[] {
  const chain = new (loadOracle().LlamaChain)(llama);
  const { tokens, logits: left } = chain.apply(Float32Array.from(logits));
  return [...tokens].filter((_, i) => left[i] !== DROPPED);
}

describe.each(Object.keys(DIFFERENCES))("%s", (name) => {
  const difference = DIFFERENCES[name]!;
  test.each(BACKENDS)("on %s", (backend) => expect(rowsHere(difference, backend)).toEqual(difference.ours));
  test("differs in llama.cpp", () => expect(rowsThere(difference)).toEqual(difference.theirs));
});

function logitsHere(
  text: string,
  logits: readonly number[],
  backend: (typeof BACKENDS)[number],
  feed: Feed = {},
): number[] {
  const graph = graphOf(compileStages(text, { outputs: ["candidates", "logits", "probs"] }));
  using evaluator = createEvaluator(graph, logits.length, { backend, feed });
  return evaluator.evaluate(logits).candidates.map((c) => c.logit);
}

const logitsThere = (sampler: LlamaSampler, logits: readonly number[]): number[] => [
  ...new (loadOracle().LlamaChain)([sampler]).apply(Float32Array.from(logits)).logits,
];

test.each(BACKENDS)("one row stays if every token is banned, on %s", (backend) => {
  const biases: [number, number][] = [
    [0, DROPPED],
    [1, DROPPED],
  ];
  expect(logitsHere("logit_bias()", [0, 3], backend, { bias: new Map(biases) })).toHaveLength(1);
  expect(logitsThere({ name: "logit_bias", biases }, [0, 3])).toEqual([DROPPED, DROPPED]);
});

test.each(BACKENDS)("a temperature below 1e-20 counts as 1e-20, on %s", (backend) => {
  const [best, other] = logitsHere("temp(1e-30)", [1e9, -1e9], backend);
  expect(best! / 1e29).toBeCloseTo(1, 5);
  expect(other! / 1e29).toBeCloseTo(-1, 5);
  expect(logitsThere({ name: "temp", t: 1e-30 }, [1e9, -1e9])).toEqual([Infinity, -Infinity]);
});

test.each(BACKENDS)("rows of minus infinity do not count in the maximum entropy, on %s", (backend) => {
  const logits = [1, 2, DROPPED, DROPPED];
  expect(Math.max(...logitsHere("temp_ext(1, 0.5)", logits, backend))).toBeCloseTo(1.4926, 4);
  expect(Math.max(...logitsThere({ name: "temp_ext", t: 1, delta: 0.5 }, logits))).toBeCloseTo(2.174, 3);
});
