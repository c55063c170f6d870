/** Sets of tokens with a model: their columns are uploaded once. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, type Chain } from "../../runtime/chain/chain.js";
import type { Generation, GenerateOptions, GenerationStats } from "../../runtime/generation/generate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { EXACT, writeExactModel } from "../model/demo.js";

const program = (params: string, stages: string): Chain =>
  compile(`import { greedy } from "std"
sampler only(s: tokens) { keep token in s }
sampler ban(s: tokens) { keep token not in s }
chain c(${params}) = ${stages} |> greedy()`);
const PLAIN = program("", "ban(tokens())");
const VOWELS = program("", "ban(tokens.end) |> only(tokens(/^[ aeiou]+$/))");
const NO_VOWELS = program("", "ban(tokens.end) |> only(tokens(/^[^aeiou]+$/))");
const LISTED = program("banned: tokens(64)", "ban(tokens.end) |> ban(banned)");
const PROMPT = "In the beginning";
const COUNT = 12;

let folder: string;
let model: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-sets-"));
  model = await loadModel(writeExactModel(folder), EXACT);
});
afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

interface Result {
  readonly tokens: readonly number[];
  readonly stats: readonly GenerationStats[];
}

async function collect(generation: Generation): Promise<Result> {
  const tokens: number[] = [];
  const stats: GenerationStats[] = [];
  for await (const { token } of generation) {
    tokens.push(token);
    stats.push(generation.stats());
  }
  return { tokens, stats };
}

const run = (chain: Chain, options: Partial<GenerateOptions> = {}): Promise<Result> =>
  collect(model.generate(PROMPT, { chain, maxTokens: COUNT, contextSize: 128, ...options }));

describe.each(["graph", "host"] as const)("in the %s", (placement) => {
  test("a pattern chooses the tokens", async () => {
    const vowels = await run(VOWELS, { placement });
    expect(vowels.tokens).toHaveLength(COUNT);
    for (const token of vowels.tokens) expect(model.textOf(token)).toMatch(/^[ aeiou]+$/);
    const others = await run(NO_VOWELS, { placement });
    for (const token of others.tokens) expect(model.textOf(token)).toMatch(/^[^aeiou]+$/);
  });

  test("a list changes between tokens", async () => {
    const { tokens } = await run(LISTED, { placement });
    const [first, second] = tokens as [number, number];
    const changed = model.generate(PROMPT, { chain: LISTED, placement, maxTokens: 2, contextSize: 128 });
    const found: number[] = [];
    for await (const { token } of changed) {
      found.push(token);
      changed.setUniforms({ banned: [second] });
    }
    expect(found[0]).toBe(first);
    expect(found[1]).not.toBe(second);
    const banned = await run(LISTED, { placement, uniforms: { banned: [first, model.textOf(second)] } });
    expect(banned.tokens).not.toContain(first);
    expect(banned.tokens).not.toContain(second);
  });
});

test("no column is uploaded for a token", async () => {
  const { stats } = await run(VOWELS);
  const uploads = stats.map(({ uploadBytes }) => uploadBytes);
  const perToken = new Set(uploads.slice(1).map((bytes, i) => bytes - uploads[i]!));
  const { vocabSize } = model.info;
  expect([...perToken]).toHaveLength(1);
  // a few uniforms
  expect([...perToken][0]).toBeLessThan(100);
  const columns = VOWELS.graph.inputs.length - 1;
  expect(columns).toBe(2);
  expect(uploads[0]).toBeGreaterThanOrEqual(columns * 4 * vocabSize);
  expect(uploads[0]).toBeLessThan(columns * 4 * vocabSize + 200);
  expect(stats[0]!.columnBytes).toBeGreaterThanOrEqual(columns * 4 * vocabSize);
  expect((await run(PLAIN)).stats[0]!.columnBytes).toBeGreaterThanOrEqual(4 * vocabSize);
});

test("sequences with equal words and different sets share neither graph nor columns", async () => {
  const chains = [VOWELS, NO_VOWELS, VOWELS, NO_VOWELS];
  const alone = await Promise.all(chains.slice(0, 2).map((chain) => run(chain)));
  using batch = model.batch({ sequences: 4, contextSize: 128 });
  const together = await Promise.all(chains.map((chain) => collect(batch.add(PROMPT, { chain, maxTokens: COUNT }))));
  together.forEach(({ tokens }, i) => expect(tokens).toEqual(alone[i % 2]!.tokens));
  // a slot that another chain used
  const again = await collect(batch.add(PROMPT, { chain: NO_VOWELS, maxTokens: COUNT }));
  expect(again.tokens).toEqual(alone[1]!.tokens);
  const { columnBytes } = together[3]!.stats.at(-1)!;
  const columns = 4 * 4 * model.info.vocabSize;
  expect(columnBytes).toBeGreaterThanOrEqual(columns);
  expect(columnBytes).toBeLessThan(2 * columns);
});

test("a sequence is saved with its sets", async () => {
  const options = { chain: LISTED, contextSize: 128, maxTokens: 4 } as const;
  const whole = await collect(model.generate(PROMPT, { ...options, maxTokens: 8, uniforms: { banned: [5, " "] } }));
  const first = model.generate(PROMPT, { ...options, uniforms: { banned: [5, " "] } });
  const begun = await collect(first);
  const { tokens, sequence } = first.save();
  const rest = await collect(
    model.generate(tokens, { ...options, resume: JSON.parse(JSON.stringify(sequence)) as typeof sequence }),
  );
  expect([...begun.tokens, ...rest.tokens]).toEqual(whole.tokens);
});

test("a text that is not one token is refused before anything runs", () => {
  const chain = program("", 'ban(tokens("In the beginning"))');
  expect(() => model.generate(PROMPT, { chain })).toThrow(
    '"In the beginning" is not one token of the vocabulary: it is',
  );
});
