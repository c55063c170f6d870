/** Marked texts of the demo model are told from unmarked ones, and the scores are those of their formulas. */
import { expect, test } from "@jest/globals";
import { hashOf, noiseOf } from "../../compiler/graph/hash.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { detectAaronson, detectSynthId, detectWatermark } from "../../runtime/chain/watermark.js";
import { random } from "../parity/random.js";
import { DEMO_MODEL, endless } from "./demo.js";

const KEY = 15485863;
const TOKENS = 200;
/** Chance exceeds this in one of 30 000 cases. */
const MOST = 4;

async function tokensOf(model: Model, stages: string): Promise<number[]> {
  const tokens: number[] = [];
  const chain = compilePipeline(`logit_bias() |> ${stages}`);
  const options = { chain, maxTokens: TOKENS, ...endless(model) };
  for await (const { token } of model.generate("And the LORD said unto", options)) tokens.push(token);
  expect(tokens.length).toBe(TOKENS);
  return tokens;
}

test("200 marked tokens of the demo model are recognized, unmarked ones and other keys are not", async () => {
  using model = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 512 });
  const key = KEY;
  for (const pick of ["dist(1)", "gumbel(2)"]) {
    const green = detectWatermark(await tokensOf(model, `watermark(${key}, delta: 2) |> ${pick}`), { key });
    expect([pick, green.z > MOST, green.p < 1e-4]).toEqual([pick, true, true]);
  }
  const picked = detectAaronson(await tokensOf(model, `aaronson(${key})`), { key });
  expect([picked.z > MOST, picked.p < 1e-6]).toEqual([true, true]);
  const won = detectSynthId(await tokensOf(model, `synthid(${key}) |> dist(1)`), { key });
  expect([won.z > MOST, won.p < 1e-6, won.won > 0.55]).toEqual([true, true, true]);
  // unmarked texts, each by several keys: standard normal numbers
  const [greens, sums, rounds]: [number[], number[], number[]] = [[], [], []];
  for (const seed of [1, 2, 3, 4, 5]) {
    const tokens = await tokensOf(model, `dist(${seed})`);
    for (let other = 0; other < 40; other++) {
      greens.push(detectWatermark(tokens, { key: 1000 * other + seed }).z);
      sums.push(detectAaronson(tokens, { key: 1000 * other + seed }).z);
      rounds.push(detectSynthId(tokens, { key: 1000 * other + seed }).z);
    }
  }
  for (const scores of [greens, sums, rounds]) {
    expect(scores.filter((z) => z > MOST)).toEqual([]);
    const mean = scores.reduce((a, b) => a + b, 0) / scores.length;
    const spread = Math.sqrt(scores.reduce((sum, z) => sum + (z - mean) ** 2, 0) / scores.length);
    expect(scores.filter((z) => z > 2).length / scores.length).toBeLessThan(0.08);
    // the mean of 200 has a standard deviation of 0.07
    expect([Math.abs(mean) < 0.3, spread > 0.7 && spread < 1.3]).toEqual([true, true]);
  }
});

test("the sampler marks what the detector counts: with a huge delta every token is green", () => {
  const r = random(4);
  for (const [key, gamma] of [
    [5, 0.25],
    [2 ** 32 - 1, 0.5],
    [2 ** 24 + 3, 0.1],
  ] as const) {
    const { rowsGraph } = compilePipeline(`watermark(${key}, ${gamma}, 1000) |> dist(3)`);
    using evaluator = createEvaluator(rowsGraph, 500, { backend: "reference", history: [3, 4] });
    const tokens = [3, 4];
    for (let i = 0; i < 60; i++) {
      tokens.push(evaluator.evaluate(Float32Array.from({ length: 500 }, () => 4 * r.uniform())).token!);
      evaluator.accept();
    }
    const { tokens: n, green, z } = detectWatermark(tokens, { key, gamma, from: 2 });
    expect([green, n > 50]).toEqual([n, true]);
    expect(z).toBeCloseTo((n - gamma * n) / Math.sqrt(n * gamma * (1 - gamma)), 4);
  }
});

test("over all keys, aaronson follows the distribution", () => {
  const probs = [0.5, 0.3, 0.15, 0.05];
  const counts = probs.map(() => 0);
  const { rowsGraph } = compilePipeline("aaronson(0)");
  const chain = { ...rowsGraph, params: [{ name: "k", type: "seed", default: 0, range: {} }] } as const;
  const keyed = { ...chain, draws: chain.draws.map((d) => ({ ...d, seed: { param: "k" } })) };
  using evaluator = createEvaluator(keyed, 4, { backend: "reference", history: [1, 2, 3, 0] });
  const logits = Float32Array.from(probs, Math.log);
  const keys = 20_000;
  for (let k = 0; k < keys; k++) {
    evaluator.setUniforms({ k });
    counts[evaluator.evaluate(logits).token!]!++;
  }
  const chi = counts.reduce((sum, n, i) => sum + (n - keys * probs[i]!) ** 2 / (keys * probs[i]!), 0);
  // chance exceeds it once in 10 000 cases, at 3 degrees of freedom
  expect(chi).toBeLessThan(21.1);
});

// ---------------------------------------------------------------- formulas

/** The noise of a token by the definition. */
const noise = (key: number, at: number, token: number): number =>
  noiseOf(hashOf(key % 2 ** 24, Math.floor(key / 2 ** 24), at, token));

/** Tokens without repetitions of a token after the same four. */
const TEXT = Array.from({ length: 120 }, (_, i) => (i * i * 31 + 7 * i) % 997);

/** n! / (k! (n - k)!) */
const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);

test("the score of a watermark is Hugging Face's, with the exact probability of chance", () => {
  const gamma = 0.25;
  const green = TEXT.filter((token, i) => noise(KEY, TEXT[i - 1] ?? -1, token) < gamma).length;
  const n = TEXT.length;
  const found = detectWatermark(TEXT, { key: KEY });
  expect([found.tokens, found.green]).toEqual([n, green]);
  // WatermarkDetector._compute_z_score
  expect(found.z).toBeCloseTo((green - gamma * n) / Math.sqrt(n * gamma * (1 - gamma)), 10);
  const tail = Array.from(
    { length: n + 1 - green },
    (_, i) => choose(n, green + i) * gamma ** (green + i) * 0.75 ** (n - green - i),
  );
  expect(found.p).toBeCloseTo(
    tail.reduce((a, b) => a + b, 0),
    10,
  );
});

test("the score of aaronson is the sum of exponential numbers, with the exact probability of chance", () => {
  const last = (i: number, k: number): number => TEXT[i - k] ?? -1;
  const sum = TEXT.reduce((total, token, i) => {
    const r = 1 - noise(9, hashOf(last(i, 4), last(i, 3), last(i, 2), last(i, 1)), token);
    return total - Math.log(1 - r);
  }, 0);
  const n = TEXT.length;
  const found = detectAaronson(TEXT, { key: 9 });
  expect([found.tokens, found.z]).toEqual([n, expect.closeTo((sum - n) / Math.sqrt(n), 6)]);
  // the density x^(n-1) e^-x / (n-1)! above the sum, by Simpson's rule
  const logFactorial = Array.from({ length: n - 1 }, (_, k) => Math.log(k + 1)).reduce((a, b) => a + b, 0);
  const density = (x: number): number => Math.exp((n - 1) * Math.log(x) - x - logFactorial);
  const [steps, width] = [4000, 200 / 4000];
  const area = Array.from(
    { length: steps + 1 },
    (_, i) => (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2) * density(sum + i * width),
  );
  expect(found.p).toBeCloseTo((area.reduce((a, b) => a + b, 0) * width) / 3, 6);
});

test("the score of synthid is SynthID's weighted mean, with the probability of the normal distribution", () => {
  const bit = (i: number, round: number): number => {
    const last = [4, 3, 2, 1].map((k) => TEXT[i - k] ?? -1);
    return Math.floor(noise(KEY, hashOf(...last), TEXT[i]!) * 2 ** round) % 2;
  };
  // transformers' weighted_mean_score: weights from 10 to 1, which sum to the number of rounds
  const weights = Array.from({ length: 20 }, (_, i) => 10 - (9 * i) / 19);
  const total = weights.reduce((a, b) => a + b, 0);
  const means = TEXT.map((_, i) => weights.reduce((sum, w, k) => sum + (w * 20 * bit(i, k + 1)) / total, 0) / 20);
  const found = detectSynthId(TEXT, { key: KEY });
  expect(found.tokens).toBe(TEXT.length);
  expect(found.won).toBeCloseTo(means.reduce((a, b) => a + b, 0) / TEXT.length, 10);
  // the standard deviation of bits that are 0 or 1 with equal probability
  const deviation = Math.sqrt(weights.reduce((sum, w) => sum + (w / total) ** 2 / 4, 0) / TEXT.length);
  expect(found.z).toBeCloseTo((found.won - 0.5) / deviation, 8);
  const { z } = found;
  const area = Array.from({ length: 20_001 }, (_, i) => Math.exp(-((z + i / 1000) ** 2) / 2));
  const tail = (area.reduce((a, b) => a + b, 0) - area[0]! / 2) / 1000 / Math.sqrt(2 * Math.PI);
  expect(found.p).toBeCloseTo(tail, 6);
  expect(detectSynthId([], { key: 1 })).toEqual({ tokens: 0, won: 0.5, z: 0, p: 1 });
  expect(() => detectSynthId(TEXT, { key: 1, rounds: 21 })).toThrow("`rounds` must be an integer from 1 to 20");
});

test("the probability of chance is one that texts have", () => {
  const r = random(8);
  const texts = Array.from({ length: 400 }, () => Array.from({ length: 60 }, () => r.below(5000)));
  for (const detect of [detectWatermark, detectAaronson, detectSynthId]) {
    const p = texts.map((tokens) => detect(tokens, { key: 77 }).p);
    for (const bound of [0.05, 0.25, 0.5])
      expect(Math.abs(p.filter((x) => x <= bound).length / p.length - bound)).toBeLessThan(0.12);
  }
});

test("repetitions count once, and tokens before `from` are context", () => {
  const twice = [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4];
  expect(detectWatermark(twice, { key: 1 }).tokens).toBe(5);
  expect(detectAaronson(twice, { key: 1 }).tokens).toBe(8);
  const [all, later] = [0, 119].map((from) => detectWatermark(TEXT, { key: 1, from }));
  expect([all!.tokens, later!.tokens]).toEqual([120, 1]);
  expect(later!.green).toBe(noise(1, TEXT[118]!, TEXT[119]!) < 0.25 ? 1 : 0);
  expect(detectWatermark([], { key: 1 })).toEqual({ tokens: 0, green: 0, z: 0, p: 1 });
  expect(detectAaronson([], { key: 1 })).toEqual({ tokens: 0, z: 0, p: 1 });
});

test.each<[tokens: unknown, options: unknown, message: string]>([
  ["text", { key: 1 }, "`tokens` must be a list of tokens"],
  [[1.5], { key: 1 }, "`tokens[0]` must be"],
  [[1], {}, "`key` must be an integer from 0 to 4294967295"],
  [[1], { key: 2 ** 32 }, "`key` must be"],
  [[1], { key: 1, gamma: 1 }, "`gamma` must be a number between 0 and 1, found 1"],
  [[1], { key: 1, from: 2 }, "`from` must be an integer from 0 to 1"],
])("%j with %j is refused", (tokens, options, message) => {
  expect(() => detectWatermark(tokens as number[], options as { key: number })).toThrow(message);
});
