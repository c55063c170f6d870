/** Chains in onnxruntime-node give what the reference gives: tokens, rows, probabilities and states. */
import { describe, expect, test } from "@jest/globals";
import { EXAMPLES, STANDARD, TYPICAL } from "./chains.js";
import { expectSame } from "./compare.js";
import { openOnnx } from "./ort.js";
import { expectColumn } from "./page.js";

const V = 2000;

/** How many tokens of each chain are the reference's, with the same rows. */
const compared = new Map<string, number>();
const count = (name: string, tokens: number): unknown => compared.set(name, (compared.get(name) ?? 0) + tokens);

describe.each([...STANDARD, ...EXAMPLES, ...TYPICAL])("$name", ({ name, graph, uniforms = {} }) => {
  test("alone", () => {
    using onnx = openOnnx(graph, V);
    // states go on from token to token
    const steps = graph.states.length > 0 ? 20 : 2;
    count(name, expectSame(graph, { vocabSize: V, rows: 1, steps, uniforms }, onnx.run));
  });

  test("8 sequences at once, with a model for any vocabulary", () => {
    using onnx = openOnnx(graph, V, { isSymbolic: true });
    count(name, expectSame(graph, { vocabSize: V, rows: 8, steps: 1, uniforms, seed: 1 }, onnx.run));
  });
});

test("the chains have inputs of every kind", () => {
  const kinds = [...STANDARD, ...EXAMPLES].flatMap(({ graph }) => graph.inputs.map(({ source }) => source.kind));
  expect([...new Set(kinds)].sort()).toEqual(["bits", "dense", "ids", "logits", "values"]);
});

test("docs/runtimes.md says how many tokens were compared", () => {
  expectColumn("ONNX Runtime", (name) => `${compared.get(name) ?? 0} tokens`);
});
