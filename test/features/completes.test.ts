/** The column `completes`, against every sequence compared with the whole text. */
import { describe, expect, test } from "@jest/globals";
import { compileProgram, graphOf } from "../../compiler/driver.js";
import { fromSpec, readSpec, toSpec, writeSpec } from "../../compiler/graph/json.js";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { loadModel } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/demo.js";

const V = 12;
const BACKENDS = ["reference", "cpu", "wasm"] as const;
const SEQUENCES = [[3], 5, [1, 2], [2, 1], [1, 1, 1], [1, 2, 1, 2], [0, 4, 4], [2, 3], [1, 3]] as const;

/** A generator of numbers below `limit`. */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
}

/** For each token, with how many of the sequences the text then ends. */
const plainly = (text: readonly number[]): number[] =>
  Array.from(
    { length: V },
    (_, token) =>
      SEQUENCES.map((s) => (typeof s === "number" ? [s] : s)).filter((s) => {
        const end = [...text, token].slice(-s.length);
        return end.length === s.length && s.every((part, i) => part === end[i]);
      }).length,
  );

const sourceOf = (list: string): string => `import { greedy } from "std"
sampler words(static list: list = ${list}) {
  logit -= 100 * completes(list)
}
chain c() = words() |> greedy()`;
const graph = compile(sourceOf(JSON.stringify(SEQUENCES))).rowsGraph;

test.each(BACKENDS)("each text, on %s", (backend) => {
  const random = generator(5);
  using evaluator = createEvaluator(graph, V, { backend, history: [1, 2] });
  const text = [1, 2];
  for (let i = 0; i < 60; i++) {
    const logits = Array.from({ length: V }, (_, token) => token / 100);
    const { candidates } = evaluator.evaluate(logits);
    const found = Array.from({ length: V }, () => 0);
    for (const { token, logit } of candidates) found[token] = Math.round(Math.max(0, -logit) / 100);
    expect([text, found]).toEqual([text, plainly(text)]);
    const token = random(5);
    text.push(token);
    evaluator.accept(token);
  }
});

test("it uploads a pair for each sequence, and keeps the longest sequence of the text but for one token", () => {
  const feature = graph.features.find(({ from }) => from.kind === "completes")!;
  expect(feature.form).toEqual({ kind: "sparse", capacity: SEQUENCES.length, fill: 0 });
  expect(readSpec(writeSpec(graph))).toEqual(graph);
});

test("an empty list holds for no token", () => {
  using evaluator = createEvaluator(compile(sourceOf("[]")).graph, 2, { backend: "reference" });
  expect(evaluator.evaluate([1, 0]).token).toBe(0);
});

describe("what is refused", () => {
  const open = (list: string): unknown =>
    createEvaluator(compile(sourceOf(list)).graph, 4, { backend: "reference" }).dispose();
  test("texts without a vocabulary, and ids beyond it", () => {
    expect(() => open('[[1], " New York"]')).toThrow(
      /has the text " New York", which needs a model's vocabulary; without one, give lists of token ids/,
    );
    expect(() => open("[[4, 1]]")).toThrow(/4 is not a token of a vocabulary of 4/);
    const vocabulary = ["a", "b", "c", "d"];
    const ofText = compile(sourceOf('["axe"]')).graph;
    expect(() => createEvaluator(ofText, 4, { backend: "reference", feed: { vocabulary } })).toThrow(
      /no token of the vocabulary begins "xe"/,
    );
  });
  test.each([[[[]]], [[""]], [[-1]], [[[1.5]]], [[["a"]]], ["a"], [Array(4097).fill(1)]])(
    "a spec with %j",
    (sequences) => {
      const changed = JSON.parse(JSON.stringify(toSpec(graph))) as { features: { from: { sequences: unknown } }[] };
      changed.features[0]!.from.sequences = sequences;
      expect(() => fromSpec(changed)).toThrow(/sequences: expected a list of at most 4096 texts, token ids/);
    },
  );
  test("more sequences than the limit of lists", () => {
    const source = sourceOf(`[${Array(65).fill("[1, 2]").join()}]`);
    const { diagnostics } = compileProgram(source, { limits: "strict" });
    expect(diagnostics.map((d) => d.message)).toEqual([expect.stringContaining("at most 64 are allowed, found 65")]);
  });
});

test("texts are cut into tokens by the vocabulary", () => {
  const { graph: words } = compile(sourceOf('["abab", "c"]'));
  const feed = { vocabulary: ["a", "b", "ab", "c"] };
  const pick = (history: readonly number[]): number | null => {
    using evaluator = createEvaluator(words, 4, { backend: "reference", feed, history });
    return evaluator.evaluate([0, 1, 2, 3]).token;
  };
  expect([pick([]), pick([0]), pick([2]), pick([0, 1])]).toEqual([2, 2, 1, 2]);
});

test("a banned phrase does not occur in a model's text", async () => {
  using model = await loadModel(DEMO_MODEL);
  const textOf = async (chain: ReturnType<typeof compile>): Promise<string> => {
    let text = "";
    for await (const piece of model.generate("In the beginning", { chain, maxTokens: 80 })) text += piece.text;
    return text;
  };
  const plain = await textOf(compile(`import { greedy } from "std"\nchain c() = greedy()`));
  const phrase = / (\w+ \w+ \w+)/.exec(plain)![0];
  const chain = compile(sourceOf(JSON.stringify([phrase])));
  const banned = await textOf(chain);
  expect(plain).toContain(phrase);
  expect(banned).not.toContain(phrase);
  expect(graphOf(compileProgram(sourceOf(JSON.stringify([phrase])))).features).toHaveLength(1);
});
