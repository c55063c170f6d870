/** Chains that read the logits of another sequence, with a model in WebAssembly: as in test/e2e/guides.test.ts. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { loadModelFromBytes, type Model } from "../../runtime/models/model.js";
import { writeExactModel } from "../model/file.js";
import { expectGuided, guidance, guidedText } from "../model/guides.js";
import { textOf } from "../model/ties.js";
import { isBuilt, llamaTest } from "./llamaTest.js";

const CHAIN = compilePipeline("cfg(2.5) |> greedy()");
const PAIRS = [
  ["In the beginning", "And"],
  ["Behold", "The LORD is my shepherd; I shall not want"],
] as const;
const COUNT = 6;

let folder: string;
let model: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-wasm-guides-"));
  if (isBuilt) model = await loadModelFromBytes(readFileSync(writeExactModel(folder)), { contextSize: 256 });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  if (isBuilt) model.dispose();
});

llamaTest("two generations at once pick what combined logits give", async () => {
  using batch = model.batch({ sequences: 4 });
  const generations = PAIRS.map(([prompt, guide]) =>
    batch.add(prompt, { chain: CHAIN, maxTokens: COUNT, guides: { negative: { prompt: guide } } }),
  );
  const texts = await Promise.all(generations.map((generation) => textOf(model, generation)));
  expect(generations[0]!.stats().readbackBytes).toBe(2 * 4);
  let certain = 0;
  for (const [i, [prompt, guide]] of PAIRS.entries()) {
    const tokens = [model.tokenize(prompt), model.tokenize(guide)] as const;
    // the cache and the attention have half precision
    certain += expectGuided(texts[i]!, await guidedText(model, tokens, guidance(2.5), COUNT), 0.05);
  }
  expect(certain).toBeGreaterThan(COUNT);
});

llamaTest("a missing guide, and one on the host", async () => {
  expect(() => model.generate("Behold", { chain: CHAIN })).toThrow(
    "the chain `chain` reads the logits of another sequence, `negative`",
  );
  const options = { chain: CHAIN, maxTokens: COUNT, guides: { negative: { prompt: "And" } } };
  const host = await textOf(model, model.generate("Behold", { ...options, placement: "host" }));
  expect(host).toEqual(await textOf(model, model.generate("Behold", options)));
});
