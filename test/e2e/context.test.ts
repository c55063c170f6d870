/** Settings of contexts, in real ones: what was set is read back, and what cannot be is an error that says what can. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { CACHE_TYPES, type CacheType } from "../../compiler/llama/contexts.js";
import { InputError } from "../../runtime/core/errors.js";
import type { GenerateOptions, GenerationStats } from "../../runtime/generation/generate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import type { LoadModelOptions } from "../../runtime/models/options.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { batchOf } from "../native/batches.js";
import { DEMO_MODEL, endless, writeExactModel } from "../model/demo.js";
import { GREEDY, nativeGraph } from "../native/graphs.js";
import { warm } from "../cli/warm/warm.js";

const PROMPT = "In the beginning";
const chain = compilePipeline("logit_bias() |> greedy()");
let model: Model;

beforeAll(async () => {
  model = await loadModel(DEMO_MODEL, { backend: "cpu" });
});
afterAll(() => model.dispose());

/** For `chain`: the text does not end. */
const request = (on: Model = model): GenerateOptions => ({ chain, ...endless(on) });

async function generate(
  options: Omit<GenerateOptions, "chain"> = {},
  on: Model = model,
): Promise<{ text: string; stats: GenerationStats }> {
  const generation = on.generate(PROMPT, { ...request(on), maxTokens: 24, contextSize: 256, threads: 1, ...options });
  let text = "";
  for await (const piece of generation) text += piece.text;
  return { text, stats: generation.stats() };
}

/** Bytes of one number, blocks with their scales: ggml-common.h. */
const BYTES: Readonly<Record<CacheType, number>> = {
  f32: 4,
  f16: 2,
  bf16: 2,
  q8_0: 34 / 32,
  q4_0: 18 / 32,
  q4_1: 20 / 32,
  iq4_nl: 18 / 32,
  q5_0: 22 / 32,
  q5_1: 24 / 32,
};

/** Keys, or values, of 256 tokens in all layers. */
const NUMBERS = (): number => {
  const of = (key: string): number => Number(model.info.metadata[`llama.${key}`]);
  const headSize = of("embedding_length") / of("attention.head_count");
  return 256 * of("block_count") * headSize * of("attention.head_count_kv");
};

test.each(CACHE_TYPES)("a cache in %s has the size of its numbers", async (type) => {
  const both = await generate({ cacheTypeK: type, cacheTypeV: type });
  expect(both.stats.cacheBytes).toBe(NUMBERS() * 2 * BYTES[type]);
  expect(both.stats.finish).toBe("maxTokens");
  const keys = await generate({ cacheTypeK: type });
  expect(keys.stats.cacheBytes).toBe(NUMBERS() * (BYTES[type] + BYTES.f16));
});

test("a coarse cache is further from a precise one than the one between them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-context-"));
  using exact = await loadModel(writeExactModel(folder), { backend: "cpu", contextSize: 256 });
  rmSync(folder, { recursive: true });
  const prompt = "And the earth was without form, and void; and darkness was upon the face of the deep.";
  const logits = (type: CacheType): Promise<Float32Array> =>
    exact.logits(prompt, { cacheTypeK: type, cacheTypeV: "f32", flashAttention: "off" });
  const [f32, f16, q4] = [await logits("f32"), await logits("f16"), await logits("q4_0")];
  const off = (other: Float32Array): number => Math.max(...other.map((x, i) => Math.abs(x - f32[i]!)));
  expect(off(f16)).toBeGreaterThan(1e-5);
  expect(off(f16)).toBeLessThan(0.01);
  expect(off(q4)).toBeGreaterThan(0.05);
});

test("threads are what was asked for", async () => {
  expect((await generate({ threads: 1 })).stats).toMatchObject({ threads: 1, batchThreads: 1 });
  expect((await generate({ threads: 1, batchThreads: 2 })).stats).toMatchObject({ threads: 1, batchThreads: 2 });
});

test("a context holds as many tokens as were asked for, though its memory is a multiple of 256", async () => {
  const length = model.tokenize(PROMPT).length;
  const { stats } = await generate({ contextSize: 40, maxTokens: 100 });
  expect(stats).toMatchObject({ finish: "context", generatedTokens: 40 - length });
  expect(stats.cacheBytes).toBe(NUMBERS() * 2 * BYTES.f16);
  using batch = model.batch({ sequences: 3, contextSize: 100 });
  const texts = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const generation = batch.add(PROMPT, request());
      for await (const _ of generation);
      return generation.stats();
    }),
  );
  for (const one of texts) expect(one).toMatchObject({ finish: "context", generatedTokens: 100 - length });
  const full = { name: "InputError", code: "CONTEXT_FULL" };
  const longer = Int32Array.from({ length: 41 }, () => 5);
  await expect(generateFrom(longer, 40)).rejects.toMatchObject(full);
  await expect(model.logits(longer, { contextSize: 40 })).rejects.toMatchObject(full);
  expect(await model.logits(longer.subarray(1), { contextSize: 40 })).toHaveLength(model.info.vocabSize);
});

async function generateFrom(tokens: Int32Array, contextSize: number): Promise<void> {
  for await (const _ of model.generate(tokens, { ...request(), contextSize }));
}

/** Names of the nodes of the model's graph after a decode. */
async function nodesWith(flashAttention: "auto" | "on" | "off", cacheTypeV: CacheType): Promise<string[]> {
  const native = await loadBinding().loadModel(DEMO_MODEL, { gpuLayers: 0 });
  const chains = [nativeGraph(GREEDY)];
  const context = await native.createContext({ contextSize: 256, threads: 1, chains, flashAttention, cacheTypeV });
  await context.decode(batchOf({ sequence: 0, tokens: native.tokenize(PROMPT, true, false), at: 0 }));
  const names = context.graphNodes!().map(({ name }) => name);
  context.dispose();
  native.dispose();
  return names;
}

test("flash attention has no softmax of its own", async () => {
  const isFlash = async (...given: Parameters<typeof nodesWith>): Promise<boolean> => {
    const names = await nodesWith(...given);
    expect(names).toContain("kqv_out-0");
    return !names.some((name) => name.startsWith("kq_soft_max"));
  };
  expect(await isFlash("on", "f16")).toBe(true);
  expect(await isFlash("off", "f16")).toBe(false);
  expect(await isFlash("auto", "q8_0")).toBe(true);
});

test("a model's settings count where a generation or a batch has none", async () => {
  using small = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 256, cacheTypeK: "q8_0", batchThreads: 2 });
  const generation = small.generate(PROMPT, { ...request(small), threads: 1 });
  for await (const _ of generation);
  const stats = generation.stats();
  expect(stats).toMatchObject({ finish: "context", threads: 1, batchThreads: 2 });
  expect(stats.cacheBytes).toBe(NUMBERS() * (BYTES.q8_0 + BYTES.f16));
  expect((await generate({ cacheTypeK: "f32" }, small)).stats.cacheBytes).toBe(NUMBERS() * (BYTES.f32 + BYTES.f16));
  using batch = small.batch({ sequences: 2, cacheTypeV: "q8_0" });
  const one = batch.add(PROMPT, { ...request(small), maxTokens: 4 });
  for await (const _ of one);
  expect(one.stats().cacheBytes).toBe(2 * NUMBERS() * 2 * BYTES.q8_0);
});

const WRONG: readonly (readonly [object, RegExp])[] = [
  [{ cacheTypeK: "q2_k" }, /`cacheTypeK` must be one of f32, f16, bf16, q8_0, .* found "q2_k"/],
  [{ cacheTypeV: 8 }, /`cacheTypeV` must be one of .* found 8/],
  [{ contextSize: 0 }, /`contextSize` must be an integer from 1 to 16777216, found 0/],
  [{ contextSize: 1.5 }, /found 1.5/],
  [{ contextSize: "4096" }, /found "4096"/],
  [{ threads: 513 }, /`threads` must be an integer from 1 to 512, found 513/],
  [
    { threads: 512 },
    /`threads` must be at most \d+ on this machine, 2 for each of its \d+ processors, found 512: threads wait/,
  ],
  [{ batchThreads: 512 }, /`batchThreads` must be at most \d+ on this machine/],
  [{ batchThreads: NaN }, /`batchThreads` must be an integer from 1 to 512, found NaN/],
  [{ flashAttention: "maybe" }, /`flashAttention` must be one of auto, on, off, found "maybe"/],
  [
    { cacheTypeV: "q8_0", flashAttention: "off" },
    /a V cache of type q8_0 needs flash attention, which is off: set flash attention to auto or on, or/,
  ],
];

describe.each(WRONG)("%j", (settings, message) => {
  test("is refused by all who take settings", async () => {
    await expect(loadModel(DEMO_MODEL, settings as LoadModelOptions)).rejects.toThrow(message);
    expect(() => model.generate(PROMPT, { ...request(), ...settings })).toThrow(InputError);
    expect(() => model.generate(PROMPT, { ...request(), ...settings })).toThrow(message);
    expect(() => model.batch({ sequences: 2, ...settings })).toThrow(message);
  });
});

test("settings that contradict each other only together are refused, too", async () => {
  using quantized = await loadModel(DEMO_MODEL, { backend: "cpu", cacheTypeV: "q5_1" });
  expect(() => quantized.generate(PROMPT, { ...request(), flashAttention: "off" })).toThrow(
    /q5_1 needs flash attention/,
  );
  expect(() => model.batch({ sequences: 256, contextSize: 2 ** 17 })).toThrow(/set a smaller context size/);
});

test("layers on a GPU need one", async () => {
  await expect(loadModel(DEMO_MODEL, { backend: "cpu", gpuLayers: 3 })).rejects.toThrow(
    /`gpuLayers` is 3, and the model runs on the CPU: omit it, or choose a GPU/,
  );
  await expect(loadModel(DEMO_MODEL, { backend: "cpu", gpuLayers: -1 })).rejects.toThrow(
    /`gpuLayers` must be an integer from 0 to 10000 or "all", found -1/,
  );
  using none = await loadModel(DEMO_MODEL, { backend: "cpu", gpuLayers: 0 });
  expect((await generate({}, none)).text).toBe((await generate()).text);
});

test("the native side checks for itself", async () => {
  const native = await loadBinding().loadModel(DEMO_MODEL, { gpuLayers: 0 });
  const refused = (options: object, message: RegExp): Promise<void> =>
    expect((async () => await native.createContext({ contextSize: 256, ...options }))()).rejects.toThrow(message);
  await refused({ cacheTypeK: "i32" }, /cacheTypeK: expected one of f32, f16, bf16, .*, found "i32"/);
  await refused({ cacheTypeV: 3 }, /cacheTypeV: expected a string/);
  await refused({ flashAttention: "1" }, /flashAttention: expected auto, on or off, found "1"/);
  await refused({ flashAttention: "off", cacheTypeV: "q4_0" }, /q4_0 needs flash attention, which is off/);
  await refused({ batchThreads: 1000 }, /batchThreads: expected 0 to 512, found 1000/);
  native.dispose();
});

// ---------------------------------------------------------------- the command line

interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const ggsl = warm();

function run(...args: string[]): Run {
  return ggsl(["run", "-e", "greedy()", "--backend", "cpu", "-n", "8", ...args]);
}

test("ggsl run has llama.cpp's names for them", () => {
  const common = ["--threads", "1", "--threads-batch", "2", "--ctx-size", "256"];
  const cache = ["--cache-type-k", "q8_0", "--cache-type-v", "q4_0", "--flash-attn", "on"];
  const { stdout } = run("--json", ...common, ...cache);
  const { stats } = JSON.parse(stdout) as { stats: GenerationStats };
  expect(stats).toMatchObject({ threads: 1, batchThreads: 2, cacheBytes: NUMBERS() * (BYTES.q8_0 + BYTES.q4_0) });
  const bytesOf = (...args: string[]): string =>
    /\d+ bytes of cache/.exec(run("--stats", ...common, ...args).stderr)![0];
  expect(bytesOf()).toBe(`${NUMBERS() * 2 * BYTES.f16} bytes of cache`);
  expect(bytesOf(...cache)).toBe(`${stats.cacheBytes} bytes of cache`);
});

test.each([
  [["--cache-type-k", "q3"], 2, /Allowed choices are f32, f16, bf16, q8_0/],
  [["--flash-attn", "yes"], 2, /Allowed choices are auto, on, off/],
  [["--threads", "0"], 2, /integer of 1 or more/],
  [["--gpu-layers", "most"], 2, /integer/],
  [["--gpu-layers", "4"], 1, /the model runs on the CPU/],
  [["--cache-type-v", "q8_0", "--flash-attn", "off"], 1, /needs flash attention, which is off/],
] as const)("%j is refused", (args, status, message) => {
  const result = run(...args);
  expect(result.status).toBe(status);
  expect(result.stderr).toMatch(message);
  expect(result.stdout).toBe("");
});
