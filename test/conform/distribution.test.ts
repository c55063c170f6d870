/** What a chain draws from, by the likeliest tokens that a server lists. */
import { expect, test } from "@jest/globals";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import { distributionOf, drawsByProbability, type Listed } from "../../cli/conform/distribution.js";

const graphOf = (stages: string) => compilePipeline(stages).rowsGraph;
const listedOf = (...probabilities: number[]): Listed[] =>
  probabilities.map((p, i) => ({ name: `t${i}`, logprob: Math.log(p) }));
const LIST = listedOf(0.4, 0.2, 0.1, 0.05, 0.02, 0.01);

test.each<[string, number[]]>([
  ["top_k(2) |> dist()", [2 / 3, 1 / 3, 0, 0, 0, 0]],
  // the whole distribution counts, of which 0.22 is not listed
  ["top_p(0.65) |> dist()", [4 / 7, 2 / 7, 1 / 7, 0, 0, 0]],
  ["min_p(0.2) |> dist()", [4 / 7, 2 / 7, 1 / 7, 0, 0, 0]],
  ["top_k(2) |> temp(0.5) |> dist()", [4 / 5, 1 / 5, 0, 0, 0, 0]],
  ["epsilon(0.15) |> dist()", [2 / 3, 1 / 3, 0, 0, 0, 0]],
])("%s", (stages, wanted) => {
  const found = distributionOf(graphOf(stages), LIST);
  expect(typeof found).not.toBe("string");
  (found as readonly number[]).forEach((p, i) => expect(p).toBeCloseTo(wanted[i]!, 5));
});

test.each<[string, string]>([
  ["dist()", "short"],
  ["top_k(7) |> dist()", "short"],
  ["top_p(0.9) |> dist()", "short"],
  ["entropy_temp() |> top_k(3) |> dist()", "short"],
  ["top_p(0.6) |> dist()", "close"],
])("%s: %s", (stages, reason) => {
  expect(distributionOf(graphOf(stages), LIST)).toBe(reason);
});

test("a program that uses the logits themselves, and one that reads token ids", () => {
  const own = (statement: string) =>
    compile(`import { top_k, dist } from "std"\nsampler s() { ${statement} }\nchain c() = top_k(4) |> s() |> dist()`)
      .rowsGraph;
  expect(distributionOf(own("keep logit > -1.7"), LIST)).toBe("ids");
  expect(distributionOf(own("logit += token < 2 ? 1 : 0"), LIST)).toBe("ids");
  expect(typeof distributionOf(own("keep prob > 0.2"), LIST)).toBe("object");
});

test.each([
  ["top_k(5) |> dist()", true],
  ["temp(0.7) |> dist(3)", true],
  ["mirostat_v2(3, 0.1)", true],
  ["gumbel()", false],
  ["xtc(0.5, 0.1) |> dist()", false],
  ["greedy()", false],
])("%s draws by the probabilities of its rows: %s", (stages, draws) => {
  const graph = graphOf(stages);
  expect(drawsByProbability(graph)).toBe(draws);
});

test("a draw that is not one of the probabilities is seen", () => {
  const graph = compile(
    "sampler s(seed: seed = random) { pick argmax(uniform(seed) < 0.5 ? logit : -logit) }\nchain c() = s()",
  );
  expect(drawsByProbability(graph.rowsGraph)).toBe(false);
});
