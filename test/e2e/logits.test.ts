/** A model's logits outside of it: chains on them pick what they pick in the model's graph. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { AbortError, InputError } from "../../runtime/core/errors.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { DEMO_MODEL, endless, EXACT, writeExactModel } from "../model/demo.js";
import { loadOracle } from "../native/oracle.js";

const PROMPT = "In the beginning";
let model: Model;
beforeAll(async () => {
  model = await loadModel(DEMO_MODEL, { backend: "cpu" });
});
afterAll(() => model.dispose());

test("a chain on the logits of a growing text picks the tokens of a generation, with their probabilities", async () => {
  // a text that is read as a whole rounds otherwise than one that is written token by token
  const folder = mkdtempSync(join(tmpdir(), "ggsl-logits-"));
  using exact = await loadModel(writeExactModel(folder), { backend: "cpu", ...EXACT });
  rmSync(folder, { recursive: true });
  // no row is left out, so none is at the edge of what is left
  const chain = compilePipeline("logit_bias() |> temp(0.8) |> dist(42)");
  const options = { chain, ...endless(exact) };
  let text = exact.tokenize(PROMPT);
  let step = 0;
  for await (const piece of exact.generate(PROMPT, { ...options, maxTokens: 12, alternatives: 3 })) {
    const logits = await exact.logits(text);
    expect(logits).toHaveLength(exact.info.vocabSize);
    const { candidates } = await chain.evaluate(logits, { backend: "cpu", ...endless(exact) });
    const found = candidates.find(({ token }) => token === piece.token);
    expect([step, found?.prob]).toEqual([step, expect.closeTo(piece.probability!, 4)]);
    text = Int32Array.of(...text, piece.token);
    step++;
  }
  expect(step).toBe(12);
  // the first draw is that of the first token
  const { token } = await chain.evaluate(await exact.logits(PROMPT), { backend: "cpu", ...endless(exact) });
  expect(token).toBe(text[exact.tokenize(PROMPT).length]);
});

test("the best of them is what llama.cpp picks greedily, also after a long prompt", async () => {
  const long = model.tokenize("And the king of the land said unto the people of the city. ".repeat(24));
  for (const prompt of [model.tokenize(PROMPT), long.subarray(0, 400)]) {
    const logits = await model.logits(prompt, { contextSize: 512 });
    const [best] = loadOracle().generateReference({ model: DEMO_MODEL, prompt, samplers: [{ name: "greedy" }] }, 1);
    expect(logits.indexOf(Math.max(...logits))).toBe(best);
  }
});

test("what does not fit is an error that says so", async () => {
  const long = "word ".repeat(600);
  await expect(model.logits(long)).rejects.toThrow(InputError);
  await expect(model.logits(long, { contextSize: 256 })).rejects.toThrow(
    /the prompt has \d+ tokens, and the context size is 256: shorten/,
  );
  await expect(model.logits(Int32Array.of(5, 2048))).rejects.toThrow(
    "`prompt[1]` must be an integer from 0 to 2047, found 2048",
  );
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
