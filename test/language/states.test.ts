/** States: those that a chain keeps do not depend on its outputs, and integers stay integers. */
import { describe, expect, test } from "@jest/globals";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { compileProgram } from "../../compiler/driver.js";
import { fromSpec } from "../../compiler/graph/json.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { compile, compilePipeline, type Chain } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { loadModel } from "../../runtime/models/model.js";
import { runTests } from "../../runtime/chain/testing.js";
import { startSequence } from "../../runtime/sequence/sequence.js";
import { restoreSequence, saveSequence } from "../../runtime/sequence/savedSequence.js";
import { DEMO_MODEL } from "../model/demo.js";

const BACKENDS = ["reference", "cpu", "wasm"] as const;
const LOGITS = [1, 2, 3, 4];

const namesOf = (chain: Chain): string[][] =>
  [chain.graph, chain.rowsGraph].map(({ states }) => states.map((s) => s.name));
const codesOf = ({ warnings }: Chain): string[] => warnings.map((d: Diagnostic) => d.code);

/** The token does not depend on `t`, but the probabilities do. */
const COOLING = `import { top_k } from "std"
sampler cooling() {
  state t: f32 = 1
  let before = prob
  logit /= t
  pick argmax(before)
  after pick { t += 0.5 }
}`;

describe("a chain has the same states for its token and for its rows", () => {
  test.each([
    ["a state that only probabilities depend on", `${COOLING} chain c = cooling()`, ["t"]],
    ["of a table of one row", `${COOLING} chain c = top_k(1) |> cooling()`, ["t"]],
    [
      "a state that only another one depends on",
      `sampler s() { state a: f32 = 1 state b: f32 = 1 logit *= b  after pick { b = a  a += 1 } } chain c = s()`,
      ["a", "b"],
    ],
    [
      "a state that only a draw depends on",
      `sampler s(x: seed) { state n0: i32 = 0 pick sample(x, n0)  after pick { n0 += 1 } } chain c = s(1)`,
      ["n0"],
    ],
    [
      "a state that only a measure depends on",
      `sampler s() { state seen: f32 = 0 measure mass = seen pick argmax(logit)  after pick { seen += picked(prob) } } chain c = s()`,
      ["seen"],
    ],
    [
      "a state that only a measure after the pick depends on",
      `sampler s() { state seen: f32 = 0 pick argmax(logit)  after pick { seen += 1 measure picks = seen } } chain c = s()`,
      ["seen"],
    ],
    [
      "a state that only a count, a window and a place in the text depend on",
      `sampler s() {
        state a: i32 = 1 state b: i32 = 1 state d: i32 = 1
        keep prob > 0.5 at least a
        logit -= occurrences(b)
        keep token != d
        pick argmax(logit)  after pick { a += 1  b += 1  d += 1 }
      } chain c = s()`,
      ["a", "b", "d"],
    ],
  ])("%s", (_, source, wanted) => {
    const chain = compile(source);
    expect(namesOf(chain)).toEqual([wanted, wanted]);
    expect(codesOf(chain)).toEqual([]);
  });

  test.each(STD_SAMPLERS.map(({ name, example }) => [name, example] as const))("%s", (_, example) => {
    for (const stages of [example, `top_k(1) |> ${example}`, `${example} |> greedy()`]) {
      const [token, rows] = namesOf(compilePipeline(stages));
      expect(token).toEqual(rows);
    }
  });

  test("that only a test expects are kept for it", () => {
    const source = `sampler s() { state picks: i32 = 0 pick argmax(logit)  after pick { picks += 1 } }
test "counts" {
  logits [1, 2]
  run s()
  steps 2
  expect state picks [1, 2]
}`;
    expect(runTests({ name: "t.ggsl", text: source }, [...BACKENDS]).flatMap((r) => r.differences)).toEqual([]);
  });

  test("a sampler that is used several times counts its names", () => {
    const source = `sampler s() {
      state seen: i32 = 0
      measure x = seen
      measure y = n
      after pick { seen += 1 }
    }
    sampler x2() { measure x2 = n }
    chain c = s() |> s() |> x2() |> s()`;
    const { states, measures } = compile(source).graph;
    expect(states.map(({ name }) => name)).toEqual(["seen", "seen2", "seen3"]);
    expect(measures.map(({ name }) => name)).toEqual(["x", "y", "x2", "y2", "x22", "x3", "y3"]);
  });

  test("that nothing depends on are not kept, and reported", () => {
    const chain = compile(`sampler s() {
      state seen: f32 = 0
      state sum0: f32 = 0
      pick argmax(logit)
      after pick { sum0 += seen  seen = picked(prob) }
    } chain c = s()`);
    expect(namesOf(chain)).toEqual([[], []]);
    expect(codesOf(chain)).toEqual(["W0508", "W0508"]);
  });

  test("states of generated pieces are those of an evaluator", async () => {
    const chain = compile(`${COOLING} chain c = cooling()`);
    const model = await loadModel(DEMO_MODEL);
    for (const alternatives of [0, 2]) {
      const states: unknown[] = [];
      const generation = model.generate("In the", { chain, maxTokens: 2, states: true, alternatives });
      for await (const piece of generation) states.push(piece.states);
      expect(states).toEqual([{ t: 1.5 }, { t: 2 }]);
    }
    model.dispose();
    for (const graph of [chain.graph, chain.rowsGraph]) {
      using evaluator = createEvaluator(graph, 4);
      evaluator.evaluate(LOGITS);
      evaluator.accept();
      expect(evaluator.states).toEqual({ t: 1.5 });
    }
  });
});

describe.each(BACKENDS)("an i32 state on %s", (backend) => {
  const LIMIT = 2 ** 24;
  /** The values of the states after each of some tokens. */
  function run(start: number, after: string, steps: number): Readonly<Record<string, number>>[] {
    const { graph } = compile(`sampler s() {
      state x: i32 = ${start}
      state seen: f32 = 0
      logit += token * (x + seen)
      pick argmax(logit)
      after pick { ${after} }
    } chain c = s()`);
    using evaluator = createEvaluator(graph, 4, { backend });
    return Array.from({ length: steps }, () => {
      evaluator.evaluate(LOGITS);
      evaluator.accept();
      return { ...evaluator.states };
    });
  }
  const values = (...args: Parameters<typeof run>): number[] => run(...args).map((s) => s["x"]!);

  test("counts every integer up to 2^24, and stays there", () => {
    const wanted = Array.from({ length: 30 }, (_, i) => Math.min(LIMIT - 20 + i + 1, LIMIT));
    expect(values(LIMIT - 20, "x += 1", 30)).toEqual(wanted);
    expect(values(-LIMIT + 20, "x -= 1", 30)).toEqual(wanted.map((x) => -x));
  });

  test("comes back from its bound exactly", () => {
    expect(values(LIMIT - 1, "x = x + 3", 2)).toEqual([LIMIT, LIMIT]);
    expect(values(LIMIT - 1, "x += 7  x -= 1", 2)).toEqual([LIMIT - 1, LIMIT - 1]);
    expect(values(3000, "x *= 3000", 3)).toEqual([9_000_000, LIMIT, LIMIT]);
    expect(values(-3000, "x *= 3000", 2)).toEqual([-9_000_000, -LIMIT]);
  });

  test("is in its range wherever it is read", () => {
    expect(run(LIMIT - 1, "x += 5  seen = x", 1)).toEqual([{ x: LIMIT, seen: LIMIT }]);
    expect(run(LIMIT - 1, "if step >= 0 { x += 5 }  seen = x - 1", 1)).toEqual([{ x: LIMIT, seen: LIMIT - 1 }]);
    expect(values(2 ** 30, "x += 0", 1)).toEqual([LIMIT]);
  });
});

test("an f32 state is any number", () => {
  const { graph } = compile(`sampler s() { state x: f32 = 16777214  logit += x  pick argmax(logit)
    after pick { x += 4 } } chain c = s()`);
  using evaluator = createEvaluator(graph, 4, { backend: "reference" });
  evaluator.evaluate(LOGITS);
  evaluator.accept();
  expect(evaluator.states).toEqual({ x: 16777218 });
});

test("a saved integer is brought into its range, and specs keep the type", () => {
  const { graph } = compileProgram(
    "sampler s() { state x: i32 = 0  logit += token * x  pick argmax(logit)  after pick { x += 1 } } chain c = s()",
  );
  expect(graph!.states[0]!.type).toBe("i32");
  const saved = saveSequence(startSequence(graph!, 4));
  expect([...restoreSequence(graph!, 4, { ...saved, states: [1e9] }).states]).toEqual([2 ** 24]);
  const spec = { ggsl: 1, ...graph! };
  expect(fromSpec(spec)).toEqual(graph);
  expect(() => fromSpec({ ...spec, states: [{ ...graph!.states[0], type: "bool" }] })).toThrow(/states\[0\]\.type/);
});
