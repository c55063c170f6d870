/** Several generations in one context: each as if it ran alone. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { GenerationBatch } from "../../runtime/batch.js";
import { compile, compilePipeline } from "../../runtime/chain.js";
import { AbortError, InputError } from "../../runtime/errors.js";
import type { Generation, GenerateOptions } from "../../runtime/generate.js";
import { loadModel, type Model } from "../../runtime/model.js";

const CREATIVE = compile(`
import { top_k, min_p, temp, dist } from "std"
chain creative(t: f32 >= 0 = 0.8, p: f32 in [0, 1] = 0.05, seed: seed = 42) = top_k(40) |> min_p(p) |> temp(t) |> dist(seed)
`);
const GREEDY = compilePipeline("greedy()");
const PROMPTS = ["In the beginning", "And the king", "Behold", "The LORD is my shepherd"];

let model: Model;
beforeAll(async () => void (model = await loadModel("examples/model/demo-q8_0.gguf")));
afterAll(() => model.dispose());

const open = (sequences: number): GenerationBatch => model.batch({ sequences, contextSize: 256 });

async function tokensOf(generation: Generation): Promise<number[]> {
  const tokens: number[] = [];
  for await (const { token } of generation) tokens.push(token);
  return tokens;
}

const request = (i: number, maxTokens = 24): GenerateOptions => ({
  chain: CREATIVE,
  uniforms: { seed: 7 + i, t: 0.3 + i / 10 },
  maxTokens,
});
const add = (batch: GenerationBatch, i: number, options: Partial<GenerateOptions> = {}): Generation =>
  batch.add(PROMPTS[i % PROMPTS.length]!, { ...request(i), ...options });
const alone = (i: number, options: Partial<GenerateOptions> = {}): Promise<number[]> =>
  tokensOf(model.generate(PROMPTS[i % PROMPTS.length]!, { ...request(i), ...options }));

test.each([1, 4])("%d sequences give the tokens of single runs", async (sequences) => {
  using batch = open(sequences);
  const generations = Array.from({ length: sequences }, (_, i) => add(batch, i));
  const texts = await Promise.all(generations.map(tokensOf));
  for (const [i, tokens] of texts.entries()) expect(tokens).toEqual(await alone(i));
  const stats = generations[0]!.stats();
  expect(stats).toMatchObject({ finish: "maxTokens", generatedTokens: 24, readbackBytes: 4 * sequences });
  expect(stats.setInputs).toBe(24);
});

test("more generations than sequences wait for their turn", async () => {
  using batch = open(2);
  const texts = await Promise.all([0, 1, 2, 3, 4].map((i) => tokensOf(add(batch, i, { maxTokens: 8 + i }))));
  expect(texts.map(({ length }) => length)).toEqual([8, 9, 10, 11, 12]);
  for (const [i, tokens] of texts.entries()) expect(tokens).toEqual(await alone(i, { maxTokens: 8 + i }));
});

test("one is added while others run, with another chain", async () => {
  using batch = open(3);
  const first = add(batch, 0);
  const [tokens, late] = await Promise.all([
    tokensOf(first),
    (async () => {
      while (true) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (isStarted(first)) return tokensOf(add(batch, 1, { chain: GREEDY, uniforms: {} }));
      }
    })(),
  ]);
  expect(tokens).toEqual(await alone(0));
  expect(late).toEqual(await alone(1, { chain: GREEDY, uniforms: {} }));
});

function isStarted(generation: Generation): boolean {
  try {
    return generation.stats().generatedTokens > 2;
  } catch {
    return false;
  }
}

describe("one of four ends, and the others go on", () => {
  const others = async (batch: GenerationBatch, ending: Promise<unknown>): Promise<void> => {
    const [, ...texts] = await Promise.all([ending, ...[1, 2, 3].map((i) => tokensOf(add(batch, i)))]);
    for (const [i, tokens] of texts.entries()) expect(tokens).toEqual(await alone(i + 1));
    expect(await tokensOf(add(batch, 0))).toEqual(await alone(0)); // its slot is free
  };

  test("by its signal", async () => {
    using batch = open(4);
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      let count = 0;
      for await (const _ of add(batch, 0, { signal: abort.signal })) if (++count === 5) setTimeout(() => abort.abort());
    };
    await others(batch, expect(run()).rejects.toThrow(AbortError));
  });

  test("by its reader", async () => {
    using batch = open(4);
    const run = async (): Promise<void> => {
      let count = 0;
      for await (const _ of add(batch, 0)) if (++count === 5) break;
    };
    await others(batch, run());
  });

  test("by an error of its own", async () => {
    using batch = open(4);
    await others(batch, expect(tokensOf(batch.add("word ".repeat(600), request(0)))).rejects.toThrow(/the prompt has/));
    const bad = Int32Array.of(1, model.info.vocabSize);
    await others(batch, expect(tokensOf(batch.add(bad, request(0)))).rejects.toThrow(/outside the vocabulary/));
  });
});

test("an aborted wait for a slot leaves the queue", async () => {
  using batch = open(1);
  const abort = new AbortController();
  const texts = [tokensOf(add(batch, 0)), tokensOf(add(batch, 1, { signal: abort.signal })), tokensOf(add(batch, 2))];
  const stopped = expect(texts[1]).rejects.toThrow(AbortError);
  setTimeout(() => abort.abort());
  await stopped;
  expect(await texts[0]).toEqual(await alone(0));
  expect(await texts[2]).toEqual(await alone(2));
});

test("what is disposed ends with an error", async () => {
  const batch = open(2);
  const texts = [0, 1, 2].map((i) => tokensOf(add(batch, i, { maxTokens: 200 })));
  const failed = Promise.all(texts.map((text) => expect(text).rejects.toThrow(InputError)));
  setTimeout(() => batch.dispose(), 20);
  await failed;
  await expect(tokensOf(add(batch, 0))).rejects.toThrow(/disposed/);
  expect(() => open(0)).toThrow(/`sequences` must be an integer from 1 to 256/);
});

test("a host tail on one of them, changed and cleared while the others go on", async () => {
  using batch = open(3);
  const tailed = compilePipeline("top_k(40) |> temp(0.7) |> host dist(seed: 9)");
  const request = { chain: tailed, uniforms: {} };
  const [first, second, plain] = await Promise.all([
    (async () => [await tokensOf(add(batch, 0, request)), await tokensOf(add(batch, 0))])(),
    tokensOf(add(batch, 1)),
    tokensOf(add(batch, 2, { chain: GREEDY, uniforms: {} })),
  ]);
  expect(first[0]).toEqual(await alone(0, request));
  expect(first[1]).toEqual(await alone(0));
  expect(second).toEqual(await alone(1));
  expect(plain).toEqual(await alone(2, { chain: GREEDY, uniforms: {} }));
});

/** `columns` of the vocabulary at the same time, the logits among them, and some numbers beside them. */
const bytesOf = (columns: number, numbers: number): number => 4 * (columns * model.info.vocabSize + numbers);

test.each([
  // the token
  ["greedy()", 1, 1],
  // 40 positions and their logits, and the token
  ["top_k(40) |> dist(1)", 1, 2 * 40 + 1],
  // probabilities, their running sums, and what is made of both; the draw and the token
  ["temp(0.8) |> dist(1)", 3, 3],
] as const)("memory for each sequence: %s", async (stages, columns, numbers) => {
  for (const sequences of [1, 4]) {
    using batch = open(sequences);
    const generation = add(batch, 0, { chain: compilePipeline(stages), uniforms: {}, maxTokens: 2 });
    await tokensOf(generation);
    const { sequenceBytes } = generation.stats();
    expect(sequenceBytes).toBeLessThanOrEqual(bytesOf(columns, numbers));
    expect(sequenceBytes).toBeGreaterThanOrEqual(bytesOf(1, 1));
  }
});
