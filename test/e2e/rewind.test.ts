/** Taking tokens back: the text goes on as if they had never been written. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compile } from "../../runtime/chain/chain.js";
import type { GenerateOptions, Generation, Piece } from "../../runtime/generation/generate.js";
import type { Model } from "../../runtime/models/model.js";
import { endless, loadExactModel } from "../model/file.js";
import { iteratorOf, rest, take } from "../model/reading.js";

const PROMPT = "In the beginning";
let model: Model;
beforeAll(async () => {
  model = await loadExactModel();
});
afterAll(() => model.dispose());

const chainOf = (stages: string, head = "") =>
  compile(
    `import { logit_bias, top_k, temp, dist, mirostat_v2, penalties, dry, xtc, cfg } from "std"\n${head}\nchain c(t: f32 >= 0 = 0.9, seed: seed = 7) = logit_bias() |> ${stages}`,
  );

const CHAINS: Readonly<Record<string, ReturnType<typeof chainOf>>> = {
  "draws of two streams": chainOf("xtc(0.5, 0.05, 1, 3) |> temp(t) |> dist(seed)"),
  "a random seed": chainOf("temp(t) |> dist()"),
  mirostat: chainOf("temp(t) |> mirostat_v2(4, 0.3, seed)"),
  penalties: chainOf("penalties(16, 1.3, 0.2, 0.1) |> temp(t) |> dist(seed)"),
  dry: chainOf("dry(2, 1.75, 1) |> temp(t) |> dist(seed)"),
  "endings and states": chainOf(
    "measured(1.5) |> temp(t) |> dist(seed)",
    `sampler measured(x: f32) {
  state seen: i32 = 0
  logit *= since(" the") < 4 ? x : 1
  logit += (ends_with(",") ? 0.5 : 0) * (token % 2 == seen % 2 ? 1 : 0)
  after pick { seen += 1 }
}`,
  ),
  "a grammar": chainOf(
    "words() |> temp(t) |> dist(seed)",
    `sampler words() { keep allowed("root ::= ([a-z ]+ \\"1\\"?)+") }`,
  ),
  "a host tail": chainOf("top_k(30) |> host temp(0.8) |> host mirostat_v2(4, 0.3, 9)"),
  "a host tail that reads the text": chainOf("host penalties(32, 1.2, 0.1, 0) |> host temp(0.9) |> host dist(11)"),
};

const open = (chain: ReturnType<typeof chainOf>, options: Partial<GenerateOptions> = {}): Generation =>
  model.generate(PROMPT, { chain, maxTokens: 80, uniforms: { seed: 7 }, states: true, ...endless(model), ...options });

describe.each(Object.keys(CHAINS))("%s", (name) => {
  test("the same tokens again, with the same states and texts", async () => {
    const generation = open(CHAINS[name]!, { maxTokens: 45 });
    const first = await take(generation, 40);
    const hasGrammar = name === "a grammar";
    const saved = hasGrammar ? undefined : generation.save();
    const seen: unknown[] = [];
    // back by less and by more than what is kept between two copies, and not at all
    const counts = [0, 1, 5, 34];
    for (const count of counts) {
      generation.rewind(count);
      expect(generation.stats().generatedTokens).toBe(40 - count);
      seen.push(await take(generation, count));
    }
    expect(seen).toEqual(counts.map((count) => first.slice(40 - count)));
    if (saved) expect(generation.save()).toEqual(saved);
    // to the prompt, whose last token is read alone then: last digits of logits differ
    generation.rewind(40);
    const plain = (pieces: readonly Piece[]) => pieces.map(({ token, text }) => ({ token, text }));
    expect(plain(await take(generation, 40))).toEqual(plain(first));
    expect((await rest(generation)).length).toBe(5);
  });
});

test("where a text was saved it goes on like the saved one", async () => {
  const chain = CHAINS["mirostat"]!;
  const generation = open(chain);
  await take(generation, 20);
  const saved = generation.save();
  await take(generation, 9);
  generation.rewind(9);
  expect(generation.save()).toEqual(saved);
  const found = await rest(generation);
  const resumed = model.generate(saved.tokens, {
    chain,
    maxTokens: 60,
    resume: saved.sequence,
    states: true,
    ...endless(model),
  });
  expect(found.map(({ token }) => token)).toEqual((await rest(resumed)).map(({ token }) => token));
});

test("uniforms keep their present values", async () => {
  const chain = CHAINS["penalties"]!;
  const generation = open(chain);
  await take(generation, 12);
  generation.setUniforms({ t: 0.5 });
  await take(generation, 30);
  generation.setUniforms({ t: 1.4 });
  await take(generation, 3);
  generation.rewind(40);
  const found = await take(generation, 20);
  // as if it had been set then: the tokens before are the same anyway
  const other = open(chain);
  await take(other, 5);
  other.setUniforms({ t: 1.4 });
  expect(found).toEqual(await take(other, 20));
  for (const one of [generation, other]) await iteratorOf(one).return!();
});

test("banned strings: another token is picked where one began", async () => {
  const chain = CHAINS["penalties"]!;
  const plain = (await rest(open(chain))).map(({ text }) => text).join("");
  const banned = plain.slice(40, 46);
  let text = "";
  let rewinds = 0;
  const generation = open(chain);
  const pieces: string[] = [];
  for await (const piece of generation) {
    pieces.push(piece.text);
    text = pieces.join("");
    const at = text.indexOf(banned);
    if (at < 0) continue;
    let count = 0;
    while (pieces.join("").length > at) {
      pieces.pop();
      count++;
    }
    generation.rewind(count);
    generation.setUniforms({ seed: ++rewinds });
  }
  expect(rewinds).toBeGreaterThan(0);
  expect(pieces.length).toBe(80);
  expect(text).not.toContain(banned);
});

test("stop texts and ends: what is left is not over", async () => {
  const chain = CHAINS["penalties"]!;
  const whole = await rest(open(chain));
  const stop = whole
    .slice(30, 34)
    .map(({ text }) => text)
    .join("");
  const generation = open(chain, { stop: [stop] });
  const read: Piece[] = [];
  const iterator = iteratorOf(generation);
  while (read.length === 0 || generation.stats().finish === undefined)
    read.push((await iterator.next()).value as Piece);
  expect(generation.stats()).toMatchObject({ finish: "stop", stopText: stop });
  generation.rewind(3);
  expect(generation.stats()).not.toHaveProperty("finish");
  const again: Piece[] = [];
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) again.push(next.value);
  expect(generation.stats()).toMatchObject({ finish: "stop", stopText: stop });
  expect([...read.slice(0, -3), ...again].map(({ text }) => text).join("")).toBe(
    whole
      .map(({ text }) => text)
      .join("")
      .split(stop)[0],
  );
  // after the end it is what `save` gives
  const { tokens } = generation.save();
  generation.rewind(5);
  expect(generation.save().tokens).toEqual(tokens.subarray(0, -5));
  expect(generation.save().sequence.step).toBe(tokens.length - model.tokenize(PROMPT).length - 5);
  expect(generation.stats()).toMatchObject({ finish: "stop" });
});

test("with a guide, and beside another sequence of the batch", async () => {
  const chain = compile(`import { cfg, top_k, dist } from "std"\nchain c = cfg(1.5) |> top_k(20) |> dist(3)`);
  using batch = model.batch({ sequences: 3, contextSize: 256 });
  const request = { chain, maxTokens: 30, guides: { negative: { prompt: "And the king said" } } };
  const plain = { chain: CHAINS["mirostat"]!, maxTokens: 40, uniforms: { seed: 7 }, ...endless(model) };
  const guided = batch.add(PROMPT, request) as Generation;
  const [tokens, beside] = await Promise.all([
    (async () => {
      const first = await take(guided, 20);
      for (const count of [3, 19, 20]) {
        guided.rewind(count);
        expect(await take(guided, count)).toEqual(first.slice(20 - count));
      }
      return [...first, ...(await rest(guided))];
    })(),
    rest(batch.add(PROMPT, plain) as Generation),
  ]);
  const alone = await rest(model.generate(PROMPT, request));
  expect(tokens.map(({ token }) => token)).toEqual(alone.map(({ token }) => token));
  expect(beside.map(({ token }) => token)).toEqual(
    (await rest(model.generate(PROMPT, plain) as Generation)).map(({ token }) => token),
  );
});

test("with drafts: texts, log-probabilities and stop texts are those without", async () => {
  const chain = chainOf("penalties(8, 1.02, 0, 0) |> top_k(4) |> temp(0.3) |> dist(seed)");
  const prompt = "And God said, Let there be light. And God said, Let there be light. And God said, Let";
  const write = async (options: Partial<GenerateOptions>): Promise<[Piece[], ReturnType<Generation["stats"]>]> => {
    const generation = model.generate(prompt, { chain, maxTokens: 40, logprobs: 2, ...endless(model), ...options });
    const first = await take(generation, 25);
    for (const count of [2, 11, 24]) {
      generation.rewind(count);
      expect((await take(generation, count)).map(({ text }) => text)).toEqual(
        first.slice(25 - count).map(({ text }) => text),
      );
    }
    return [[...first, ...(await rest(generation))], generation.stats()];
  };
  const [plain] = await write({});
  const stop = plain
    .slice(31, 34)
    .map(({ text }) => text)
    .join("");
  const [drafted, stats] = await write({ speculate: { ngram: {} }, stop: [stop] });
  expect(stats.drafted).toBeGreaterThan(0);
  expect(stats).toMatchObject({ finish: "stop", stopText: stop });
  expect(drafted.map(({ token }) => token)).toEqual(plain.slice(0, drafted.length).map(({ token }) => token));
  drafted.forEach(({ logprob }, i) => expect(logprob).toBeCloseTo(plain[i]!.logprob!, 3));
});

test("bad input", async () => {
  // a piece that is not there is awaited
  const generation = open(CHAINS["mirostat"]!, { ahead: 0 });
  const refused = (count: unknown, message: string, code = "INVALID_ARGUMENT"): void =>
    expect(() => generation.rewind(count as number)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  refused(1, "`count` must be 0 before the first piece, found 1");
  generation.rewind(0);
  const first = await take(generation, 4);
  refused(5, "`count` must be at most 4, the number of tokens that were read, found 5");
  refused(-1, "`count` must be an integer from 0, found -1");
  refused("1", "`count` must be an integer from 0");
  const next = iteratorOf(generation).next();
  refused(1, "a piece is awaited", "BUSY");
  await next;
  generation.rewind(5);
  expect(await take(generation, 4)).toEqual(first);
  await iteratorOf(generation).return!();
});
