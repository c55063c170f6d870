/** Shared beginnings and pieces of prompts in WebAssembly. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect } from "@jest/globals";
import type { GenerationBatch } from "../../runtime/models/batch.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import type { Generation } from "../../runtime/generation/generate.js";
import { loadModelFromBytes, type Model } from "../../runtime/models/model.js";
import { DEMO_MODEL, endless } from "../model/file.js";
import { isBuilt, llamaTest } from "./llamaTest.js";

const CHAIN = compilePipeline("logit_bias() |> top_k(40) |> dist(1)");
const STORY =
  "And it came to pass, that the king said unto them, Go ye into the land of Egypt, and bring me word again. ";

let model: Model;
beforeAll(async () => {
  if (isBuilt) model = await loadModelFromBytes(readFileSync(DEMO_MODEL), { contextSize: 512 });
});
afterAll(() => {
  if (isBuilt) model.dispose();
});

const prompt = (length: number): Int32Array => model.tokenize(STORY.repeat(20)).slice(0, length);
const add = (batch: GenerationBatch, tokens: Int32Array, maxTokens = 4): Generation =>
  batch.add(tokens, { chain: CHAIN, maxTokens, ...endless(model) });
async function tokensOf(generation: Generation): Promise<number[]> {
  const tokens: number[] = [];
  for await (const { token } of generation) tokens.push(token);
  return tokens;
}

llamaTest("texts of one prompt read it once, and a conversation goes on", async () => {
  using batch = model.batch({ sequences: 3 });
  const generations = [1, 2, 3].map(() => add(batch, prompt(120)));
  const [text] = await Promise.all(generations.map(tokensOf));
  expect(generations.map((one) => one.stats().computedPromptTokens)).toEqual([120, 1, 1]);
  const second = add(batch, Int32Array.from([...prompt(120), ...text!, 5, 6, 7]));
  expect((await tokensOf(second)).length).toBe(4);
  expect(second.stats().computedPromptTokens).toBe(4);
});

llamaTest("a long prompt is read in pieces while another text is written", async () => {
  using batch = model.batch({ sequences: 2, promptBatch: 32 });
  const written: number[] = [];
  const progress: number[] = [];
  const writer = (async () => {
    for await (const { token } of add(batch, prompt(9), 40)) written.push(token);
  })();
  while (written.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const from = written.length;
  const reader = batch.add(prompt(300).fill(7, 0, 1), {
    chain: CHAIN,
    maxTokens: 1,
    ...endless(model),
    onPromptProgress: (read) => progress.push(read),
  });
  await tokensOf(reader);
  expect(written.length - from).toBeGreaterThanOrEqual(8);
  expect(progress.slice(0, 3)).toEqual([32, 64, 96]);
  await writer;
  expect(written.length).toBe(40);
});

llamaTest("while a batch waits for its task, statistics can be read, and the context can be disposed", async () => {
  const batch = model.batch({ sequences: 1 });
  const generation = add(batch, prompt(9), 9);
  const iterator = generation[Symbol.asyncIterator]();
  await iterator.next();
  const second = iterator.next();
  const third = iterator.next();
  await second;
  for (let i = 0; i < 5; i++) await Promise.resolve();
  expect(generation.stats().generatedTokens).toBeGreaterThan(0);
  const faults: unknown[] = [];
  const onFault = (fault: unknown): unknown => faults.push(fault);
  process.on("unhandledRejection", onFault);
  batch.dispose();
  await expect(third).rejects.toThrow("these sequences were disposed");
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off("unhandledRejection", onFault);
  expect(faults).toEqual([]);
});
