/** Windows over the text: what -1, 0 and smaller numbers mean is the table of docs/semantics.md. */
import { expect, test } from "@jest/globals";
import { compileProgram, compileStages, graphOf } from "../../compiler/driver.js";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";

const HISTORY = [0, 1, 2, 0, 1];

function logitsAfter(stage: string): number[] {
  const graph = graphOf(compileStages(stage, { outputs: ["candidates", "logits", "probs"] }));
  using evaluator = createEvaluator(graph, 3, { backend: "reference", history: HISTORY });
  return evaluator.evaluate([0, 0, 0]).candidates.map((c) => c.logit);
}

test("penalties and dry with a window of 0 have no effect", () => {
  expect(logitsAfter("penalties(0, freq: 1)")).toEqual([0, 0, 0]);
  expect(logitsAfter("dry(1, 2, 2, 0, breakers: [])")).toEqual([0, 0, 0]);
});

test.each([-5, -1])("penalties and dry with a window of %p are an error, also as a parameter", (last) => {
  const message = `\`last_n\` must be >= 0, found ${last}`;
  expect(() => logitsAfter(`penalties(${last}, freq: 1)`)).toThrow(message);
  expect(() => logitsAfter(`dry(1, 2, 2, ${last}, breakers: [])`)).toThrow(message);
  for (const stage of ["penalties(n, freq: 1)", "dry(1, 2, 2, n)"]) {
    const { rowsGraph } = compile(`import { penalties, dry } from "std"\nchain c(n: i32 = 64) = ${stage}`);
    const evaluate = (): unknown =>
      createEvaluator(rowsGraph, 3, { backend: "reference", uniforms: { n: last } }).evaluate([0, 0, 0]);
    expect(evaluate).toThrow(`\`n\` must be >= 0, found ${last}`);
  }
});

test("of no_repeat_ngram, -1 means all tokens, 0 none, and less is an error", () => {
  expect(logitsAfter("no_repeat_ngram(3, -1)")).toHaveLength(2);
  expect(logitsAfter("no_repeat_ngram(3, 0)")).toHaveLength(3);
  for (const size of [1, 3])
    expect(() => logitsAfter(`no_repeat_ngram(${size}, -2)`)).toThrow(
      /error\[E0401\]: `last_n` must be >= -1, found -2/,
    );
});

test("a breaker is never penalised itself", () => {
  expect(logitsAfter("dry(1, 2, 1, 64, breakers: [])")).toEqual([0, 0, -2]);
  expect(logitsAfter("dry(1, 2, 1, 64, breakers: [2])")).toEqual([0, 0, 0]);
});

test("a window may be made of a `let` that is known at compile time, and of no other", () => {
  const compiled = (value: string): ReturnType<typeof compileProgram> =>
    compileProgram(
      `sampler s(k: i32) {\n  let two = ${value}\n  logit -= occurrences(max(step + two, -1))\n}\nchain c(k: i32 = 1) = s(k)`,
      { outputs: ["candidates", "logits", "probs"] },
    );
  using evaluator = createEvaluator(graphOf(compiled("1 + 1")), 3, { backend: "reference", history: HISTORY });
  expect(evaluator.evaluate([0, 0, 0]).candidates.map((c) => c.logit)).toEqual([-1, -1, 0]);
  for (const value of ["k", "n"]) expect(compiled(value).diagnostics.map((d) => d.code)).toContain("E0357");
});
