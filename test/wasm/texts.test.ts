/** Stop texts, texts that must not end, log-probabilities and rewind with a model in WebAssembly, beside a native one. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { compilePipeline } from "../../runtime/chain/chain.js";
import type { GenerateOptions, Generation, Piece } from "../../runtime/generation/generate.js";
import { loadModelFromBytes, type Model } from "../../runtime/models/model.js";
import { llamaModulePath } from "../../runtime/core/root.js";
import { ModelWorker } from "../../runtime/models/thread/client.js";
import type { WebPort } from "../../runtime/core/requests.js";
import type { Token } from "../../runtime/models/thread/messages.js";
import { serve } from "../../runtime/models/thread/serve.js";
import { endless, writeExactModel } from "../model/file.js";
import { isBuilt, llamaTest } from "./llamaTest.js";

const PROMPT = "In the beginning";
let bytes: Uint8Array;
let model: Model;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-"));
  bytes = readFileSync(writeExactModel(folder));
  rmSync(folder, { recursive: true });
  if (isBuilt) model = await loadModelFromBytes(bytes);
});
afterAll(() => {
  if (isBuilt) model.dispose();
});

const CHAIN = compilePipeline("logit_bias() |> penalties(16, 1.3, 0.2, 0.1) |> top_k(20) |> temp(0.9) |> dist(4)");
const start = (options: Partial<GenerateOptions> = {}): Generation =>
  model.generate(PROMPT, { chain: CHAIN, maxTokens: 24, contextSize: 256, ...endless(model), ...options });

async function read(generation: Generation): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const piece of generation) pieces.push(piece);
  return pieces;
}

llamaTest("stop texts and taking tokens back", async () => {
  const whole = await read(start());
  const stop = whole
    .slice(9, 12)
    .map(({ text }) => text)
    .join("");
  const generation = start({ stop: [stop] });
  const found: Piece[] = [];
  let isBack = false;
  for await (const piece of generation) {
    found.push(piece);
    if (found.length !== 7 || isBack) continue;
    isBack = true;
    generation.rewind(5);
    found.splice(2);
  }
  expect(found.map(({ token }) => token)).toEqual(whole.slice(0, found.length).map(({ token }) => token));
  expect(found.map(({ text }) => text).join("")).toBe(
    whole
      .map(({ text }) => text)
      .join("")
      .split(stop)[0],
  );
  expect(generation.stats()).toMatchObject({ finish: "stop", stopText: stop });
});

llamaTest("log-probabilities are those of the raw logits, in the same graph", async () => {
  const generation = start({ logprobs: 3, alternatives: 2, maxTokens: 4 });
  const pieces = await read(generation);
  const logits = await model.logits(PROMPT, { contextSize: 256 });
  const most = logits.reduce((a, b) => Math.max(a, b));
  const total = most + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - most), 0));
  const { token, logprob, logprobs, probability } = pieces[0]!;
  expect(logprob).toBeCloseTo(logits[token]! - total, 9);
  const likeliest = [...logits.keys()].sort((a, b) => logits[b]! - logits[a]!).slice(0, 3);
  expect(logprobs!.map((one) => one.token)).toEqual(likeliest);
  expect(probability).toBeGreaterThan(0);
  const plain = start({ maxTokens: 4 });
  expect((await read(plain)).map((piece) => piece.token)).toEqual(pieces.map((piece) => piece.token));
  expect(plain.stats().nodes).toBe(generation.stats().nodes);
  expect(plain.stats().graphBuilds).toBe(generation.stats().graphBuilds);
});

llamaTest("the fewest tokens are as with min_tokens in front of the chain", async () => {
  const soon = { feed: { bias: new Map([[model.info.eos, 60]]) }, maxTokens: 12 };
  const stages = "logit_bias() |> top_k(20) |> temp(0.9) |> dist(4)";
  const std = await read(start({ chain: compilePipeline(`min_tokens(7) |> ${stages}`), ...soon }));
  const chain = compilePipeline(stages);
  expect(await read(start({ chain, minTokens: 7, ...soon }))).toEqual(std);
  expect(std.length).toBe(7);
  expect(await read(start({ chain, ignoreEnd: true, ...soon }))).toHaveLength(12);
});

llamaTest("a worker passes the options on", async () => {
  const channel = new MessageChannel() as unknown as { port1: WebPort & { close(): void }; port2: WebPort };
  serve(channel.port1);
  const worker = new ModelWorker(channel.port2);
  await worker.load(bytes, pathToFileURL(llamaModulePath()));
  const chain = compilePipeline("top_k(20) |> temp(0.9) |> dist(4)");
  const options = { maxTokens: 24, contextSize: 256, ignoreEnd: true };
  const whole = await read(model.generate(PROMPT, { chain, ...options }));
  const stop = whole
    .slice(9, 11)
    .map(({ text }) => text)
    .join("");
  const generation = worker.generate(PROMPT, {
    chain,
    stop: [stop],
    minTokens: 3,
    logprobs: 2,
    alternatives: 2,
    ...options,
  });
  const tokens: Token[] = [];
  for await (const token of generation) tokens.push(token);
  expect(tokens.map(({ token }) => token)).toEqual(whole.slice(0, tokens.length).map(({ token }) => token));
  for (const { logprob, logprobs, alternatives } of tokens) {
    expect(logprob).toBeLessThan(0);
    expect(logprobs!.map(({ token, text }) => text === model.textOf(token))).toEqual([true, true]);
    expect(alternatives).toHaveLength(2);
  }
  expect(await generation.end).toMatchObject({ finish: "stop", stats: { stopText: stop } });
  const without = worker.generate(PROMPT, { chain, bannedPhrases: [stop], ...options });
  let text = "";
  for await (const token of without) text += token.text;
  expect(text).not.toContain(stop);
  const { stats } = await without.end;
  expect(stats!.rewinds).toBeGreaterThan(0);
  // as the model in this process, and as the native one
  const healed: number[] = [];
  for await (const { token } of worker.generate("And the LORD comm", { chain, heal: true, ...options }))
    healed.push(token);
  const own = await read(model.generate("And the LORD comm", { chain, heal: true, ...options }));
  expect(healed).toEqual(own.map(({ token }) => token));
  expect(own.map((piece) => piece.text).join("")).toMatch(/^[a-z]/);
  const refused = worker.generate(PROMPT, { chain, stop: [""] });
  await expect(refused.end).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  channel.port1.close();
});
