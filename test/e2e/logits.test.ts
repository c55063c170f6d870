/** A model's logits outside of it: chains on them pick what they pick in the model's graph. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { compilePipeline } from "../../runtime/chain.js";
import { AbortError, InputError } from "../../runtime/errors.js";
import { loadModel, type Model } from "../../runtime/model.js";
import { loadOracle } from "../native/oracle.js";

const MODEL = "examples/model/demo-q8_0.gguf";
const PROMPT = "In the beginning";
let model: Model;
beforeAll(async () => {
  model = await loadModel(MODEL, { backend: "cpu" });
});
afterAll(() => model.dispose());

test("a chain on the logits of a growing text picks the tokens of a generation, with their probabilities", async () => {
  const stages = "top_k(40) |> min_p(0.05) |> temp(0.8) |> dist(42)";
  const chain = compilePipeline(stages);
  let text = model.tokenize(PROMPT);
  let step = 0;
  for await (const piece of model.generate(PROMPT, { chain, maxTokens: 12, alternatives: 3 })) {
    const logits = await model.logits(text);
    expect(logits).toHaveLength(model.info.vocabSize);
    const { candidates } = await chain.evaluate(logits, { backend: "cpu" });
    const found = candidates.find(({ token }) => token === piece.token);
    expect([step, found?.prob]).toEqual([step, expect.closeTo(piece.probability!, 4)]);
    text = Int32Array.of(...text, piece.token);
    step++;
  }
  expect(step).toBe(12);
  // the first draw is that of the first token
  const { token } = await chain.evaluate(await model.logits(PROMPT), { backend: "cpu" });
  expect(token).toBe(text[model.tokenize(PROMPT).length]);
});

test("the best of them is what llama.cpp picks greedily, also after a long prompt", async () => {
  const long = model.tokenize("And the king of the land said unto the people of the city. ".repeat(24));
  for (const prompt of [model.tokenize(PROMPT), long.subarray(0, 400)]) {
    const logits = await model.logits(prompt, { contextSize: 512 });
    const [best] = loadOracle().generateReference(MODEL, prompt, [{ name: "greedy" }], 1);
    expect(logits.indexOf(Math.max(...logits))).toBe(best);
  }
});

test("what does not fit is an error that says so", async () => {
  const long = "word ".repeat(600);
  await expect(model.logits(long)).rejects.toThrow(InputError);
  await expect(model.logits(long, { contextSize: 256 })).rejects.toThrow(
    /the prompt has \d+ tokens, and the context size is 256: shorten/,
  );
  await expect(model.logits(Int32Array.of(5, 2048))).rejects.toThrow("token 2048 of the prompt is outside");
  await expect(model.logits(new Int32Array())).rejects.toThrow("the prompt is empty");
  await expect(model.logits(PROMPT, { contextSize: 0 })).rejects.toThrow("`contextSize` must be");
});

test("reading is stopped before it begins, and while it goes on", async () => {
  await expect(model.logits(PROMPT, { signal: AbortSignal.abort() })).rejects.toThrow(AbortError);
  const abort = new AbortController();
  const reading = model.logits(new Int32Array(500).fill(7), { signal: abort.signal });
  abort.abort();
  await expect(reading).rejects.toThrow(AbortError);
});
