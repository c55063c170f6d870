/** The model's own log-probabilities, against the softmax of `model.logits`, and the chain's rows beside them. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { chainOf, compile, compilePipeline, type Chain } from "../../runtime/chain/chain.js";
import type { GenerateOptions, Generation, GenerationStats, Piece } from "../../runtime/generation/generate.js";
import type { Model } from "../../runtime/models/model.js";
import { endless, loadExactModel } from "../model/demo.js";

const PROMPT = "In the beginning";
let model: Model;
beforeAll(async () => {
  model = await loadExactModel();
});
afterAll(() => model.dispose());

async function read(
  chain: Chain,
  options: Partial<GenerateOptions>,
): Promise<{ pieces: Piece[]; stats: GenerationStats }> {
  const generation: Generation = model.generate(PROMPT, { chain, maxTokens: 6, ...endless(model), ...options });
  const pieces: Piece[] = [];
  for await (const piece of generation) pieces.push(piece);
  return { pieces, stats: generation.stats() };
}

/** Log-probabilities in f64, the likeliest first. */
function softmax(logits: Float32Array): { token: number; logprob: number }[] {
  const most = logits.reduce((a, b) => Math.max(a, b));
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - most), 0)) + most;
  return [...logits.keys()]
    .map((token) => ({ token, logprob: logits[token]! - total }))
    .sort((a, b) => b.logprob - a.logprob || a.token - b.token);
}

const SAMPLED = compilePipeline("logit_bias() |> top_k(5) |> temp(2) |> dist(3)");

test.each(["graph", "host"] as const)(
  "are those of the raw logits, whatever the chain does (%s)",
  async (placement) => {
    const { pieces } = await read(SAMPLED, { logprobs: 4, placement });
    const tokens = [...model.tokenize(PROMPT)];
    for (const [i, { token, logprob, entropy, logprobs }] of pieces.entries()) {
      const wanted = softmax(await model.logits(Int32Array.from(tokens)));
      expect(logprobs!.map((one) => one.token)).toEqual(wanted.slice(0, 4).map((one) => one.token));
      // a prompt that is read at once and a token that follows differ in last digits
      const digits = i === 0 ? 10 : 4;
      logprobs!.forEach((one, rank) => expect(one.logprob).toBeCloseTo(wanted[rank]!.logprob, digits));
      expect(logprob).toBeCloseTo(wanted.find((one) => one.token === token)!.logprob, digits);
      expect(entropy).toBeCloseTo(-wanted.reduce((sum, one) => sum + Math.exp(one.logprob) * one.logprob, 0), digits);
      tokens.push(token);
    }
  },
);

test("0 lists none beside the picked token, and without it there are none", async () => {
  const { pieces } = await read(SAMPLED, { logprobs: 0, maxTokens: 1 });
  expect(pieces[0]).toMatchObject({ logprob: expect.any(Number), logprobs: [] });
  const [plain] = (await read(SAMPLED, { maxTokens: 1 })).pieces;
  expect(plain).not.toHaveProperty("logprob");
  expect(plain).not.toHaveProperty("entropy");
});

test("asking needs no other graph, and changes no token", async () => {
  const plain = await read(SAMPLED, {});
  const asked = await read(SAMPLED, { logprobs: 3, alternatives: 3 });
  expect(asked.pieces.map(({ token, text }) => ({ token, text }))).toEqual(plain.pieces);
  const facts = ({ nodes, graphBuilds, reserveBuilds, probeBuilds, readbackBytes }: GenerationStats) => ({
    nodes,
    graphBuilds,
    reserveBuilds,
    probeBuilds,
    readbackBytes,
  });
  expect(facts(asked.stats)).toEqual(facts(plain.stats));
  // nor in a context that others share
  using batch = model.batch({ sequences: 1 });
  const builds: number[] = [];
  for (const options of [{}, { logprobs: 2 }, { alternatives: 2 }, {}]) {
    const generation = batch.add(PROMPT, { chain: SAMPLED, maxTokens: 4, ...endless(model), ...options });
    for await (const _ of generation);
    builds.push(generation.stats().graphBuilds);
  }
  expect(builds.slice(1).map((count, i) => count - builds[i]!)).toEqual([2, 2, 2].map(() => expect.any(Number)));
  expect(new Set(builds.slice(1).map((count, i) => count - builds[i]!)).size).toBe(1);
});

describe("the chain's own rows beside them", () => {
  const HEAD = 'import { logit_bias, top_k, min_p, temp, dist, xtc, penalties, dry, mirostat_v2, greedy } from "std"\n';
  const CHAINS = {
    "top_k and min_p": "top_k(12) |> min_p(0.02) |> temp(1.2) |> dist(3)",
    "a draw before the last one": "xtc(0.5, 0.05, 1, 5) |> top_k(12) |> dist(3)",
    penalties: "penalties(16, 1.5, 0.3, 0.1) |> top_k(12) |> dist(3)",
    dry: "dry(2, 1.75, 1) |> top_k(12) |> dist(3)",
    "a state": "temp(1.1) |> mirostat_v2(3, 0.3, 3)",
    "no draw": "penalties(16, 1.5, 0.3, 0.1) |> greedy()",
    "a grammar": "words() |> top_k(12) |> dist(3)",
  };
  test.each(Object.entries(CHAINS))("%s", async (_, stages) => {
    const chain = compile(
      `${HEAD}sampler words() { keep allowed("root ::= [a-z ]+") }\nchain c() = logit_bias() |> ${stages}`,
    );
    const found = await read(chain, { alternatives: 5, maxTokens: 12 });
    // a chain whose graph gives the rows itself
    const direct = await read(chainOf(chain.rowsGraph), { alternatives: 5, maxTokens: 12 });
    expect(found.pieces.map(({ token }) => token)).toEqual(direct.pieces.map(({ token }) => token));
    for (const [i, { probability, alternatives }] of found.pieces.entries()) {
      const other = direct.pieces[i]!;
      expect(probability).toBeGreaterThan(0);
      expect(probability).toBeCloseTo(other.probability!, 5);
      expect(alternatives!.map(({ token }) => token)).toEqual(other.alternatives!.map(({ token }) => token));
      alternatives!.forEach((one, rank) =>
        expect(one.probability).toBeCloseTo(other.alternatives![rank]!.probability, 5),
      );
    }
  });

  test("a seed of the sequence, uniforms that change, and tokens that are taken back", async () => {
    const chain = compile(
      `${HEAD}chain c(t: f32 >= 0 = 1) = logit_bias() |> xtc(0.5, 0.05, 1) |> top_k(9) |> temp(t) |> dist()`,
    );
    const generation = model.generate(PROMPT, { chain, alternatives: 9, maxTokens: 30, ...endless(model) });
    let read = 0;
    for await (const { probability, alternatives } of generation) {
      expect(probability).toBeGreaterThan(0);
      expect(alternatives!.reduce((sum, one) => sum + one.probability, 0)).toBeCloseTo(1, 5);
      if (read++ === 5) generation.setUniforms({ t: 1e-7 });
      // the likeliest one has it all then, and each half of it when two are equal
      if (read > 7) expect(probability).toBeGreaterThan(0.4);
      if (read === 20) generation.rewind(10);
    }
    expect(read).toBe(40);
  });
});
