/** Texts that a chain writes go on in the context: without the model where nothing is read of it, and the same in batches. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { compile, type Chain, type GenerateOptions, type Model } from "../../runtime/index.js";
import { loadExactModel } from "../model/file.js";

const PROMPT = "In the beginning God created";
const TEXT = " And God saw the light, that it was good: and God divided the light from the darkness.";

let model: Model;
beforeAll(async () => {
  model = await loadExactModel();
});
afterAll(() => model.dispose());

const chainOf = (more = ""): Chain =>
  compile(`import { top_k, dist } from "std"
sampler notes(place: i32) {
  write "${TEXT}" when step % 40 == place
  ${more}
}
chain c(place: i32 = 9, seed: seed = 7) = notes(place) |> top_k(40) |> dist(seed)`);

interface Ended {
  readonly tokens: readonly number[];
  readonly decodes: number;
  readonly forced: number;
}

async function written(options: GenerateOptions): Promise<Ended> {
  let decodes = 0;
  const batch = model.batch({ sequences: 1, onDecode: () => decodes++ });
  const generation = batch.add(PROMPT, options);
  const tokens: number[] = [];
  for await (const { token } of generation) tokens.push(token);
  const { forcedTokens: forced = 0 } = generation.stats();
  batch.dispose();
  return { tokens, decodes, forced };
}

test("the tokens of a text are read with the next pick: a decode for each pick", async () => {
  const chain = chainOf();
  const asked = await written({ chain, maxTokens: 88, minTokens: 88, logprobs: 0 });
  // without the token that begins texts
  const length = model.tokenize(TEXT).length - 1;
  expect(asked.forced).toBe(2 * length);
  expect(asked.decodes).toBe(88);
  for (const ahead of [0, 5, 16, 88]) {
    const { tokens, decodes, forced } = await written({ chain, maxTokens: 88, minTokens: 88, ahead });
    expect(tokens).toEqual(asked.tokens);
    expect(forced).toBe(asked.forced);
    expect(decodes).toBe(88 - forced);
  }
});

test("where states depend on the rows, the model is asked for each token", async () => {
  const chain = chainOf(
    "state best: f32 = 0\n  after pick { best = max(prob) + best * 0.5 }\n  logit *= best > 0.9 ? 1.1 : 1",
  );
  const asked = await written({ chain, maxTokens: 60, minTokens: 60, logprobs: 0 });
  const { tokens, decodes, forced } = await written({ chain, maxTokens: 60, minTokens: 60, ahead: 16 });
  expect(tokens).toEqual(asked.tokens);
  expect([forced, decodes]).toEqual([asked.forced, 60]);
});

test("the same texts in a batch, whoever writes", async () => {
  const chain = chainOf();
  const requests = [3, 9, 20, 31, 38].map((place, i): GenerateOptions => ({
    chain,
    uniforms: { place, seed: i + 1 },
    maxTokens: 50 + 7 * i,
  }));
  const alone = await Promise.all(requests.map((request) => written({ ...request, logprobs: 0 })));
  const batch = model.batch({ sequences: 3 });
  const together = await Promise.all(
    requests.map(async (request) => {
      const tokens: number[] = [];
      for await (const { token } of batch.add(PROMPT, request)) tokens.push(token);
      return tokens;
    }),
  );
  batch.dispose();
  expect(together).toEqual(alone.map(({ tokens }) => tokens));
});
