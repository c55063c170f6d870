/** Text from the demo model with a chain in its graph, against llama.cpp's own CPU chain. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compile, compilePipeline, type Chain } from "../../runtime/chain/chain.js";
import { AbortError, InputError } from "../../runtime/core/errors.js";
import type { GenerateOptions, GenerationStats } from "../../runtime/generation/generate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { DEMO_MODEL, endless } from "../model/demo.js";
import { expectSameText, referenceOf, textOf } from "../model/ties.js";
import type { LlamaSampler } from "../native/oracle.js";

const PROMPT = "In the beginning";
let model: Model;

beforeAll(async () => {
  model = await loadModel(DEMO_MODEL);
});
afterAll(() => model.dispose());

async function generate(
  chain: Chain,
  options: Omit<GenerateOptions, "chain"> = {},
): Promise<{ tokens: number[]; text: string; stats: GenerationStats }> {
  const generation = model.generate(PROMPT, { chain, ...endless(model), ...options });
  const tokens: number[] = [];
  let text = "";
  for await (const piece of generation) {
    tokens.push(piece.token);
    text += piece.text;
  }
  return { tokens, text, stats: generation.stats() };
}

const CASES: readonly (readonly [string, readonly LlamaSampler[]])[] = [
  ["greedy()", [{ name: "greedy" }]],
  [
    "temp(0.7) |> dist(3)",
    [
      { name: "temp", t: 0.7 },
      { name: "dist", seed: 3 },
    ],
  ],
  [
    "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
    [
      { name: "top_k", k: 40 },
      { name: "top_p", p: 0.95, min_keep: 0 },
      { name: "min_p", p: 0.05, min_keep: 0 },
      { name: "temp", t: 0.8 },
      { name: "dist", seed: 42 },
    ],
  ],
];

describe.each(CASES)("%s", (stages, samplers) => {
  test.each(["graph", "host"] as const)("gives llama.cpp's tokens, run in the %s", async (placement) => {
    const chain = compilePipeline(stages);
    const found = await textOf(model, model.generate(PROMPT, { chain, maxTokens: 100, placement }));
    const reference = referenceOf(model, { model: DEMO_MODEL, prompt: PROMPT, samplers }, 100);
    expectSameText(found, reference.tokens, reference.picksNear);
  });
});

const CREATIVE = `
import { logit_bias, top_k, min_p, temp, dist } from "std"
chain creative(t: f32 >= 0 = 0.8, p: f32 in [0, 1] = 0.05, seed: seed = 42) =
  logit_bias() |> top_k(40) |> min_p(p) |> temp(t) |> dist(seed)
`;

test("uniforms change between tokens without a new graph", async () => {
  const generation = model.generate(PROMPT, { chain: compile(CREATIVE), maxTokens: 100, ...endless(model) });
  const builds: number[] = [];
  const tokens: number[] = [];
  for await (const { token } of generation) {
    tokens.push(token);
    builds.push(generation.stats().graphBuilds);
    generation.setUniforms({ t: tokens.length < 50 ? 0.3 + tokens.length / 100 : 0 });
  }
  expect(tokens.length).toBe(100);
  expect(builds.at(-1)).toBeLessThanOrEqual(3);
  expect(new Set(builds.slice(2)).size).toBe(1);
  const { tokens: steady } = await generate(compile(CREATIVE), { maxTokens: 100 });
  expect(steady).not.toEqual(tokens);
});

test("only the token comes back", async () => {
  const { stats } = await generate(compile(CREATIVE), { maxTokens: 8 });
  expect(stats.readbackBytes).toBe(4);
  expect(stats).toMatchObject({ generatedTokens: 8, finish: "maxTokens", devices: ["CPU"] });
});

test("an aborted generation rejects, and the model goes on", async () => {
  const abort = new AbortController();
  const tokens: number[] = [];
  const run = async (): Promise<void> => {
    const options = { chain: compile(CREATIVE), signal: abort.signal, ...endless(model) };
    for await (const { token } of model.generate(PROMPT, options)) {
      tokens.push(token);
      if (tokens.length === 5) abort.abort();
    }
  };
  await expect(run()).rejects.toThrow(AbortError);
  expect(tokens.length).toBe(5);
  expect((await generate(compile(CREATIVE), { maxTokens: 5 })).tokens).toEqual(tokens);
});

test("a generation ends where the context is full", async () => {
  const { stats } = await generate(compilePipeline("logit_bias() |> greedy()"), { contextSize: 256 });
  expect(stats.finish).toBe("context");
  expect(stats.promptTokens + stats.generatedTokens).toBe(256);
});

test("two generations run side by side", async () => {
  const chain = compile(CREATIVE);
  const [a, b] = await Promise.all([generate(chain, { maxTokens: 20 }), generate(chain, { maxTokens: 20 })]);
  expect(a.tokens).toEqual(b.tokens);
});

test("pieces tell the likeliest tokens, those that the host tail leaves where there is one", async () => {
  for (const stages of ["top_k(5) |> dist(3)", "top_k(20) |> host top_k(5) |> host dist(3)"]) {
    const chain = compile(`import { top_k, dist } from "std"\nchain c() = ${stages}`);
    for await (const piece of model.generate(PROMPT, { chain, maxTokens: 6, alternatives: 10 })) {
      const { alternatives } = piece;
      expect(alternatives).toHaveLength(5);
      expect(alternatives!.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 5);
      expect(alternatives!.find(({ token }) => token === piece.token)!.probability).toBe(piece.probability);
    }
  }
  expect(() => model.generate(PROMPT, { chain: compilePipeline("greedy()"), alternatives: 1.5 })).toThrow(
    "`alternatives` must be an integer from 0 to 100, found 1.5",
  );
});

test("pieces tell the states after them, which are those that a saved sequence has", async () => {
  const chain = compilePipeline("logit_bias() |> mirostat_v2(3, 0.1, 5)");
  const generation = model.generate(PROMPT, { chain, maxTokens: 6, states: true, ...endless(model) });
  const mus: number[] = [];
  for await (const { states, alternatives } of generation) {
    expect(Object.keys(states!)).toEqual(chain.graph.states.map(({ name }) => name));
    expect(Object.values(states!)).toEqual(generation.save().sequence.states);
    expect(alternatives).toBeUndefined();
    mus.push(states!["mu"]!);
  }
  expect(new Set(mus).size).toBe(6);
  for await (const piece of model.generate(PROMPT, { chain, maxTokens: 1, ...endless(model) }))
    expect(piece).not.toHaveProperty("states");
});

describe("bad input", () => {
  test("a chain that picks nothing", () => {
    expect(() => model.generate(PROMPT, { chain: compilePipeline("top_k(3)") })).toThrow(/does not pick a token/);
  });
  test("uniforms that the chain does not have, or out of range", () => {
    const chain = compile(CREATIVE);
    expect(() => model.generate(PROMPT, { chain, uniforms: { q: 1 } })).toThrow(/no uniform `q`/);
    expect(() => model.generate(PROMPT, { chain, uniforms: { p: 2 } })).toThrow("`p` must be in [0, 1], found 2");
  });
  test("a prompt longer than the context", async () => {
    const run = async (): Promise<void> => {
      const options = { chain: compile(CREATIVE), contextSize: 256, ...endless(model) };
      for await (const _ of model.generate("word ".repeat(600), options)) break;
    };
    await expect(run()).rejects.toThrow(
      /the prompt has \d+ tokens, and the context size, for prompt and generated text, is 256/,
    );
  });
  test.each([
    ["nowhere.gguf", /does not exist/],
    ["examples", /not a file/],
    ["package.json", /GGUF/i],
  ])("the model file %s", async (path, message) => {
    await expect(loadModel(path)).rejects.toThrow(InputError);
    await expect(loadModel(path)).rejects.toThrow(message);
  });
  test("an unknown backend", async () => {
    await expect(loadModel(DEMO_MODEL, { backend: "abacus" as "cpu" })).rejects.toThrow(
      /`backend` must be one of auto, cpu, .*, found "abacus"/,
    );
  });
});
