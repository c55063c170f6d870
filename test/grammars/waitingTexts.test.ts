/** Texts of models whose grammars wait: the same from the addon, in WebAssembly, in a batch and with drafts. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, type Chain } from "../../runtime/chain/chain.js";
import type { GenerateOptions, Generation, GenerationStats } from "../../runtime/generation/generate.js";
import { loadModel, loadModelFromBytes, type Model } from "../../runtime/models/model.js";
import { writeExactModel } from "../model/demo.js";
import { PROMPT as VERSES } from "../speculation/chains.js";
import { isBuilt, llamaTest } from "../wasm/llamaTest.js";

const PROMPT = "In the beginning";
const IMPORT = 'import { constrain, dist, greedy, top_k } from "std"\n';

let folder: string;
let native: Model;
let wasm: Model | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-waiting-"));
  const file = writeExactModel(folder);
  native = await loadModel(file, { backend: "cpu", contextSize: 256 });
  if (isBuilt) wasm = await loadModelFromBytes(readFileSync(file), { backend: "wasm" });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  native.dispose();
  wasm?.dispose();
});

interface Text {
  readonly tokens: readonly number[];
  readonly texts: readonly string[];
  readonly stats: GenerationStats;
}

async function read(generation: Generation): Promise<Text> {
  const [tokens, texts]: [number[], string[]] = [[], []];
  for await (const { token, text } of generation) {
    tokens.push(token);
    texts.push(text);
  }
  return { tokens, texts, stats: generation.stats() };
}

const textOf = (model: Model, chain: Chain, options: Partial<GenerateOptions> = {}, prompt = PROMPT): Promise<Text> =>
  read(model.generate(prompt, { chain, maxTokens: 40, ...options }));

const countsOf = ({ tokens, stats }: Text) => ({
  tokens,
  finish: stats.finish,
  disallowed: stats.disallowedTokens,
});

/** Asked at every third token. */
const isThird = (i: number): boolean => i % 3 === 2;
const SOMETIMES = compile(`${IMPORT}sampler third(g: grammar) {
  state place: i32 = 0
  if place == 2 { keep allowed(g) }
  after pick { place = place == 2 ? 0 : place + 1 }
}
chain c(g: grammar) = third(g) |> top_k(20) |> dist(3)`);
const DIGITS = { g: { regex: "[a-c]{2}[0-9]{3}-X[0-9]{3}" } };
/** None of the digits is the best token. */
const NEVER = compile(`${IMPORT}chain c(g: grammar) = top_k(1) |> constrain(g) |> greedy()`);
const PLAIN = compile(`${IMPORT}chain c = greedy()`);

test("a grammar goes on with the tokens that it was asked about, and ends the text", async () => {
  const found = await textOf(native, SOMETIMES, { uniforms: DIGITS, maxTokens: 200 });
  const asked = found.texts.filter((_, i) => isThird(i)).join("");
  expect(asked).toMatch(/^[a-c]{2}[0-9]{3}-X[0-9]{3}$/);
  expect(found.texts.join("")).not.toMatch(/^[-a-cX0-9]*$/);
  expect(isThird(found.tokens.length)).toBe(true);
  expect(countsOf(found)).toMatchObject({ finish: "end", disallowed: undefined });
});

test("the best token stays where the grammar allows none, the grammar waits, and such tokens are counted", async () => {
  const found = await textOf(native, NEVER, { uniforms: { g: { regex: "[0-9]{4}" } } });
  const plain = await textOf(native, PLAIN);
  expect(found.tokens).toEqual(plain.tokens);
  expect(countsOf(found)).toMatchObject({ finish: "maxTokens", disallowed: 40 });
});

test("a token that ends the text against its grammar is counted", async () => {
  const chain = compile(`${IMPORT}sampler stop() { if step == 5 { keep token in tokens.end } }
chain c(g: grammar) = stop() |> constrain(g) |> greedy()`);
  const found = await textOf(native, chain, { uniforms: { g: { regex: "[a-z ]{100}" } } });
  expect(found.tokens).toHaveLength(5);
  expect(countsOf(found)).toMatchObject({ finish: "end", disallowed: 1 });
});

llamaTest("in WebAssembly the texts are those of the addon", async () => {
  for (const [chain, uniforms] of [
    [SOMETIMES, DIGITS],
    [NEVER, { g: { regex: "[0-9]{4}" } }],
  ] as const) {
    const [here, there] = [await textOf(native, chain, { uniforms }), await textOf(wasm!, chain, { uniforms })];
    expect(countsOf(there)).toEqual(countsOf(here));
  }
});

test("in a batch they are those of one sequence", async () => {
  using batch = native.batch({ sequences: 2, contextSize: 256 });
  const options = { chain: SOMETIMES, uniforms: DIGITS, maxTokens: 60 };
  const wanted = countsOf(await textOf(native, SOMETIMES, options));
  const found = await Promise.all([1, 2].map(() => read(batch.add(PROMPT, options))));
  for (const text of found) expect(countsOf(text)).toEqual(wanted);
});

test.each([
  ["asked sometimes", SOMETIMES, DIGITS],
  ["not obeyed", NEVER, { g: { regex: "[0-9]{4}" } }],
] as const)("with drafts they are those without: %s", async (_, chain, uniforms) => {
  const wanted = await textOf(native, chain, { uniforms }, VERSES);
  for (const speculate of [
    { ngram: { min: 1, tokens: 7, adapt: false } },
    { draft: native, tokens: 4, adapt: false },
  ] as const) {
    const found = await textOf(native, chain, { uniforms, speculate }, VERSES);
    expect(countsOf(found)).toEqual(countsOf(wanted));
    expect(found.stats.drafted).toBeGreaterThan(0);
  }
});

test("a draft model's own chain may have a grammar", async () => {
  const own = compile(`${IMPORT}chain c = constrain("root ::= [a-z ,.;:]+") |> greedy()`);
  const wanted = await textOf(native, PLAIN);
  const found = await textOf(native, PLAIN, { speculate: { draft: native, chain: own, tokens: 4, adapt: false } });
  expect(found.tokens).toEqual(wanted.tokens);
  expect(found.stats.accepted).toBeGreaterThan(0);
});

test("a grammar that allows nothing but the end ends a text that must not end yet, with drafts as without", async () => {
  const chain = compile(`${IMPORT}chain c(g: grammar) = constrain(g) |> greedy()`);
  const uniforms = { g: { choices: [" and the earth and the earth and the earth"] } };
  const prompt = " and the earth and the earth and the earth and the earth";
  const wanted = await textOf(native, chain, { uniforms, minTokens: 30 }, prompt);
  expect(wanted.texts.join("")).toBe(uniforms.g.choices[0]);
  expect(wanted.stats.finish).toBe("end");
  const speculate = { ngram: { min: 1, tokens: 7, adapt: false } };
  const [least, free] = [
    await textOf(native, chain, { uniforms, minTokens: 30, speculate }, prompt),
    await textOf(native, chain, { uniforms, speculate }, prompt),
  ];
  for (const text of [least, free]) expect(countsOf(text)).toEqual(countsOf(wanted));
  // the row of the end is computed ahead, too
  const { accepted, decodes, drafted } = free.stats;
  expect(accepted).toBeGreaterThan(3);
  expect(least.stats).toMatchObject({ accepted, decodes, drafted });
});

test("tokens that are taken back are not counted, and the text goes on as before", async () => {
  for (const [chain, uniforms] of [
    [SOMETIMES, DIGITS],
    [NEVER, { g: { regex: "[0-9]{4}" } }],
    [
      compile(`${IMPORT}chain c(g: grammar) = constrain(g) |> top_k(40) |> dist(5)`),
      { g: { regex: "[0-9]{40}-XQZKJWV#@!XQZKJWV#@!" } },
    ],
  ] as const) {
    const wanted = await textOf(native, chain, { uniforms, maxTokens: 60 });
    const { length } = wanted.tokens;
    const left = Math.floor(length / 2);
    const generation = native.generate(PROMPT, { chain, uniforms, maxTokens: 60 });
    const iterator = generation[Symbol.asyncIterator]();
    const take = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await iterator.next();
    };
    await take(length - 2);
    const { forcedTokens = 0, disallowedTokens = 0 } = generation.stats();
    generation.rewind(length - 2 - left);
    const after = generation.stats();
    expect(after.generatedTokens).toBe(left);
    if (forcedTokens > 0) expect(after.forcedTokens ?? 0).toBeLessThan(forcedTokens);
    if (disallowedTokens > 0) expect(after.disallowedTokens).toBe(left);
    const { tokens } = await (async () => {
      const rest: number[] = [];
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) rest.push(next.value.token);
      return { tokens: rest };
    })();
    expect(tokens).toEqual(wanted.tokens.slice(left));
    const counts = ({ forcedTokens: forced, disallowedTokens: refused, finish }: GenerationStats) => ({
      forced,
      refused,
      finish,
    });
    expect(counts(generation.stats())).toEqual(counts(wanted.stats));
  }
});
