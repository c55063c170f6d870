/** Texts of more tokens than a call can have arguments: about 125 000. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { greatest, least } from "../../compiler/core/extremes.js";
import { compilePipeline, loadModel, type Model } from "../../runtime/index.js";
import { DEMO_MODEL } from "../model/file.js";
import { isBuilt } from "../wasm/llamaTest.js";

const COUNT = 130_000;
const TEXT = "light ".repeat(COUNT);

test("extremes of lists of any length", () => {
  const values = Array.from({ length: COUNT }, (_, i) => (i * 7919) % COUNT);
  expect([greatest(values), least(values)]).toEqual([COUNT - 1, 0]);
  expect([greatest(values, COUNT), least(values, -1)]).toEqual([COUNT, -1]);
  expect([greatest([], 3), least([])]).toEqual([3, Infinity]);
});

describe.each(["cpu", ...(isBuilt ? (["wasm"] as const) : [])] as const)("on %s", (backend) => {
  let model: Model;
  beforeAll(async () => {
    model = await loadModel(DEMO_MODEL, { backend, contextSize: 256 });
  });
  afterAll(() => model.dispose());

  test("are tokenized, and are texts again", () => {
    const tokens = model.tokenize(TEXT);
    expect(tokens.length).toBeGreaterThan(COUNT);
    const text = [...tokens].map((token) => model.textOf(token)).join("");
    expect(text.slice(text.indexOf("light")).trim()).toBe(TEXT.trim());
  });

  test.each<[string, string | Int32Array]>([
    ["a text", TEXT],
    ["tokens", new Int32Array(COUNT).fill(5)],
  ])("%s of them is refused for its length", async (_, prompt) => {
    const chain = compilePipeline("greedy()");
    const refusal = { code: "CONTEXT_FULL", message: expect.stringMatching(/\b13\d{4}\b/) as unknown };
    const read = async (texts: AsyncIterable<unknown>): Promise<void> => {
      for await (const piece of texts) expect(piece).toBeUndefined();
    };
    await expect((async () => read(model.generate(prompt, { chain, maxTokens: 1 })))()).rejects.toMatchObject(refusal);
    await expect((async () => model.logits(prompt))()).rejects.toMatchObject(refusal);
    const batch = model.batch({ sequences: 2, contextSize: 128 });
    await expect((async () => read(batch.add(prompt, { chain, maxTokens: 1 })))()).rejects.toMatchObject(refusal);
    // the other sequence still serves
    await expect(read(batch.add("In", { chain, maxTokens: 0 }))).resolves.toBeUndefined();
    batch.dispose();
  });
});
