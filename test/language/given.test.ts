/** What a caller may give is a fact of the source: it does not depend on what the optimizer removes. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/file.js";

const SOURCE = `import { top_k, logit_bias, dist } from "std"
input dense: f32
input few: f32 sparse(4) = 0
input other: logits
input source: tokens(8)

sampler given() { logit += dense + few + 0.001 * other + occurrences(-1, in: source) + repeat_len(4, in: source) }

/// With 1, only the best row is left, and nothing that comes later has an effect.
chain c(static k: i32 >= 1, g: grammar = "root ::= [a-z ]+", u: f32 = 1) = top_k(k) |> logit_bias() |> given() |> dist(7)
`;
const WAYS = [1, 2].flatMap((k) => [true, false].map((optimize) => ({ k, optimize })));

test.each(WAYS)("features of the graph with %j", ({ k, optimize }) => {
  const { graph } = compile(SOURCE, { set: { k }, optimize });
  const names = graph.features.map(({ from }) => {
    const text = "in" in from && typeof from.in === "object" ? from.in.input : undefined;
    return "name" in from ? from.name : (text ?? from.kind);
  });
  expect([...new Set(names)].sort()).toEqual(["bias", "dense", "few", "other", "source"]);
});

describe.each(["reference", "cpu", "wasm"] as const)("on %s", (backend) => {
  test.each(WAYS)("with %j", ({ k, optimize }) => {
    const { graph } = compile(SOURCE, { set: { k }, optimize });
    const inputs = { dense: [0, 0, 0], few: new Map([[1, 3]]), other: [0, 0, 0], source: [1] };
    const bias = new Map([[2, -50]]);
    using evaluator = createEvaluator(graph, 3, { backend, feed: { bias, inputs }, uniforms: { u: 2 } });
    // without the others, 2 is the best; with two rows, the bias drops it
    expect(evaluator.evaluate([0, 5, 6]).token).toBe(k === 1 ? 2 : 1);
  });
});

describe("in a text", () => {
  let model: Model;
  beforeAll(async () => {
    model = await loadModel(DEMO_MODEL, { contextSize: 256 });
  });
  afterAll(() => model.dispose());

  test.each(WAYS)("with %j", async ({ k, optimize }) => {
    const chain = compile(SOURCE, { set: { k }, optimize });
    const inputs = { dense: new Float32Array(model.info.vocabSize), few: new Map([[1, 0]]), source: [1, 2] };
    const guides = { other: { prompt: "Another" } };
    const feed = { bias: new Map([[7, 1]]), inputs };
    let count = 0;
    for await (const _ of model.generate("Once upon", { chain, maxTokens: 6, feed, guides })) count++;
    expect(count).toBeGreaterThan(0);
  });
});
