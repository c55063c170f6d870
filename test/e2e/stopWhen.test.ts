/**
 * `stop when` and windows while a model writes: the text ends where the same chain without the stop has its first token for which the condition
 * holds, calculated here from what that text reports; alone, written ahead, in batches, with drafts, taken back, saved and resumed.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readSpec, writeSpec } from "../../compiler/graph/json.js";
import { chainOf, compile, type Chain } from "../../runtime/chain/chain.js";
import type { GenerateOptions, Generation, Piece } from "../../runtime/generation/generate.js";
import type { Model } from "../../runtime/models/model.js";
import { endless, loadExactModel } from "../model/file.js";
import { rest, take } from "../model/reading.js";

const PROMPT = "In the beginning";
const COUNT = 60;
let model: Model;
beforeAll(async () => void (model = await loadExactModel()));
afterAll(() => model.dispose());

/** The mean surprise of the last eight tokens, which a window has; with a stop where it is above a limit. */
const chainWith = (stop: string): Chain =>
  compile(`import { logit_bias, top_k, temp } from "std"
sampler watched(limit: f32, seed: seed) {
  pick sample(seed)
  measure surprise = -log(picked(prob))
  after pick {
    let level = mean(-log(picked(prob)), last: 8)
    measure mean = level
    ${stop}
  }
}
chain c(limit: f32 = 1.4, seed: seed = 5) = logit_bias() |> top_k(30) |> temp(0.9) |> watched(limit, seed)`);

const STOPS = `stop when step >= 12 and level > limit as "unsure"
  stop when step >= 50 as "long"`;

const open = (chain: Chain, options: Partial<GenerateOptions> = {}): Generation =>
  model.generate(PROMPT, { chain, maxTokens: COUNT, ...endless(model), ...options });

const tokensOf = (pieces: readonly Piece[]): number[] => pieces.map(({ token }) => token);

/** The text without stops, and where it has to end: after a token with a mean surprise above the limit, by the reported surprises. */
async function wantedOf(limit: number): Promise<{ tokens: number[]; name: string }> {
  const pieces = await rest(open(chainWith("")));
  const surprises = pieces.map(({ measures }) => measures!["surprise"]!);
  const end = surprises.findIndex((_, i) => {
    const last = surprises.slice(Math.max(0, i - 7), i + 1);
    return (i >= 12 && last.reduce((a, b) => a + b, 0) / last.length > limit) || i >= 50;
  });
  return { tokens: tokensOf(pieces.slice(0, end + 1)), name: end >= 50 ? "long" : "unsure" };
}

describe.each([1.4, 1.9, 9])("above %d", (limit) => {
  const uniforms = { limit };

  test("the text ends with the token for which the condition holds first, which belongs to it", async () => {
    const { tokens, name } = await wantedOf(limit);
    expect(name === "long").toBe(limit === 9);
    const generation = open(chainWith(STOPS), { uniforms });
    const pieces = await rest(generation);
    expect(tokensOf(pieces)).toEqual(tokens);
    expect(generation.stats()).toMatchObject({ finish: "stopped", stoppedBy: name, generatedTokens: tokens.length });
    expect([...generation.save().tokens]).toEqual([...model.tokenize(PROMPT), ...tokens]);
  });

  test("asked for each token, written ahead, from a spec, and with drafts", async () => {
    const { tokens, name } = await wantedOf(limit);
    const chain = chainWith(STOPS);
    const ways: Readonly<Record<string, [Chain, Partial<GenerateOptions>]>> = {
      one: [chain, { ahead: 0 }],
      ahead: [chain, { ahead: 32 }],
      spec: [chainOf(readSpec(writeSpec(chain.graph))), {}],
      alternatives: [chain, { alternatives: 2 }],
      drafts: [chain, { speculate: { ngram: { min: 1, tokens: 4, adapt: false } } }],
    };
    for (const [way, [own, options]] of Object.entries(ways)) {
      const generation = open(own, { uniforms, ...options });
      expect([way, tokensOf(await rest(generation))]).toEqual([way, tokens]);
      expect(generation.stats()).toMatchObject({ finish: "stopped", stoppedBy: name });
    }
  });
});

test("taken back after the end, it goes on and ends at the same token", async () => {
  const generation = open(chainWith(STOPS));
  const first = await rest(generation);
  expect(generation.stats().stoppedBy).toBe("unsure");
  const again = open(chainWith(STOPS));
  await take(again, first.length - 1);
  again.rewind(9);
  expect(again.stats().finish).toBeUndefined();
  expect(tokensOf(await rest(again))).toEqual(tokensOf(first.slice(-10)));
  expect(again.stats()).toMatchObject({ finish: "stopped", stoppedBy: "unsure" });
});

test("saved in the middle of a window, it goes on with its values; saved at the end, with its next token", async () => {
  const chain = chainWith(STOPS);
  const whole = await rest(open(chain));
  const generation = open(chain);
  await take(generation, 10);
  const saved = JSON.parse(JSON.stringify({ ...generation.save(), tokens: [...generation.save().tokens] })) as {
    tokens: number[];
    sequence: NonNullable<GenerateOptions["resume"]> & { windows: number[][] };
  };
  expect(saved.sequence.windows).toHaveLength(1);
  expect(saved.sequence.windows[0]).toHaveLength(7);
  const resume = (from: typeof saved): Generation =>
    model.generate(Int32Array.from(from.tokens), { chain, maxTokens: COUNT, resume: from.sequence, ...endless(model) });
  const resumed = resume(saved);
  expect(tokensOf(await rest(resumed))).toEqual(tokensOf(whole.slice(10)));
  expect(resumed.stats()).toMatchObject({ finish: "stopped", stoppedBy: "unsure" });
  const { windows: _, ...none } = saved.sequence;
  const foreign = { ...saved, sequence: { ...none, windows: [[1]] } };
  expect(() => resume(foreign)).toThrow("this is not a saved sequence of the chain");
  const end = open(chain);
  await rest(end);
  const further = model.generate(end.save().tokens, {
    chain,
    maxTokens: 3,
    resume: end.save().sequence,
    ...endless(model),
  });
  expect((await rest(further)).length).toBeGreaterThan(0);
});

test("in a batch each text ends by its own", async () => {
  const chain = chainWith(STOPS);
  const limits = [1.4, 1.9, 9];
  const batch = model.batch({ sequences: 3, contextSize: 768 });
  try {
    const ends = await Promise.all(
      limits.map(async (limit) => {
        const generation = batch.add(PROMPT, { chain, maxTokens: COUNT, uniforms: { limit }, ...endless(model) });
        const tokens = tokensOf(await rest(generation));
        return { tokens, name: generation.stats().stoppedBy };
      }),
    );
    for (const [i, limit] of limits.entries()) expect(ends[i]).toEqual(await wantedOf(limit));
  } finally {
    batch.dispose();
  }
});

test("a stop text and the end of the model's text come first, the number of tokens last", async () => {
  const chain = chainWith('stop when step >= 4 as "five"');
  const five = await rest(open(chain));
  expect(five).toHaveLength(5);
  const shorter = open(chain, { maxTokens: 5 });
  await rest(shorter);
  expect(shorter.stats()).toMatchObject({ finish: "stopped", stoppedBy: "five" });
  const text = five.at(-1)!.text;
  const stopped = open(chain, { stop: [text] });
  const pieces = await rest(stopped);
  if (!five.slice(0, 4).some((piece) => piece.text.includes(text))) {
    expect(pieces).toHaveLength(5);
    expect(stopped.stats()).toMatchObject({ finish: "stop", stopText: text });
    expect(stopped.stats()).not.toHaveProperty("stoppedBy");
  }
  // a stop text that has only begun is text
  const begun = open(chain, { stop: [`${text}never`] });
  expect((await rest(begun)).map((piece) => piece.text).join("")).toBe(five.map((piece) => piece.text).join(""));
  expect(begun.stats()).toMatchObject({ finish: "stopped", stoppedBy: "five" });
});
