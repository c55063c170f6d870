/** Several generations in one context: each as if it ran alone. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GenerationBatch } from "../../runtime/models/batch.js";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import { AbortError, InputError } from "../../runtime/core/errors.js";
import type { Generation, GenerateOptions } from "../../runtime/generation/generate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { endless, EXACT, writeExactModel } from "../model/demo.js";
import { bansEnd, expectSameText, picksNearOf, textOf } from "../model/ties.js";
import type { LlamaSampler } from "../native/oracle.js";

const CREATIVE = compile(`
import { logit_bias, top_k, min_p, temp, dist } from "std"
chain creative(t: f32 >= 0 = 0.8, p: f32 in [0, 1] = 0.05, seed: seed = 42) =
  logit_bias() |> top_k(40) |> min_p(p) |> temp(t) |> dist(seed)
`);
const GREEDY = compilePipeline("logit_bias() |> greedy()");
const TAILED = compilePipeline("logit_bias() |> top_k(40) |> temp(0.7) |> host dist(seed: 9)");
const PROMPTS = ["In the beginning", "And the king", "Behold", "The LORD is my shepherd"];

/** What is asked for `i`th, and the same of llama.cpp. */
interface Kind {
  readonly request: (i: number) => GenerateOptions;
  readonly samplers: (i: number) => readonly LlamaSampler[];
}

const creative: Kind = {
  request: (i) => ({ chain: CREATIVE, uniforms: { seed: 7 + i, t: 0.3 + i / 10 } }),
  samplers: (i) => [
    { name: "top_k", k: 40 },
    { name: "min_p", p: 0.05, min_keep: 0 },
    { name: "temp", t: 0.3 + i / 10 },
    { name: "dist", seed: 7 + i },
  ],
};
const greedy: Kind = { request: () => ({ chain: GREEDY }), samplers: () => [{ name: "greedy" }] };
const tailed: Kind = {
  request: () => ({ chain: TAILED }),
  samplers: () => [
    { name: "top_k", k: 40 },
    { name: "temp", t: 0.7 },
    { name: "dist", seed: 9 },
  ],
};

// batches of other sizes round otherwise, and what comes of it is to stay small
let folder: string;
let exactModel: string;
let model: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-many-"));
  exactModel = writeExactModel(folder);
  model = await loadModel(exactModel, EXACT);
});
afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

const open = (sequences: number): GenerationBatch => model.batch({ sequences, contextSize: 256 });

const tokensOf = (generation: Generation): Promise<number[]> => textOf(model, generation);

const promptOf = (i: number): string => PROMPTS[i % PROMPTS.length]!;
const request = (i: number, kind = creative): GenerateOptions => ({
  ...kind.request(i),
  ...endless(model),
  maxTokens: 24,
});
const add = (batch: GenerationBatch, i: number, kind = creative, options: Partial<GenerateOptions> = {}): Generation =>
  batch.add(promptOf(i), { ...request(i, kind), ...options });

/** Expects the text that comes without others beside it. */
async function expectAlone(tokens: readonly number[], i: number, kind = creative, maxTokens = 24): Promise<void> {
  const samplers = [bansEnd(model), ...kind.samplers(i)];
  const alone = await tokensOf(model.generate(promptOf(i), { ...request(i, kind), maxTokens }));
  expectSameText(
    tokens,
    alone,
    picksNearOf(model, { model: exactModel, isExact: true, prompt: promptOf(i), samplers }),
  );
}

test.each([1, 4])("%d sequences give the tokens of single runs", async (sequences) => {
  using batch = open(sequences);
  const generations = Array.from({ length: sequences }, (_, i) => add(batch, i));
  const texts = await Promise.all(generations.map(tokensOf));
  for (const [i, tokens] of texts.entries()) await expectAlone(tokens, i);
  const stats = generations[0]!.stats();
  expect(stats).toMatchObject({ finish: "maxTokens", generatedTokens: 24, readbackBytes: 4 * sequences });
  // one upload for all; a text that is read a moment later than the others has one of its own for that token
  expect(stats.setInputs).toBeGreaterThanOrEqual(24);
  expect(stats.setInputs).toBeLessThan(24 + 6);
});

test("more generations than sequences wait for their turn", async () => {
  using batch = open(2);
  const texts = await Promise.all([0, 1, 2, 3, 4].map((i) => tokensOf(add(batch, i, creative, { maxTokens: 8 + i }))));
  expect(texts.map(({ length }) => length)).toEqual([8, 9, 10, 11, 12]);
  for (const [i, tokens] of texts.entries()) await expectAlone(tokens, i, creative, 8 + i);
});

test("one is added while others run, with another chain", async () => {
  using batch = open(3);
  const first = add(batch, 0);
  const [tokens, late] = await Promise.all([
    tokensOf(first),
    (async () => {
      while (true) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (isStarted(first)) return tokensOf(add(batch, 1, greedy));
      }
    })(),
  ]);
  await expectAlone(tokens, 0);
  await expectAlone(late, 1, greedy);
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
    for (const [i, tokens] of texts.entries()) await expectAlone(tokens, i + 1);
    await expectAlone(await tokensOf(add(batch, 0)), 0); // its slot is free
  };

  test("by its signal", async () => {
    using batch = open(4);
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      let count = 0;
      for await (const _ of add(batch, 0, creative, { signal: abort.signal }))
        if (++count === 5) setTimeout(() => abort.abort());
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
    expect(() => batch.add(bad, request(0))).toThrow(
      `\`prompt[1]\` must be an integer from 0 to ${model.info.vocabSize - 1}`,
    );
    await others(batch, Promise.resolve());
  });
});

test("an aborted wait for a slot leaves the queue", async () => {
  using batch = open(1);
  const abort = new AbortController();
  const texts = [
    tokensOf(add(batch, 0)),
    tokensOf(add(batch, 1, creative, { signal: abort.signal })),
    tokensOf(add(batch, 2)),
  ];
  const stopped = expect(texts[1]).rejects.toThrow(AbortError);
  setTimeout(() => abort.abort());
  await stopped;
  await expectAlone(await texts[0]!, 0);
  await expectAlone(await texts[2]!, 2);
});

test("what is disposed ends with an error", async () => {
  const batch = open(2);
  const read = async (i: number): Promise<void> => {
    let count = 0;
    for await (const _ of add(batch, i, creative, { maxTokens: 200 }))
      if (++count === 5) setTimeout(() => batch.dispose());
  };
  await Promise.all([0, 1, 2].map((i) => expect(read(i)).rejects.toThrow(InputError)));
  await expect(tokensOf(add(batch, 0))).rejects.toThrow(/disposed/);
  expect(() => open(0)).toThrow(/`sequences` must be an integer from 1 to 256/);
});

test("a host tail on one of them, changed and cleared while the others go on", async () => {
  using batch = open(3);
  const [first, second, plain] = await Promise.all([
    (async () => [await tokensOf(add(batch, 0, tailed)), await tokensOf(add(batch, 0))])(),
    tokensOf(add(batch, 1)),
    tokensOf(add(batch, 2, greedy)),
  ]);
  await expectAlone(first[0]!, 0, tailed);
  await expectAlone(first[1]!, 0);
  await expectAlone(second, 1);
  await expectAlone(plain, 2, greedy);
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
    const generation = batch.add(PROMPTS[0]!, { chain: compilePipeline(stages), maxTokens: 2 });
    await tokensOf(generation);
    const { sequenceBytes } = generation.stats();
    expect(sequenceBytes).toBeLessThanOrEqual(bytesOf(columns, numbers));
    expect(sequenceBytes).toBeGreaterThanOrEqual(bytesOf(1, 1));
  }
});
