/** Texts of one prompt that begin together: one of them reads it, and its logits are those of all. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { compile, compilePipeline, type Generation } from "../../runtime/index.js";
import type { Model } from "../../runtime/models/model.js";
import { EXACT, loadExactModel } from "../model/file.js";

let model: Model;
beforeAll(async () => {
  model = await loadExactModel({ ...EXACT, threads: 1, contextSize: 512 });
});
afterAll(() => model.dispose());

const SHORT = "And God said";
const LONG = "And it came to pass in those days, that there went out a decree from the king. ".repeat(8);
const seeded = (stages: string) =>
  compile(
    `import { top_k, typical, temp, dist } from "std"\nchain c(seed: seed = 1) = ${stages} |> temp(0.8) |> dist(seed)\n`,
  );
const chain = seeded("top_k(40)");
const request = (seed: number, more: object = {}) => ({ chain, uniforms: { seed }, maxTokens: 6, ...more }) as never;

async function read(generation: Generation): Promise<number[]> {
  const tokens: number[] = [];
  for await (const { token } of generation) tokens.push(token);
  return tokens;
}

async function alone(prompt: string, seed: number): Promise<number[]> {
  using batch = model.batch({ sequences: 1 });
  return await read(batch.add(prompt, request(seed)));
}

test.each([SHORT, LONG])("have the texts that each has alone: %s", async (prompt) => {
  using batch = model.batch({ sequences: 6 });
  const tokens = model.tokenize(prompt);
  const { length } = tokens;
  for (let round = 0; round < 2; round++) {
    const generations = [1, 2, 3, 4, 5, 6].map((seed) => batch.add(tokens, request(seed)));
    const texts = await Promise.all(generations.map(read));
    for (const [i, text] of texts.entries()) expect(text).toEqual(await alone(prompt, i + 1));
    const computed = generations.map((one) => one.stats().computedPromptTokens);
    // the places hold the prompt in the second round
    expect(computed).toEqual([round === 1 && prompt === LONG ? 1 : length, 0, 0, 0, 0, 0]);
  }
});

test("go on when the one that reads is aborted on the way", async () => {
  using batch = model.batch({ sequences: 3 });
  const prompt = LONG;
  const abort = new AbortController();
  const onPromptProgress = (): void => abort.abort();
  const first = read(batch.add(prompt, request(1, { signal: abort.signal, onPromptProgress })));
  const others = [2, 3].map((seed) => read(batch.add(prompt, request(seed))));
  await expect(first).rejects.toThrow("abort");
  for (const [i, text] of (await Promise.all(others)).entries()) expect(text).toEqual(await alone(prompt, i + 2));
});

test("have chains of their own, and other prompts beside them", async () => {
  using batch = model.batch({ sequences: 5 });
  const greedy = compilePipeline("greedy()");
  const generations = [
    batch.add(SHORT, request(1)),
    batch.add(LONG, request(2)),
    batch.add(SHORT, { chain: greedy, maxTokens: 6 }),
    batch.add(LONG, { chain: greedy, maxTokens: 6 }),
    batch.add(SHORT, request(3)),
  ];
  const texts = await Promise.all(generations.map(read));
  expect(texts[0]).toEqual(await alone(SHORT, 1));
  expect(texts[1]).toEqual(await alone(LONG, 2));
  expect(texts[4]).toEqual(await alone(SHORT, 3));
  using one = model.batch({ sequences: 1 });
  for (const [i, prompt] of [
    [2, SHORT],
    [3, LONG],
  ] as const)
    expect(texts[i]).toEqual(await read(one.add(prompt, { chain: greedy, maxTokens: 6 })));
  expect(generations.filter((each) => each.stats().computedPromptTokens === 0).length).toBe(3);
});

test("one whose step fails ends alone", async () => {
  using batch = model.batch({ sequences: 4 });
  const stopping = (count: number): void => {
    throw new RangeError(`mine after ${count > 0}`);
  };
  const failed = read(batch.add(SHORT, request(1, { onPromptProgress: stopping })));
  const failedToo = read(batch.add(SHORT, request(2, { onPromptProgress: stopping })));
  const others = [3, 4].map((seed) => read(batch.add(SHORT, request(seed))));
  await expect(failed).rejects.toThrow("mine after true");
  await expect(failedToo).rejects.toThrow("mine after true");
  for (const [i, text] of (await Promise.all(others)).entries()) expect(text).toEqual(await alone(SHORT, i + 3));
});

test("share the tokens of a decode's budget", async () => {
  const costly = seeded("top_k(40) |> typical(0.9)");
  const write = (seed: number) => ({ chain: costly, uniforms: { seed }, maxTokens: 6 }) as never;
  const expected: number[][] = [];
  for (const seed of [1, 2, 3, 4]) {
    using one = model.batch({ sequences: 1 });
    expected.push(await read(one.add(LONG, write(seed))));
  }
  using batch = model.batch({ sequences: 4, decodeWork: 1 });
  expect(await Promise.all([1, 2, 3, 4].map((seed) => read(batch.add(LONG, write(seed)))))).toEqual(expected);
  expect(batch.postponed).toBeGreaterThan(0);
});
