/** Measures come back with the token, equal to what is calculated here from the same logits; the model's own numbers do too. */
import { describe, expect, test } from "@jest/globals";
import { compileProgram, graphOf } from "../../compiler/driver.js";
import { fromSpec, toSpec } from "../../compiler/graph/json.js";
import { compile, type Chain } from "../../runtime/chain/chain.js";
import { createEvaluator, type Evaluation } from "../../runtime/chain/evaluate.js";
import { loadModel } from "../../runtime/models/model.js";
import { runTests } from "../../runtime/chain/testing.js";
import { DEMO_MODEL } from "../model/demo.js";

const BACKENDS = ["reference", "cpu", "wasm"] as const;
const LOGITS = [1, -2, 3.5, 4, 0.25, 2];

const softmax = (x: readonly number[]): number[] => {
  const exps = x.map((l) => Math.exp(l - Math.max(...x)));
  const total = exps.reduce((a, b) => a + b, 0);
  return exps.map((e) => e / total);
};

function stepsOf(chain: Chain, backend: (typeof BACKENDS)[number], count = 4): Evaluation[] {
  using evaluator = createEvaluator(chain.rowsGraph, LOGITS.length, { backend });
  return Array.from({ length: count }, () => {
    const evaluation = evaluator.evaluate(LOGITS);
    evaluator.accept();
    return evaluation;
  });
}

const REPORT = `import { temp, top_k } from "std"
sampler report(seed: seed) {
  state seen: i32 = 0
  measure spread = entropy()
  pick sample(seed)
  measure surprise = -log2(picked(prob))
  measure model = log(picked(raw_prob))
  measure given = picked(raw_logit)
  after pick {
    seen += n
    measure total = seen
    measure sure = picked(prob) > 0.5
  }
}
chain c = temp(0.5) |> top_k(4) |> report(7)`;

describe.each(BACKENDS)("%s", (backend) => {
  test("values of the table, of the picked row, of the model and of states", () => {
    const kept = [3, 2, 5, 0];
    const probs = softmax(kept.map((token) => LOGITS[token]! * 2));
    const model = softmax(LOGITS);
    stepsOf(compile(REPORT), backend).forEach(({ token, measures }, step) => {
      const prob = probs[kept.indexOf(token!)]!;
      expect(Object.keys(measures!)).toEqual(["spread", "surprise", "model", "given", "total", "sure"]);
      expect(measures!["spread"]).toBeCloseTo(-probs.reduce((sum, p) => sum + p * Math.log(p), 0), 5);
      expect(measures!["surprise"]).toBeCloseTo(-Math.log2(prob), 4);
      expect(measures!["model"]).toBeCloseTo(Math.log(model[token!]!), 4);
      expect(measures!["given"]).toBe(LOGITS[token!]);
      expect(measures!["total"]).toBe(4 * (step + 1));
      expect(measures!["sure"]).toBe(prob > 0.5 ? 1 : 0);
    });
  });

  test("raw columns are the model's in every row, whatever stages came before", () => {
    const chain = compile(`import { top_k } from "std"
sampler reverse() { logit = -logit }
sampler back() { logit = raw_logit + 10 * raw_prob }
chain c = reverse() |> top_k(3) |> back()`);
    using evaluator = createEvaluator(chain.rowsGraph, LOGITS.length, { backend });
    const { candidates } = evaluator.evaluate(LOGITS);
    const model = softmax(LOGITS);
    expect(candidates.map((c) => c.token)).toEqual([1, 4, 0]);
    for (const { token, logit } of candidates) expect(logit).toBeCloseTo(LOGITS[token]! + 10 * model[token]!, 5);
  });
});

test("measures of one sampler used twice have names of their own", () => {
  const { graph } = compile(
    `sampler a() { measure spread = max(prob) - min(prob)  logit /= 2 } chain c = a() |> a() |> a()`,
  );
  expect(graph.measures.map((m) => m.name)).toEqual(["spread", "spread2", "spread3"]);
});

test("a name that is also a word of the language stays a name", () => {
  const chain = compile(`const raw_prob = 3
sampler names(measure: f32 = 2) { let raw_logit = logit * measure  logit = raw_logit + raw_prob }
chain c = names()`);
  using evaluator = createEvaluator(chain.rowsGraph, 2, { backend: "reference" });
  expect(evaluator.evaluate([1, 2]).candidates.map((c) => c.logit)).toEqual([5, 7]);
});

test("a chain without measures reports none, and unused raw columns cost nothing", () => {
  const plain = compile(`sampler a() { logit /= 2 } chain c = a()`);
  const unused = compile(`sampler a() { let p = raw_prob  logit /= known(true) ? 2 : p } chain c = a()`);
  expect(unused.graph.nodes.length).toBe(plain.graph.nodes.length);
  using evaluator = createEvaluator(plain.rowsGraph, 2, { backend: "reference" });
  expect(evaluator.evaluate([1, 2])).not.toHaveProperty("measures");
});

test("a measure of what is already computed adds no node", () => {
  const source = (measure: string): string =>
    `sampler s(x: seed) { pick sample(x)  ${measure} } sampler cut() { keep prob > 0.1 * max(prob) } chain c = cut() |> s(1)`;
  const nodes = (text: string): number => graphOf(compileProgram(text)).nodes.length;
  // the value in the picked row
  expect(nodes(source("measure p = picked(prob)"))).toBe(nodes(source("")) + 1);
});

test("a spec keeps its measures, and one without the member has none", () => {
  const { graph } = compile(REPORT);
  const spec = toSpec(graph);
  expect(fromSpec(JSON.parse(JSON.stringify(spec)))).toEqual(graph);
  const { measures: _, ...older } = spec;
  expect(fromSpec({ ...older, ggsl: 1 }).measures).toEqual([]);
  expect(() => fromSpec({ ...spec, measures: [{ name: "a", node: 0 }] })).toThrow(/measure a: has 1 rows, found V/);
  expect(() => fromSpec({ ...spec, measures: [...graph.measures, ...graph.measures] })).toThrow(
    /two have the same name/,
  );
});

test("a test block compares the values of all steps", () => {
  const text = `${REPORT}
test "totals" {
  logits [1, 2, 3, 4]
  run report(1)
  steps 3
  expect measure total [4, 8, 12]
  expect measure spread [0.9475, 0.9475, 0.9]
}
test "unknown" {
  logits [1, 2]
  run report(1)
  expect measure rows [2]
}`;
  const [totals, unknown] = runTests({ name: "t.ggsl", text }, ["reference"]);
  expect(totals!.differences).toEqual([
    { what: "measure spread", rows: [{ at: "2", expected: "0.9", found: "0.947537" }] },
  ]);
  expect(unknown!.differences[0]!.rows[0]!.found).toMatch(
    /no measure `rows`: it has spread, surprise, model, given, total, sure/,
  );
});

test("each piece of a text has the measures of its token", async () => {
  using model = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 64 });
  const chain = compile(REPORT);
  const generation = model.generate("In the beginning", { chain, maxTokens: 8, alternatives: 4 });
  let seen = 0;
  for await (const { probability, measures } of generation) {
    expect(measures!["surprise"]).toBeCloseTo(-Math.log2(probability!), 3);
    expect(measures!["total"]).toBe((seen += 4));
  }
  expect(seen).toBe(32);
});
