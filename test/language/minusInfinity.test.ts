/** A token of -inf is never picked, whatever arithmetic does to the other logits, with and without optimizations. */
import { describe, expect, test } from "@jest/globals";
import { ALL_OUTPUTS, compileProgram, graphOf } from "../../compiler/driver.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";

const NO = -Infinity;

const CASES: readonly (readonly [body: string, logits: readonly number[]])[] = [
  ["logit /= 1e-20", [-1e11, -1e11, NO, -1e11, NO]],
  ["logit *= 1e20", [-1e11, -1e11, NO, -1e11, NO]],
  ["logit *= 1e20", [NO, NO, -8e29, NO]],
  ["logit *= 12", [NO, -8.9e29, NO]],
  ["logit /= t", [NO, -1e11, NO]],
  // small logits vanish in a large shift
  ["logit = logit * 1e-26 + 1e20", [NO, 1, NO, 2]],
  // a result beyond f32 that comes back
  ["logit = logit * 1e20 * 1e-20", [NO, -1e25, NO, -1e25]],
  ["logit -= max(logit)\n logit *= 11\n top 2", [1e30, NO, -8e29, NO]],
  ["logit += 9e30", [NO, 9e29, NO]],
  ["logit -= 9e30", [NO, -8e29, NO]],
];

const DRAWS = [0, 0.1, 0.5, 0.9, 1];

describe.each(CASES)("%s of %j", (body, logits) => {
  const program = `sampler s(t: f32 = 1) { ${body}\n pick sample(1) }\nchain c(t: f32 = 1e-20) = s(t)`;

  test.each([
    ["optimized", {}],
    ["not optimized", { optimize: false }],
  ])("%s", (_, options) => {
    for (const outputs of [ALL_OUTPUTS, ["sampled" as const]]) {
      const graph = graphOf(compileProgram(program, { ...options, outputs }));
      for (const backend of ["reference", "cpu"] as const) {
        for (const draw of DRAWS) {
          using evaluator = createEvaluator(graph, logits.length, { backend, draws: [draw] });
          const { token, candidates } = evaluator.evaluate(logits);
          expect([backend, draw, logits[token!]]).not.toEqual([backend, draw, NO]);
          expect(candidates.filter((c) => logits[c.token] === NO)).toEqual([]);
        }
      }
    }
  });
});

test("ordinary arithmetic on logits needs no mask", () => {
  const nodes = (body: string): readonly string[] =>
    graphOf(compileProgram(`sampler s() { ${body}\n pick sample(1) }\nchain c = s()`)).nodes.map(({ op }) => op);
  const plain = nodes("");
  for (const body of ["logit /= 0.8", "logit *= 11", "logit -= max(logit)", "logit = (logit + 100) * 2 - 7"]) {
    // the mask of rows that came as -inf is a step
    expect([body, nodes(body).filter((op) => op === "step").length]).toEqual([
      body,
      plain.filter((op) => op === "step").length,
    ]);
  }
});
