/** Folds of a scalar over the last tokens, calculated here from the values that the chain reports; sharing, faults and specs. */
import { describe, expect, test } from "@jest/globals";
import { compileProgram, graphOf } from "../../compiler/driver.js";
import { costOf } from "../../compiler/graph/cost.js";
import { fromSpec, toSpec, type SpecError } from "../../compiler/graph/json.js";
import { compile, type Chain } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";

const BACKENDS = ["reference", "cpu", "wasm"] as const;
const VOCAB = 9;

/** Logits that differ from step to step. */
const logitsAt = (step: number): number[] =>
  Array.from({ length: VOCAB }, (_, i) => 3 * Math.sin(1.7 * i + step * step));

function measuresOf({ rowsGraph }: Chain, backend: (typeof BACKENDS)[number], steps: number): Record<string, number>[] {
  using evaluator = createEvaluator(rowsGraph, VOCAB, { backend });
  return Array.from({ length: steps }, (_, step) => {
    const { measures } = evaluator.evaluate(logitsAt(step));
    evaluator.accept();
    return { ...measures };
  });
}

const PROGRAM = `sampler folded(static k: i32, seed: seed) {
  let spread = entropy()
  measure x = spread
  measure mean = mean(spread, last: k)
  measure sum = sum(spread, last: k)
  measure smallest = min(spread, last: k)
  measure largest = max(spread, last: 2 * k)
  measure times = count(spread > 1, last: k)
  measure one = mean(spread, last: 1)
  pick sample(seed)
  measure p = picked(prob)
  measure smooth = mean(picked(prob), last: 3)
  after pick { measure most_likely = max(picked(prob), last: 4096) }
}
chain c = folded(4, 3)`;

const lastOf = (values: readonly number[], step: number, last: number): number[] =>
  values.slice(Math.max(0, step + 1 - last), step + 1);
const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

describe.each(BACKENDS)("%s", (backend) => {
  test("the last values, the present one included", () => {
    const found = measuresOf(compile(PROGRAM), backend, 20);
    const [x, p] = [found.map((m) => m["x"]!), found.map((m) => m["p"]!)];
    found.forEach((m, step) => {
      const four = lastOf(x, step, 4);
      expect(m["mean"]).toBeCloseTo(total(four) / four.length, 5);
      expect(m["sum"]).toBeCloseTo(total(four), 5);
      expect(m["smallest"]).toBe(Math.min(...four));
      expect(m["largest"]).toBe(Math.max(...lastOf(x, step, 8)));
      expect(m["times"]).toBe(four.filter((value) => value > 1).length);
      expect(m["one"]).toBe(x[step]);
      const three = lastOf(p, step, 3);
      expect(m["smooth"]).toBeCloseTo(total(three) / three.length, 5);
      expect(m["most_likely"]).toBe(Math.max(...p.slice(0, step + 1)));
    });
    expect(new Set(found.map((m) => m["times"])).size).toBeGreaterThan(2);
  });

  test("what is known before the graph runs, and in branches, functions and loops: a value with each token", () => {
    const chain = compile(`fn smooth(x: f32) -> f32 = mean(x, last: 2)
sampler s() {
  measure steps = sum(step, last: 3)
  measure both = smooth(n) + smooth(max(logit))
  measure rounds = sum i in 1..2: sum(n * i, last: 2)
  measure branch = step % 2 == 0 ? sum(step, last: 2) : -1
  pick argmax(logit)
}
chain c = s()`);
    const found = measuresOf(chain, backend, 5);
    const best = Array.from({ length: 5 }, (_, step) => Math.max(...logitsAt(step)));
    expect(found.map((m) => m["steps"])).toEqual([0, 1, 3, 6, 9]);
    expect(found.map((m) => m["rounds"])).toEqual([27, 54, 54, 54, 54]);
    // also with tokens whose branch does not read it
    expect(found.map((m) => m["branch"])).toEqual([0, -1, 3, -1, 7]);
    found.forEach((m, step) => {
      const two = lastOf(best, step, 2);
      expect(m["both"]).toBeCloseTo(VOCAB + total(two) / two.length, 4);
    });
  });

  test("a token in place of the pick is the one whose value is kept", () => {
    const chain = compile(`sampler s() {
  pick argmax(logit)
  after pick { measure sum = sum(picked(token), last: 3) }
}
chain c = s()`);
    using evaluator = createEvaluator(chain.rowsGraph, VOCAB, { backend });
    const sums = [5, 7, 1].map((token) => {
      const { measures, token: best } = evaluator.evaluate(logitsAt(0));
      evaluator.accept(token);
      return measures!["sum"]! - best!;
    });
    expect(sums).toEqual([0, 5, 12]);
  });
});

test("equal windows are shared, and what nothing reads is not kept", () => {
  const windows = (body: string): readonly number[] =>
    (
      graphOf(compileProgram(`sampler s() { let x = max(prob) ${body} pick argmax(logit) } chain c = s()`)).windows ??
      []
    ).map(({ size }) => size);
  expect(windows("measure a = mean(x, last: 5) + max(x, last: 5) + min(x, last: 3)")).toEqual([4, 2]);
  expect(windows("let a = mean(x, last: 5)  measure b = a * 0 + x")).toEqual([]);
  expect(windows("measure b = mean(x, last: 1)")).toEqual([]);
  expect(windows("logit += 0.1 * mean(x, last: 3)")).toEqual([2]);
});

test("a spec with windows is of version 3; faults of its windows", () => {
  const { graph } = compile(PROGRAM);
  const spec = toSpec(graph);
  expect(spec.ggsl).toBe(3);
  expect(fromSpec(JSON.parse(JSON.stringify(spec)))).toEqual(graph);
  const faultsOf = (data: object): readonly string[] => {
    try {
      fromSpec(data);
      return [];
    } catch (error) {
      return (error as SpecError).faults;
    }
  };
  expect(faultsOf({ ...spec, ggsl: 2 })).toEqual([
    "spec.windows: a spec of version 2 has no such member; version 3 has",
  ]);
  const [first] = spec.windows!;
  for (const size of [0, 4097, 2.5])
    expect(faultsOf({ ...spec, windows: [{ ...first, size }] })).toEqual([
      `spec.windows[0].size: expected an integer from 1 to 4096, found ${size}`,
    ]);
  expect(faultsOf({ ...spec, windows: [first] })).toContain("uniform 4: there is no window 1");
  expect(faultsOf({ ...spec, windows: spec.windows!.map((w) => ({ ...w, name: "a" })) })).toEqual([
    "windows: two have the same name",
  ]);
  const uniforms = [...spec.uniforms, { name: "u", expr: { window: 0, of: "mean" } }];
  expect(faultsOf({ ...spec, uniforms })).toEqual([`uniform ${spec.uniforms.length}: an object is not an expression`]);
});

test("the cost has what a window uploads, reads back and keeps", () => {
  const of = (measure: string) =>
    costOf(graphOf(compileProgram(`sampler s() { measure a = ${measure} pick argmax(logit) } chain c = s()`)), 100);
  const [without, with_] = [of("n"), of("sum(n, last: 1001)")];
  expect(with_.hostBytes - without.hostBytes).toBe(4 * 1000);
  expect(with_.readbackBytes - without.readbackBytes).toBe(4);
  expect(with_.uploadBytes - without.uploadBytes).toBe(4);
});
