/** Chains that read the logits of another sequence of the batch, against logits that are combined here. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GenerationBatch } from "../../runtime/models/batch.js";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import { AbortError, InputError } from "../../runtime/core/errors.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import type { Generation, GenerateOptions, RunOptions } from "../../runtime/generation/generate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { EXACT, writeExactModel } from "../model/demo.js";
import { contrast, expectGuided, guidance, guidedText, type Combine } from "../model/guides.js";
import { textOf } from "../model/ties.js";

const GUIDED = compilePipeline("cfg(2.5) |> greedy()");
const CONTRASTIVE = compilePipeline("contrastive(0.05, 1.5) |> greedy()");
const PLAIN = compilePipeline("greedy()");
const COUNT = 10;
// of different lengths; the guides are longer and shorter than the texts that they guide
const PAIRS = [
  ["In the beginning", "And"],
  ["And the king", "The LORD is my shepherd; I shall not want. He maketh me to lie down"],
  ["Behold", "And it came to pass"],
  ["The LORD is my shepherd", "Thou shalt not"],
  ["Now these are the names of", "Woe"],
  ["And Moses", "For God so loved the world, that he gave his only begotten Son"],
  ["He that hath ears", "And Moses said unto the children of Israel"],
  ["Jesus wept", "In the beginning was the Word"],
] as const;

let folder: string;
let model: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-guides-"));
  model = await loadModel(writeExactModel(folder), { ...EXACT, backend: "cpu" });
});
afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

const request = (i: number, chain = GUIDED): GenerateOptions & { readonly guides: object } => {
  const name = chain === CONTRASTIVE ? "amateur" : "negative";
  return { chain, maxTokens: COUNT, guides: { [name]: { prompt: PAIRS[i]![1] } } };
};
const tokensOf = (generation: Generation): Promise<number[]> => textOf(model, generation);
const alone = (i: number, options: Partial<GenerateOptions> = {}, chain = GUIDED): Generation =>
  model.generate(PAIRS[i]![0], { contextSize: 256, ...request(i, chain), ...options });
const open = (sequences: number, options: RunOptions = {}): GenerationBatch =>
  model.batch({ sequences, contextSize: 256, ...options });
const add = (batch: GenerationBatch, i: number, options: Partial<GenerateOptions> = {}, chain = GUIDED): Generation =>
  batch.add(PAIRS[i]![0], { ...request(i, chain), ...options });

const pairOf = (i: number): [Int32Array, Int32Array] => [model.tokenize(PAIRS[i]![0]), model.tokenize(PAIRS[i]![1])];

/** Expects the texts of combined logits; most tokens are no tie. */
async function expectCombined(texts: readonly (readonly number[])[], combine: Combine): Promise<void> {
  let certain = 0;
  for (const [i, tokens] of texts.entries())
    certain += expectGuided(tokens, await guidedText(model, pairOf(i), combine, COUNT));
  expect(certain).toBeGreaterThan(texts.length * COUNT * 0.5);
}

describe.each([
  ["cfg", GUIDED, guidance(2.5)],
  ["contrastive", CONTRASTIVE, contrast(0.05, 1.5)],
] as const)("%s", (_, chain, combine) => {
  test.each([1, 4, 8])("%d generations at once pick what combined logits give", async (count) => {
    using batch = open(2 * count);
    const generations = Array.from({ length: count }, (_, i) => add(batch, i, {}, chain));
    await expectCombined(await Promise.all(generations.map(tokensOf)), combine);
    const { readbackBytes, setInputs, nodes } = generations[0]!.stats();
    expect(readbackBytes).toBe(4 * count);
    // a text whose prompt is there later joins with a later decode
    expect(setInputs).toBeLessThanOrEqual(COUNT + 2);
    // as many for one sequence as for eight, but for a few reshapes
    expect(nodes).toBeLessThan(80);
  });
});

test("a single generation, in the graph and on the host", async () => {
  const graph = await tokensOf(alone(1));
  await expectCombined([await tokensOf(alone(0))], guidance(2.5));
  expect(await tokensOf(alone(1, { placement: "host" }))).toEqual(graph);
});

test("prompts that are longer than a batch of 512 tokens", async () => {
  const long = "And it came to pass, that the king said unto them, ".repeat(50);
  const pairs = [
    ["In the beginning", long],
    [long.slice(0, 1500), "And"],
    [long.slice(0, 900), long.slice(0, 700)],
    ["Behold", "And it came to pass"],
  ] as const;
  using batch = open(8, { contextSize: 1024 });
  const texts = await Promise.all(
    pairs.map(([prompt, guide]) =>
      tokensOf(batch.add(prompt, { chain: GUIDED, maxTokens: 4, guides: { negative: { prompt: guide } } })),
    ),
  );
  expect(model.tokenize(long).length).toBeGreaterThan(512);
  let certain = 0;
  for (const [i, [prompt, guide]] of pairs.entries()) {
    const tokens = [model.tokenize(prompt), model.tokenize(guide)] as const;
    certain += expectGuided(texts[i]!, await guidedText(model, tokens, guidance(2.5), 4, 1024));
  }
  expect(certain).toBeGreaterThan(10);
});

test("draws, rows and states are those of an evaluator that is fed both logits", async () => {
  const chain = compile(`
    import { cfg, top_k, dist } from "std"
    input negative: logits
    sampler watched(seed: seed) {
      state total: f32 = 0
      let other = negative
      keep logit > total - 1e6
      pick sample(seed)
      after pick { total += clamp(picked(other), -100, 100) }
    }
    chain c = cfg(1.5) |> top_k(20) |> watched(seed: 7)
  `);
  const found: [number, number][] = [];
  const options = { chain, maxTokens: 6, states: true, alternatives: 3, guides: request(0).guides as never };
  for await (const { token, states } of model.generate(PAIRS[0][0], { contextSize: 256, ...options }))
    found.push([token, states!["total"]!]);
  const [prompt, guide] = pairOf(0);
  const inputs: Record<string, Float32Array> = {};
  using evaluator = createEvaluator(chain.rowsGraph, model.info.vocabSize, { backend: "reference", feed: { inputs } });
  let sum = 0;
  for (const [i, [token, state]] of found.entries()) {
    const after = found.slice(0, i).map(([t]) => t);
    const logits = await model.logits(Int32Array.of(...prompt, ...after), { contextSize: 256 });
    inputs["negative"] = await model.logits(Int32Array.of(...guide, ...after), { contextSize: 256 });
    expect(evaluator.evaluate(logits).token).toBe(token);
    evaluator.accept(token);
    sum += inputs["negative"][token]!;
    expect(state).toBeCloseTo(sum, 2);
  }
  expect(found.length).toBe(6);
});

describe("many", () => {
  test("more generations than places take turns, and none waits for ever", async () => {
    using batch = open(5); // two with a guide, and one place that only a plain one can use
    const guided = [0, 1, 2, 3, 4, 5].map((i) => tokensOf(add(batch, i)));
    const plain = [0, 1].map((i) => tokensOf(batch.add(PAIRS[i]![0], { chain: PLAIN, maxTokens: COUNT })));
    await expectCombined(await Promise.all(guided), guidance(2.5));
    for (const [i, tokens] of (await Promise.all(plain)).entries()) {
      const lonely = model.generate(PAIRS[i]![0], { chain: PLAIN, maxTokens: COUNT, contextSize: 256 });
      expect(tokens).toEqual(await tokensOf(lonely));
    }
  });

  test("places change their roles between chains", async () => {
    using batch = open(4);
    const plain = (i: number): Promise<number[]> =>
      tokensOf(batch.add(PAIRS[i]![0], { chain: PLAIN, maxTokens: COUNT }));
    const before = await Promise.all([0, 1, 2, 3].map(plain));
    await expectCombined(await Promise.all([0, 1].map((i) => tokensOf(add(batch, i)))), guidance(2.5));
    expect(await Promise.all([0, 1, 2, 3].map(plain))).toEqual(before);
  });

  test("a chain with two guides", async () => {
    const chain = compile(`
      import { greedy } from "std"
      input better: logits
      input worse: logits
      sampler between() { logit += better - worse }
      chain c = between() |> greedy()
    `);
    using batch = open(6);
    const texts = [0, 1].map((i) => {
      const guides = { worse: { prompt: PAIRS[i + 2]![1] }, better: { prompt: PAIRS[i + 4]![0] } };
      return tokensOf(batch.add(PAIRS[i]![0], { chain, maxTokens: COUNT, guides }));
    });
    for (const [i, tokens] of (await Promise.all(texts)).entries()) {
      const others = [model.tokenize(PAIRS[i + 4]![0]), model.tokenize(PAIRS[i + 2]![1])];
      const follow: number[] = [];
      for (const token of tokens) {
        const [own, better, worse] = (await Promise.all(
          [pairOf(i)[0], ...others].map((p) => model.logits(Int32Array.of(...p, ...follow), { contextSize: 256 })),
        )) as [Float32Array, Float32Array, Float32Array];
        const sum = [...own.keys()].map((t) => own[t]! + better[t]! - worse[t]!);
        expect(Math.max(...sum) - sum[token]!).toBeLessThan(1e-3);
        follow.push(token);
      }
    }
  });
});

describe("one of four ends, and the others go on", () => {
  const others = async (batch: GenerationBatch, ending: Promise<unknown>): Promise<void> => {
    const [, ...texts] = await Promise.all([ending, ...[0, 1, 2].map((i) => tokensOf(add(batch, i)))]);
    await expectCombined(texts, guidance(2.5));
    await expectCombined([await tokensOf(add(batch, 0))], guidance(2.5)); // its places are free
  };

  test("by its signal", async () => {
    using batch = open(8);
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      let count = 0;
      for await (const _ of add(batch, 3, { signal: abort.signal })) if (++count === 3) setTimeout(() => abort.abort());
    };
    await others(batch, expect(run()).rejects.toThrow(AbortError));
  });

  test("by its reader", async () => {
    using batch = open(8);
    const run = async (): Promise<void> => {
      for await (const _ of add(batch, 3)) break;
    };
    await others(batch, run());
  });

  test("by a signal while it waits for places", async () => {
    using batch = open(2);
    const running = tokensOf(add(batch, 0));
    const waiting = expect(tokensOf(add(batch, 1, { signal: AbortSignal.timeout(1) }))).rejects.toMatchObject({
      name: "TimeoutError",
    });
    await Promise.all([running, waiting]);
    await expectCombined([await tokensOf(add(batch, 0))], guidance(2.5));
  });
});

test("a text ends when its guide's context is full", async () => {
  const long = "And it came to pass, that ".repeat(30);
  const generation = alone(0, { guides: { negative: { prompt: long } }, maxTokens: 500 });
  const tokens = await tokensOf(generation);
  const { finish } = generation.stats();
  expect(["context", "end"]).toContain(finish);
  if (finish === "context") expect(tokens.length).toBe(256 - model.tokenize(long).length);
});

test("a saved text goes on as if it had not stopped", async () => {
  const whole = await tokensOf(alone(3, { maxTokens: 8 }));
  const first = alone(3, { maxTokens: 3 });
  expect(await tokensOf(first)).toEqual(whole.slice(0, 3));
  const { tokens, sequence, guides } = JSON.parse(
    JSON.stringify(first.save(), (_, v: unknown) => (v instanceof Int32Array ? [...v] : v)),
  ) as { tokens: number[]; sequence: never; guides: { negative: number[] } };
  expect(guides.negative).toEqual([...pairOf(3)[1], ...whole.slice(0, 3)]);
  const rest = model.generate(Int32Array.from(tokens), {
    chain: GUIDED,
    maxTokens: 5,
    contextSize: 256,
    resume: sequence,
    guides: { negative: { prompt: Int32Array.from(guides.negative) } },
  });
  expect(await tokensOf(rest)).toEqual(whole.slice(3));
});

test("the logits of another model are fed", async () => {
  const inputs = { negative: new Float32Array(model.info.vocabSize) };
  const generation = model.generate(PAIRS[2][0], { chain: GUIDED, maxTokens: 5, contextSize: 256, feed: { inputs } });
  const [prompt, guide] = pairOf(2);
  const found: number[] = [];
  inputs.negative.set(await model.logits(guide, { contextSize: 256 }));
  for await (const { token } of generation) {
    found.push(token);
    inputs.negative.set(await model.logits(Int32Array.of(...guide, ...found), { contextSize: 256 }));
  }
  expectGuided(found, await guidedText(model, [prompt, guide], guidance(2.5), 5));
});

test.each<[string, Partial<GenerateOptions>, string]>([
  [
    "missing",
    { guides: undefined },
    'the chain `chain` reads the logits of another sequence, `negative`: give its prompt, as in `guides: { negative: { prompt: "..." } }`',
  ],
  [
    "unknown",
    { guides: { negative: { prompt: "a" }, positive: { prompt: "a" } } },
    "the chain `chain` has no guide `positive`; it has `negative`",
  ],
  [
    "of no guide",
    { chain: PLAIN },
    "the chain `chain` reads the logits of no other sequence, found the guide `negative`",
  ],
  ["no object", { guides: { negative: "a" as never } }, '`guides.negative` must be an object, found "a"'],
  [
    "no prompt",
    { guides: { negative: {} as never } },
    "`guides.negative.prompt` must be a text or an Int32Array of tokens, found undefined",
  ],
  [
    "a token that does not exist",
    { guides: { negative: { prompt: Int32Array.of(1e6) } } },
    "`guides.negative.prompt[0]` must be an integer from 0 to 2047, found 1000000",
  ],
  [
    "fed and decoded",
    { feed: { inputs: { negative: [0] } } },
    "the logits `negative` are both fed and those of a guide: give one of them",
  ],
])("a guide that is %s is an error at once", (_, options, message) => {
  expect(() => alone(0, options)).toThrow(new InputError(message, { code: "INVALID_ARGUMENT" }));
});

test("a prompt of a guide that is empty or too long, and a batch without a place for it", async () => {
  const long = { negative: { prompt: "And it came to pass, that ".repeat(100) } };
  await expect(tokensOf(alone(0, { guides: long }))).rejects.toThrow(
    /the prompt of the guide `negative` has \d+ tokens, and the context size, for prompt and generated text, is 256/,
  );
  await expect(tokensOf(alone(0, { guides: { negative: { prompt: new Int32Array() } } }))).rejects.toThrow(InputError);
  using batch = open(1);
  expect(() => add(batch, 0)).toThrow(
    "the chain `chain` needs 2 sequences, one for the text and one for each guide, and there is 1: set `sequences` to at least 2",
  );
});
