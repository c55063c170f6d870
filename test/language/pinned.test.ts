/** Regression tests: minimal programs that were once miscompiled. */
import { describe, expect, test } from "@jest/globals";
import { compileProgram, compileStages, graphOf } from "../../compiler/driver.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { BACKENDS } from "../parity/backends.js";
import { faultOf } from "../parity/compare.js";
import { compileBody, evaluateGraph, rowsAfter } from "./run.js";

describe.each(BACKENDS)("on %s", (backend) => {
  const rows = (input: readonly number[], ...body: string[]) => {
    const logits = Float32Array.from(input);
    const found = rowsAfter(compileBody(...body), logits, backend);
    expect(faultOf(found, logits)).toBeUndefined();
    return found;
  };
  const stages = (input: readonly number[], text: string) =>
    rowsAfter(
      graphOf(compileStages(text, { outputs: ["candidates", "logits", "probs"] })),
      Float32Array.from(input),
      backend,
    );

  test("a table of one row can be cut repeatedly", () => {
    expect(stages([2, 1], "top_k(1) |> top_p(0, 0) |> top_p(0, 2)").tokens).toEqual([0]);
  });

  test("a tiny temperature leaves one row, however large the logits get", () => {
    expect(stages([20, 10, -Infinity], "temp(1e-30)").probs[0]).toBe(1);
    expect(stages([-10, -20, -Infinity], "temp(1e-30)").probs[0]).toBe(1);
    expect(stages([-10, -20, -Infinity], "temp(1e-30)").tokens).toEqual([0, 1]);
  });

  test("clamping all logits does not revive a dropped row", () => {
    expect(rows([-1, -Infinity, -2], "sort", "logit *= 1e30").tokens).toEqual([0, 2]);
    expect(rows([-1, -Infinity, -2], "logit -= 1e30").tokens).toEqual([0, 2]);
    expect(rows([-1, -Infinity, -2], "logit /= count(logit > 5)").tokens).toEqual([0, 2]);
  });

  test("division by the smallest number gives the largest", () => {
    const input = Float32Array.from([3, 2, 1]);
    const text = "sampler s(t: f32 >= 0) { if 1 / t > 1e38 { logit = token } }  chain c(t: f32 >= 0 = 1e-40) = s(t)";
    const graph = graphOf(compileProgram(text, { outputs: ["logits", "probs"] }));
    expect(rowsAfter(graph, input, backend).logits).toEqual([0, 1, 2]);
  });

  test("the first rows need not contain the best one if another sampler sorted them", () => {
    const text =
      "sampler up() { sort asc }  sampler s(t: f32) { keep t > cumsum(1) - 1 }  chain c(t: f32 = 0.5) = up() |> s(t)";
    const graph = graphOf(compileProgram(text, { outputs: ["candidates", "logits", "probs"] }));
    expect(rowsAfter(graph, Float32Array.from([3, 1, 2]), backend).tokens).toEqual([1]);
  });

  test("repeat_len without breakers equals an empty list of breakers", () => {
    const counted = (call: string) => compileBody(`logit -= ${call}`).features.map(({ from }) => from);
    expect(counted("repeat_len(4)")).toEqual(counted("repeat_len(4, [])"));
  });

  test("at least 0 rows means at least one, also if only the graph knows the number", () => {
    expect(rows([3, 1, 2], "keep logit > 9 at least n - 3").tokens).toEqual([0]);
    expect(rows([3, 1, 2], "top 1", "keep logit > 9 at least floor(n / 2)").tokens).toEqual([0]);
  });

  test("at least n never keeps rows that were dropped before", () => {
    expect(rows([3, -Infinity, 1], "sort", "keep token > 5 at least 3").tokens).toEqual([0, 2]);
  });

  test("the first row may be a dropped one", () => {
    expect(rows([-Infinity, 1, 2], "keep token <= 0.5").tokens).toEqual([2]);
  });

  test("probabilities follow a mask that only one branch narrows", () => {
    expect(rows([2, 1], "logit *= 0.1", "top 40", "if all(prob > logit) { keep rank != 1 }").probs).toEqual([1]);
  });

  test("neighbours do not move the rows: not in a branch, not after the pick", () => {
    const input = [1, 5, 2, 4, 3];
    const sorted = ["sort", "keep token % 2 == 0"];
    const found = rows(input, ...sorted, "if max(logit) > 0 { logit = prev(logit, 9) }");
    expect([found.tokens, found.logits]).toEqual([
      [4, 2, 0],
      [9, 3, 2],
    ]);
    const after = [
      "state s: f32 = 0",
      "logit += s",
      ...sorted,
      "pick argmax(token)",
      "after pick { s = picked(next(logit, 7)) }",
    ];
    expect([...evaluateGraph(compileBody(...after), Float32Array.from(input), backend).states!]).toEqual([2]);
  });

  test("a conditional with a constant condition may be a scalar in place of a column", () => {
    expect(rows([3, 1], "let most = min(0, max(logit))", "logit = max(false ? logit : most)").logits).toEqual([0, 0]);
  });

  test("an earlier sampler's order does not apply to logits changed since", () => {
    const text = "sampler a() { sort }\nsampler b() { logit *= -1  keep prob > 2 }\nchain c = a() |> b()";
    const graph = graphOf(compileProgram(text, { outputs: ["candidates", "logits", "probs"] }));
    expect(rowsAfter(graph, Float32Array.from([1, 3, 2]), backend).tokens).toEqual([0]);
  });

  test("a sampler that sorts rows that were sorted before has an order of its own", () => {
    for (const sorting of ["sort", "top 2"])
      for (const before of ["", "top_k(2) |> "]) {
        const text = `import { top_k } from "std"
          sampler s() { ${sorting} logit = clamp(logit, 0, 0) keep logit > 1 }
          chain c = ${before}s()`;
        for (const optimize of [true, false]) {
          const { graph } = compileProgram(text, { optimize, outputs: ["candidates", "logits", "probs"] });
          // all logits are equal, and the first row is the best one
          expect(rowsAfter(graph!, Float32Array.of(-3, 5), backend).tokens).toEqual([1]);
          expect(rowsAfter(graph!, Float32Array.of(5, -3), backend).tokens).toEqual([0]);
        }
      }
  });

  test("draws at either end of the range pick no dropped row", () => {
    const input = Float32Array.from({ length: 160 }, (_, i) => (i % 3 === 1 ? 8 * Math.sin(i * 12.9898) : -Infinity));
    for (const body of ["", "sort", "keep prob > 0.001", "sort  keep prob > 0.001", "top 50  keep rank < 9"]) {
      const graph = compileBody(body, "pick sample(1)");
      for (const draw of [0, 2 ** -60, 0.5, 1 - 2 ** -30, 1]) {
        using evaluator = createEvaluator(graph, input.length, { backend, draws: [draw] });
        const { token, candidates } = evaluator.evaluate(input);
        const picked = candidates.find((row) => row.token === token);
        expect([body, draw, picked !== undefined && picked.prob > 0]).toEqual([body, draw, true]);
      }
    }
  });

  test("sums that overflow are finite, for either sign and any order", () => {
    const large = "logit * 1e38";
    for (const x of [`cumsum(${large})`, `sum(${large})`, `cumsum(abs(${large}))`, `cumsum(1e38 - abs(${large}))`]) {
      const found = rows([3, -3, 3, 3, -3, -3, 2, -2], `logit = ${x} / 1e30`).logits;
      expect(found.every((v) => Math.abs(v) <= 8 * (2 ** 103 / 1e30) * (1 + 1e-6))).toBe(true);
    }
  });

  test("a remainder by 0 is the same for a scalar as for a column", () => {
    const found = rows([3, 1], "logit = 1000 % 0 - (1000 + (token - token)) % 0").logits;
    expect(found).toEqual([0, 0]);
  });
});
