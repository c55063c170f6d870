/** The order that stages guarantee is one that later stages may read, as long as it is known. */
import { TextDocument } from "vscode-languageserver-textdocument";
import { describe, expect, test } from "@jest/globals";
import { checkProgram, compileProgram } from "../../compiler/driver.js";
import { OPTIMIZATIONS } from "../../compiler/optimizations.js";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { runTests } from "../../runtime/chain/testing.js";
import { newFiles } from "../../lsp/files.js";
import { newState } from "../../lsp/state.js";

const SAMPLERS = `import { top_k, top_p, min_p, temp, temp_ext, logit_bias, penalties, xtc, dist } from "std"
sampler first(k: i32 = 3) { keep rank < k }
sampler nearest() { top 5 by -abs(logit - 2) }
sampler times(x: f32) { logit *= x }
sampler plus(x: f32) { logit += x }
sampler probs() { logit = softmax(logit) }
sampler logs() { logit = log(prob) }
sampler either(x: f32) { if x > 0 { logit /= 2 } else { logit -= 1 } }
sampler in_branch(static on: bool) { if on { sort }  keep rank < 3 }
`;
const CHAINS: readonly (readonly [stages: string, codes: readonly string[]])[] = [
  ["top_k(9) |> first()", []],
  ["top_k(9) |> top_p(0.9) |> min_p(0.1) |> xtc(0.5, 0.1) |> first() |> first()", []],
  ["top_k(9) |> temp(0.7) |> first()", []],
  ["top_k(9) |> temp(t) |> first()", []],
  ["top_k(9) |> temp_ext(t, t) |> first()", []],
  ["top_k(9) |> plus(t) |> times(t) |> first()", []],
  ["top_k(9) |> probs() |> logs() |> first()", []],
  ["top_k(9) |> either(t) |> first()", []],
  ["nearest() |> first()", []],
  ["nearest() |> times(-1) |> logit_bias() |> penalties(64, 1.1) |> first()", []],
  ["in_branch(false)", []],
  ["first()", ["E0310"]],
  ["min_p(0.1) |> first()", ["E0310"]],
  ["top_k(9) |> times(-1) |> first()", ["E0310"]],
  ["top_k(9) |> times(u) |> first()", ["E0310"]],
  ["top_k(9) |> logit_bias() |> first()", ["E0310"]],
  ["top_k(9) |> penalties(64, 1.1) |> first()", ["E0310"]],
  ["nearest() |> top_k(3) |> penalties(64, 1.1) |> first()", ["E0310"]],
  ["in_branch(false) |> first()", ["E0310"]],
];
const programOf = (stages: string): string =>
  `${SAMPLERS}chain c(t: f32 in [0.1, 1] = 0.5, u: f32 = 1) = plus(t) |> plus(u) |> ${stages}\n`;

describe.each(CHAINS)("%s: %j", (stages, codes) => {
  const text = programOf(stages);
  const isAny = ({ severity }: { severity: string }): boolean => severity === "error";

  test("for `ggsl check`", () => {
    expect(
      checkProgram({ name: "c.ggsl", text })
        .filter(isAny)
        .map(({ code }) => code),
    ).toEqual(codes);
  });

  test("whatever the optimizer does", () => {
    const ways = [{}, { optimize: false }, ...[...OPTIMIZATIONS.keys()].map((name) => ({ disable: [name] }))];
    for (const way of ways)
      expect([
        way,
        compileProgram(text, way)
          .diagnostics.filter(isAny)
          .map(({ code }) => code),
      ]).toEqual([way, codes]);
  });

  test("for the language server", () => {
    const document = TextDocument.create("untitled:c.ggsl", "ggsl", 1, text);
    const files = newFiles({ stdFolder: "compiler/std", document: () => document, documents: () => [document] });
    const state = newState(files);
    const found = state.diagnose(state.analysisOf(document.uri)!);
    expect(found.filter(isAny).map(({ code }) => code)).toEqual(codes);
  });
});

test("the order by a key is that of `rank`, `prev` and `cumsum` in later stages, and not of `keep`, on all backends", () => {
  // distances from 2: 1, 0, 2, 0.5, 3, 4
  const source = `${SAMPLERS}
sampler places() { logit = 100 * rank + prev(token, 9) }
sampler summed() { logit = cumsum(logit) }
sampler one() { keep logit > 100 }
test "places" { logits [1, 2, 4, 2.5, 5, 6]  run nearest() |> places()  expect order [1, 3, 0, 2, 4]  expect logits [203, 9, 300, 101, 402, -inf] }
test "places after other logits" { logits [1, 2, 4, 2.5, 5, 6]  run nearest() |> times(-1) |> places()  expect logits [203, 9, 300, 101, 402, -inf] }
test "sums" { logits [1, 2, 4, 2.5, 5, 6]  run nearest() |> summed()  expect logits [5.5, 2, 9.5, 4.5, 14.5, -inf] }
test "the best row is that with the largest logit" { logits [1, 2, 4, 2.5, 5, 6]  run nearest() |> one()  expect kept [4] }
test "by the logits" { logits [1, 2, 4, 2.5, 5, 6]  run top_k(4) |> temp(0.5) |> first(2) |> places()  expect logits [-inf, -inf, -inf, -inf, 105, 9] }
test "among the rows left" { logits [1, 2, 4, 2.5, 5, 6]  run top_k(4) |> odd() |> places()  expect logits [-inf, -inf, -inf, 105, -inf, 9] }
sampler odd() { keep token % 2 == 1 and logit > 2 or token == 5 }
`;
  const results = runTests({ name: "t.ggsl", text: source }, ["reference", "cpu", "wasm"]);
  expect(results).toHaveLength(18);
  expect(results.flatMap(({ title, backend, differences }) => differences.map((d) => [title, backend, d]))).toEqual([]);
});

test("a nested chain hands on its order", () => {
  const { rowsGraph } = compile(`${SAMPLERS}chain half = nearest() |> times(2)\nchain c = half() |> first(2)`, {
    chain: "c",
  });
  using evaluator = createEvaluator(rowsGraph, 6, { backend: "reference" });
  expect(evaluator.evaluate([1, 2, 4, 2.5, 5, 6]).candidates.map(({ token }) => token)).toEqual([1, 3]);
});

describe("a sampler that no chain uses", () => {
  const codesOf = (text: string): string[] => checkProgram({ name: "c.ggsl", text }).map(({ code }) => code);

  test("may be meant for rows that a stage before has sorted", () => {
    expect(codesOf("sampler s() { keep rank < 3 and next(prob, 0) > 0.1 }")).toEqual([]);
    expect(codesOf("fn gap(x: f32) -> f32 = x - next(x, 0)\nsampler s() { keep gap(prob) > 0.1 }")).toEqual([]);
  });

  test("is warned of sums in no order, unless a chain with an open parameter has it", () => {
    const nucleus = "sampler s() { keep cumsum(prob) < 0.9 }\n";
    expect(codesOf(nucleus)).toEqual(["W0301"]);
    expect(codesOf(`import { top_k } from "std"\n${nucleus}chain c(static k: i32) = top_k(k) |> s()`)).toEqual([]);
  });

  test("has its other errors", () => {
    expect(codesOf("sampler s() { keep rank < 3 and token != last(0) }")).toEqual(["E0350"]);
  });
});

test("constants and arguments of chains have no rows", () => {
  const codes = compileProgram("sampler s(x: f32) { logit *= x }\nchain c = s(rank)").diagnostics.map((d) => d.code);
  expect(codes).toEqual(["E0310"]);
});
