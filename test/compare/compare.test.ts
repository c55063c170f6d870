/** Comparisons by the demo model in f32: what is measured is recomputed from the model's logits. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { withSeed } from "../../compiler/graph/seeds.js";
import { chainOf, compile, compilePipeline } from "../../runtime/chain/chain.js";
import { compareChains } from "../../runtime/compare/compare.js";
import type { CompareOptions, CompareProgress } from "../../runtime/compare/options.js";
import type { Model } from "../../runtime/models/model.js";
import { loadExactModel } from "../model/demo.js";

const PROMPT = "In the beginning";
const MIN_P = { name: "min_p", chain: compilePipeline("min_p(0.1) |> temp(1.5) |> dist()") };
const PLAIN = { name: "plain", chain: compilePipeline("temp(1) |> dist()") };
const GREEDY = { name: "greedy", chain: compilePipeline("greedy()") };

let model: Model;
beforeAll(async () => {
  model = await loadExactModel();
});
afterAll(() => model.dispose());

/** The entropy of the softmax of logits, and the logarithm of the probability of a token, in f64. */
function ofLogits(logits: Float32Array, token: number): { entropy: number; logprob: number } {
  const most = logits.reduce((a, b) => Math.max(a, b));
  const weights = Array.from(logits, (logit) => Math.exp(logit - most));
  const sum = weights.reduce((a, b) => a + b);
  const entropy = weights.reduce((total, w) => (w > 0 ? total - (w / sum) * Math.log(w / sum) : total), 0);
  return { entropy, logprob: Math.log(weights[token]! / sum) };
}

test("texts have the seeds from the first on, and their numbers are those of the model's logits", async () => {
  const counts = { texts: 3, tokens: 6, seed: 4294967294 };
  const { chains } = await compareChains(model, PROMPT, { chains: [MIN_P, GREEDY], ...counts });
  const prompt = [...model.tokenize(PROMPT)];
  for (const [{ texts }, { chain }] of [[chains[0]!, MIN_P] as const, [chains[1]!, GREEDY] as const])
    for (const [i, written] of texts.entries()) {
      expect(written.seed).toBe([4294967294, 4294967295, 0][i]);
      const alone = model.generate(PROMPT, { chain: chainOf(withSeed(chain.graph, written.seed)), maxTokens: 6 });
      const pieces: string[] = [];
      for await (const piece of alone) pieces.push(piece.text);
      expect(written.text).toBe(pieces.join(""));
      expect(written.finish).toBe(alone.stats().finish);
      expect(written.entropies).toHaveLength(written.tokens.length);
      for (const [at, token] of written.tokens.entries()) {
        const before = Int32Array.from([...prompt, ...written.tokens.slice(0, at)]);
        const wanted = ofLogits(await model.logits(before), token);
        expect(written.entropies[at]).toBeCloseTo(wanted.entropy, 3);
        expect(written.logprobs[at]).toBeCloseTo(wanted.logprob, 3);
      }
    }
  expect(chains.map(({ hasOpenSeed }) => hasOpenSeed)).toEqual([true, false]);
  expect(chains[1]!.measures.different).toBe(1);
});

test("a chain that draws from the model's distribution: minus the log-probability is the entropy, on average", async () => {
  const { chains } = await compareChains(model, PROMPT, { chains: [PLAIN], texts: 48, tokens: 16 });
  const [{ measures, texts }] = chains as [(typeof chains)[0]];
  // the difference of each token has a mean of 0; its standard error, over all tokens, is the bound
  const differences = texts.flatMap(({ entropies, logprobs }) => entropies.map((entropy, i) => entropy + logprobs[i]!));
  const mean = differences.reduce((a, b) => a + b) / differences.length;
  const variance = differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / (differences.length - 1);
  expect(Math.abs(measures.entropy + measures.logprob)).toBeLessThan(5 * Math.sqrt(variance / differences.length));
});

test("the same options give the same comparison, also as tokens", async () => {
  const options = { chains: [MIN_P, PLAIN], texts: 5, tokens: 8, sequences: 3 };
  const first = await compareChains(model, PROMPT, options);
  expect(await compareChains(model, PROMPT, options)).toEqual(first);
  const { chains } = await compareChains(model, model.tokenize(PROMPT), options);
  expect(chains).toEqual(first.chains);
});

test("progress: it rises to 1, and has the comparison of the first texts", async () => {
  const seen: CompareProgress[] = [];
  const parts: number[][] = [];
  const options = { chains: [MIN_P, PLAIN], texts: 4, tokens: 5, sequences: 2 };
  const whole = await compareChains(model, PROMPT, {
    ...options,
    onProgress(progress) {
      seen.push(progress);
      const now = progress.comparison();
      expect(now === undefined).toBe(progress.texts === 0);
      if (now) parts.push(now.chains.map(({ texts }) => texts.length));
    },
  });
  const fractions = seen.map(({ fraction }) => fraction);
  expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
  expect(fractions.at(-1)).toBe(1);
  for (const counts of parts) expect(new Set(counts).size).toBe(1);
  expect(parts.at(-1)).toEqual([4, 4]);
  const [part] = seen.filter(({ texts }) => texts > 0);
  expect(part!.comparison()!.chains[0]!.texts[0]).toEqual(whole.chains[0]!.texts[0]);
});

test("a signal ends it, before and while it runs, with its reason", async () => {
  const reason = new Error("changed my mind");
  const options = { chains: [MIN_P], texts: 64, tokens: 64 };
  await expect(compareChains(model, PROMPT, { ...options, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const own = new AbortController();
  const onProgress = ({ fraction }: CompareProgress): void => (fraction > 0.01 ? own.abort() : undefined);
  await expect(compareChains(model, PROMPT, { ...options, signal: own.signal, onProgress })).rejects.toMatchObject({
    code: "ABORTED",
  });
  // the model is still usable
  expect((await compareChains(model, PROMPT, { chains: [GREEDY], texts: 1, tokens: 1 })).chains).toHaveLength(1);
});

describe("what is refused", () => {
  const chains = (count: number) => Array.from({ length: count }, (_, i) => ({ ...MIN_P, name: `c${i}` }));
  const grammar = compile('import { constrain, greedy } from "std"\nchain g(g: grammar) = constrain(g) |> greedy()');
  const guided = compile(
    'import { greedy } from "std"\ninput other: logits\nsampler s() { logit += other }\nchain g = s() |> greedy()',
  );
  const CASES: readonly (readonly [what: string, options: Partial<CompareOptions>, code: string, message: RegExp])[] = [
    ["no chain", { chains: [] }, "INVALID_ARGUMENT", /from 1 to 4 chains to compare, found none/],
    ["five chains", { chains: chains(5) }, "LIMIT_EXCEEDED", /from 1 to 4 chains to compare, found 5, `c0`/],
    ["a name twice", { chains: [MIN_P, MIN_P] }, "INVALID_ARGUMENT", /named `min_p`/],
    ["no text", { texts: 0 }, "INVALID_ARGUMENT", /`texts` must be an integer from 1 to 256/],
    ["too many texts", { texts: 257 }, "INVALID_ARGUMENT", /`texts` must be an integer from 1 to 256/],
    ["too long texts", { tokens: 1025 }, "INVALID_ARGUMENT", /`tokens` must be an integer from 1 to 1024/],
    ["no seed", { seed: 1.5 }, "INVALID_ARGUMENT", /`seed` must be an integer from 0 to 4294967295/],
    [
      "a full context",
      { tokens: 10, contextSize: 12 },
      "CONTEXT_FULL",
      /the prompt has \d+ tokens and a text up to 10/,
    ],
    ["more than the model was trained for", { tokens: 1024 }, "CONTEXT_FULL", /the context size is \d+/],
    [
      "a chain that picks nothing",
      { chains: [{ name: "open", chain: compilePipeline("top_k(3)") }] },
      "INVALID_ARGUMENT",
      /does not pick a token/,
    ],
    ["a missing grammar", { chains: [{ name: "g", chain: grammar }] }, "MISSING_GRAMMAR", /grammar/],
    ["a missing guide", { chains: [{ name: "g", chain: guided }] }, "MISSING_INPUT", /`?other`?/],
    ["an unknown uniform", { chains: [{ ...MIN_P, uniforms: { t: 1 } }] }, "INVALID_ARGUMENT", /`?t`?/],
  ];
  test.each(CASES)("%s", async (_what, options, code, message) => {
    const given = { chains: [MIN_P], texts: 2, tokens: 2, ...options };
    const failed = compareChains(model, PROMPT, given);
    await expect(failed).rejects.toMatchObject({ name: "InputError", code });
    await expect(failed).rejects.toThrow(message);
  });

  test("no chains at all, and a prompt of another type", async () => {
    await expect(compareChains(model, PROMPT, {} as CompareOptions)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    await expect(compareChains(model, 5 as never, { chains: [MIN_P] })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  test("a grammar of the chain is a uniform", async () => {
    const yes = { name: "g", chain: grammar, uniforms: { g: { choices: [" yes", " no"] } } };
    const { chains } = await compareChains(model, PROMPT, { chains: [yes], texts: 2, tokens: 8 });
    for (const { text } of chains[0]!.texts) expect([" yes", " no"]).toContain(text);
  });
});
