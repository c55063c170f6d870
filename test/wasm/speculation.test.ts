/** Texts with drafts in WebAssembly: in the graph, and row by row where the states depend on logits. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadModelFromBytes, type Model } from "../../runtime/models/model.js";
import { writeExactModel } from "../model/file.js";
import { CHAINS, textOf } from "../speculation/chains.js";
import { isBuilt, llamaTest } from "./llamaTest.js";

let folder: string;
let model: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-wasm-speculation-"));
  if (isBuilt) model = await loadModelFromBytes(readFileSync(writeExactModel(folder)), { contextSize: 256 });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  if (isBuilt) model.dispose();
});

for (const name of ["greedy", "penalties", "mirostat_v2", "tail"])
  llamaTest(`${name} writes the same text with drafts`, async () => {
    const wanted = await textOf(model, CHAINS[name]!, { maxTokens: 12 });
    const speculate = { ngram: { min: 1, tokens: 4, adapt: false } };
    const found = await textOf(model, CHAINS[name]!, { maxTokens: 12, speculate });
    expect(found.tokens).toEqual(wanted.tokens);
    expect(found.stats.drafted).toBeGreaterThan(0);
  });

llamaTest("a model drafts for itself", async () => {
  const wanted = await textOf(model, CHAINS["greedy"]!, { maxTokens: 12 });
  const speculate = { draft: model, tokens: 3, adapt: false };
  const found = await textOf(model, CHAINS["greedy"]!, { maxTokens: 12, speculate });
  expect(found.tokens).toEqual(wanted.tokens);
  expect(found.stats.accepted).toBeGreaterThan(4);
});
