/** What sequences share and keep, on real models: texts are as without it, and only what is new is computed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { GenerationBatch } from "../../runtime/batch.js";
import { compile, compilePipeline, type Chain } from "../../runtime/chain.js";
import { AbortError } from "../../runtime/errors.js";
import type { Generation, SequenceRequest } from "../../runtime/generate.js";
import { loadBinding } from "../../runtime/native/loader.js";
import { MAMBA, WINDOW, WINDOWS, writeModel } from "../model/architectures.js";
import { endless, EXACT, writeExactModel } from "../model/demo.js";
import { recorded, tokensIn, type Recorded } from "../model/recorded.js";
import { textOf } from "../model/ties.js";

const CREATIVE = compile(`
import { logit_bias, top_k, temp, dist } from "std"
chain creative(seed: seed = 1) = logit_bias() |> top_k(40) |> temp(0.8) |> dist(seed)
`);
const OTHER = compilePipeline("logit_bias() |> top_k(7) |> dist(3)");
const STORY =
  "And it came to pass, that the king said unto them, Go ye into the land of Egypt, and bring me word again. ";
const COUNT = 12;

let folder: string;
const models: Record<string, Recorded> = {};
let model: Recorded;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-places-"));
  const load = async (name: string, path: string): Promise<void> => {
    models[name] = recorded(await loadBinding().loadModel(path, { gpuLayers: 0 }), { ...EXACT, threads: 1 });
  };
  await load("demo", writeExactModel(folder));
  for (const [name, architecture] of Object.entries({ mamba: MAMBA, windows: WINDOWS })) {
    const path = join(folder, `${name}.gguf`);
    writeModel(path, architecture);
    await load(name, path);
  }
  model = models["demo"]!;
});
afterAll(() => {
  for (const { native } of Object.values(models)) native.dispose();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  for (const one of Object.values(models)) {
    one.batches.length = 0;
    one.calls.length = 0;
    one.onBatch = undefined;
  }
});

const open = (sequences: number, from = model): GenerationBatch => from.open({ sequences, contextSize: 512 });
const prompt = (length: number, from = 0): Int32Array =>
  model.native.tokenize(STORY.repeat(30), false, false).slice(from, from + length);
const request = (options: Partial<SequenceRequest> = {}): SequenceRequest => ({
  ...{ chain: CREATIVE, maxTokens: COUNT, ...endless(model.native), ...options },
});
const tokensOf = (generation: Generation): Promise<number[]> => textOf(model.native, generation);

/** What a batch of one sequence writes that has read nothing before. */
async function alone(tokens: Int32Array, options: Partial<SequenceRequest> = {}, from = model): Promise<number[]> {
  const needed = 1 + Object.keys(options.guides ?? {}).length;
  using batch = open(needed, from);
  return await tokensOf(batch.add(tokens, request(options)));
}

const join2 = (...parts: ArrayLike<number>[]): Int32Array => Int32Array.from(parts.flatMap((part) => Array.from(part)));

test("eight texts of one prompt read it once", async () => {
  using batch = open(8);
  const tokens = prompt(400);
  const seeds = Array.from({ length: 8 }, (_, i) => ({ uniforms: { seed: i + 1 } }));
  const generations = seeds.map((options) => batch.add(tokens, request(options)));
  const texts = await Promise.all(generations.map(tokensOf));
  expect(tokensIn(model.batches)).toBe(399 + 8 * COUNT);
  expect(generations.map((one) => one.stats().computedPromptTokens)).toEqual([400, 1, 1, 1, 1, 1, 1, 1]);
  expect(generations.map((one) => one.stats().promptTokens)).toEqual(Array(8).fill(400));
  for (const i of [0, 1, 7]) expect(texts[i]).toEqual(await alone(tokens, seeds[i]));
});

test("who reads the common beginning is aborted, and the others go on by themselves", async () => {
  using batch = model.open({ sequences: 3, contextSize: 640 });
  const tokens = prompt(600);
  const abort = new AbortController();
  const first = tokensOf(batch.add(tokens, request({ onPromptProgress: () => abort.abort(), signal: abort.signal })));
  const others = [1, 2].map((seed) => tokensOf(batch.add(tokens, request({ uniforms: { seed } }))));
  await expect(first).rejects.toThrow(AbortError);
  const texts = await Promise.all(others);
  model.batches.length = 0;
  for (const [i, text] of texts.entries()) {
    using single = model.open({ sequences: 1, contextSize: 640 });
    expect(text).toEqual(await tokensOf(single.add(tokens, request({ uniforms: { seed: i + 1 } }))));
  }
});

test("a conversation goes on without being read again", async () => {
  using batch = open(2);
  const first = prompt(300);
  const answer = await tokensOf(batch.add(first, request()));
  const second = join2(first, answer, prompt(20, 40));
  const generation = batch.add(second, request({ uniforms: { seed: 5 } }));
  const text = await tokensOf(generation);
  // the last token of the answer was picked, and not read
  expect(generation.stats().computedPromptTokens).toBe(1 + 20);
  expect(text).toEqual(await alone(second, { uniforms: { seed: 5 } }));
});

test("a saved text goes on where it was, and where another text was in between", async () => {
  using batch = open(2);
  const tokens = prompt(100);
  const whole = await alone(tokens, { maxTokens: 2 * COUNT });
  const begun = batch.add(tokens, request());
  const half = await tokensOf(begun);
  const saved = begun.save();
  await tokensOf(batch.add(prompt(50, 13), request()));
  const rest = batch.add(saved.tokens, request({ resume: saved.sequence }));
  expect([...half, ...(await tokensOf(rest))]).toEqual(whole);
  expect(rest.stats().computedPromptTokens).toBe(1);
});

test("a common beginning is copied to the place that was not used for longest; the other text stays", async () => {
  using batch = open(3);
  const common = prompt(60);
  const [a, b] = [join2(common, prompt(200, 100)), join2(common, prompt(30, 400))];
  await tokensOf(batch.add(a, request()));
  await tokensOf(batch.add(b, request()));
  expect(model.calls.filter((call) => call.startsWith("copy"))).toEqual(["copy 0 1"]);
  model.batches.length = 0;
  const again = batch.add(a, request());
  await tokensOf(again);
  expect(again.stats().computedPromptTokens).toBe(1);
});

test("the place with the chain is taken, and what another one has read is copied to it", async () => {
  using batch = open(2);
  const tokens = prompt(120);
  await tokensOf(batch.add(tokens, request()));
  await tokensOf(batch.add(prompt(20, 300), request({ chain: OTHER })));
  expect(model.calls.filter((call) => call.startsWith("setChain"))).toEqual(["setChain 1"]);
  const generation = batch.add(tokens, request({ chain: OTHER }));
  const text = await tokensOf(generation);
  expect(generation.stats().computedPromptTokens).toBe(1);
  expect(model.calls.filter((call) => call.startsWith("setChain"))).toHaveLength(1);
  expect(text).toEqual(await alone(tokens, { chain: OTHER }));
});

test("guides keep and share their texts, too", async () => {
  const chain = compilePipeline("cfg(1.5) |> logit_bias() |> top_k(20) |> dist(5)");
  const [main, negative] = [prompt(200), join2(prompt(150), prompt(20, 300))];
  const guided = request({ chain, guides: { negative: { prompt: negative } } });
  using batch = open(4);
  const generations = [1, 2].map(() => batch.add(main, guided));
  const texts = await Promise.all(generations.map(tokensOf));
  // the guide shares 150 tokens with the text, and the second pair all but the last ones
  expect(tokensIn(model.batches)).toBe(200 + 20 + 2 + 4 * (COUNT - 1));
  const wanted = await alone(main, guided);
  expect(texts).toEqual([wanted, wanted]);
});

test("a text that was aborted while it was computed is read again", async () => {
  using batch = open(1);
  const tokens = prompt(300);
  const abort = new AbortController();
  model.onBatch = () => queueMicrotask(() => abort.abort());
  await expect(tokensOf(batch.add(tokens, request({ signal: abort.signal })))).rejects.toThrow(AbortError);
  model.onBatch = undefined;
  const generation = batch.add(tokens, request());
  expect(await tokensOf(generation)).toEqual(await alone(tokens));
  expect(generation.stats().computedPromptTokens).toBe(300);
});

describe.each(["mamba", "windows"])("a model whose memory cannot be cut: %s", (name) => {
  test("texts of one prompt, and a conversation", async () => {
    const from = models[name]!;
    using batch = open(4, from);
    const tokens = prompt(5 * WINDOW);
    const seeds = [1, 2, 3, 4].map((seed) => ({ uniforms: { seed } }));
    const generations = seeds.map((options) => batch.add(tokens, request(options)));
    const texts = await Promise.all(generations.map(tokensOf));
    expect(generations.map((one) => one.stats().computedPromptTokens)).toEqual([5 * WINDOW, 1, 1, 1]);
    for (const [i, options] of seeds.entries()) expect(texts[i]).toEqual(await alone(tokens, options, from));
    const next = join2(tokens, texts[1]!, prompt(9, 77));
    const second = batch.add(next, request());
    expect(await tokensOf(second)).toEqual(await alone(next, {}, from));
    expect(second.stats().computedPromptTokens).toBe(10);
    // other words than those that were written: what comes before them is not there any more, or was never kept
    const changed = join2(tokens, texts[1]!.slice(0, 3), prompt(9, 177));
    const third = batch.add(changed, request());
    expect(await tokensOf(third)).toEqual(await alone(changed, {}, from));
  });
});

const CHAINS: readonly Chain[] = [
  CREATIVE,
  compilePipeline("logit_bias() |> penalties(64, 1.3, 0.2, 0.1) |> top_k(20) |> dist(2)"),
  compilePipeline("logit_bias() |> mirostat_v2(4, 0.2, 3)"),
  compilePipeline("logit_bias() |> dry(0.8, 1.75, 2, 64, []) |> greedy()"),
  compile(`import { logit_bias, top_k, temp, dist } from "std"
    chain c = logit_bias() |> top_k(30) |> temp(0.5 + 20 / (1 + prompt_length)) |> dist(4)`),
  compile(`import { logit_bias, top_k, dist } from "std"
    sampler letters() { keep allowed("root ::= [a-zA-Z ,.]+") }
    chain c = logit_bias() |> letters() |> top_k(30) |> dist(6)`),
];

test("texts with what is kept and shared are those without", async () => {
  using batch = model.open({ sequences: 4, contextSize: 512 });
  const bases = [prompt(90), prompt(60, 200)];
  const requests = Array.from({ length: 12 }, (_, i) => ({
    tokens: join2(bases[i % 2]!, prompt((i * 7) % 40, 31 * i)),
    options: { chain: CHAINS[i % CHAINS.length]! },
  }));
  const texts = await Promise.all(requests.map(({ tokens, options }) => tokensOf(batch.add(tokens, request(options)))));
  const computed = tokensIn(model.batches);
  expect(computed).toBeLessThan(requests.reduce((sum, { tokens }) => sum + tokens.length, 0));
  for (const [i, { tokens, options }] of requests.entries()) expect(texts[i]).toEqual(await alone(tokens, options));
});
