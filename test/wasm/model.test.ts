/**
 * Models in WebAssembly beside native ones. Weights of 8 bits make a model round what flows through it to 8 bits, too, and a
 * rounding that goes the other way shows in the logits: where tokens have to be the same for long, the weights are f32.
 */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, compilePipeline, type Chain } from "../../runtime/chain/chain.js";
import type { GenerateOptions, Piece } from "../../runtime/generation/generate.js";
import { warm } from "../cli/warm/warm.js";
import { loadModel, loadModelFromBytes, type Model } from "../../runtime/models/model.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import type { NativeModel } from "../../runtime/backends/native/binding.js";
import { openLlama } from "../../runtime/backends/wasm/llama/binding.js";
import { loadLlama } from "../../runtime/backends/wasm/llama/loader.js";
import { DEMO_MODEL, writeExactModel } from "../model/demo.js";
import { expectSameText, picksNearOf, textOf } from "../model/ties.js";
import type { LlamaSampler } from "../native/oracle.js";
import { isBuilt, llamaTest } from "./llamaTest.js";

const ggsl = warm();

const PROMPT = "In the beginning";

let folder: string;
let exactModel: string;
let native: Model;
let wasm: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-wasm-"));
  exactModel = writeExactModel(folder);
  if (!isBuilt) return;
  // the module computes small ops one by one, so that the figures are the same
  native = await loadModel(exactModel, { backend: "cpu", bundles: false });
  wasm = await loadModelFromBytes(readFileSync(exactModel), { backend: "wasm" });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  if (isBuilt) for (const model of [native, wasm]) model.dispose();
});

/** Does the same with the model on both sides. */
const both = async <T>(work: (model: Model) => Promise<T>): Promise<[native: T, wasm: T]> => [
  await work(native),
  await work(wasm),
];

/** How far logits of f32 weights are off by the cache and the attention, which have half precision. */
const HALF = 0.005;

/** Expects the native text, and gives how many tokens come before a tie. */
const expectNative = (
  [expected, found]: readonly [native: readonly number[], wasm: readonly number[]],
  samplers: readonly LlamaSampler[],
  prompt = PROMPT,
): number => expectSameText(found, expected, picksNearOf(native, { model: exactModel, prompt, samplers }, 2 * HALF));

llamaTest("`ggsl run --backend wasm` writes what `--backend cpu` writes, and says where it ran", () => {
  const run = (backend: string): { tokens: number[]; backend: string } => {
    const chain = ["-e", "top_k(20) |> temp(0.8) |> dist(3)", "-n", "12", "--ctx-size", "64"];
    const { stdout, stderr } = ggsl(["run", ...chain, "--model", exactModel, "--backend", backend, "--json"]);
    expect(stderr).toBe("");
    return JSON.parse(stdout) as { tokens: number[]; backend: string };
  };
  const [cpu, other] = [run("cpu"), run("wasm")];
  expectNative([cpu.tokens, other.tokens], [{ name: "top_k", k: 20 }, { name: "temp", t: 0.8 }, DIST]);
  expect(other.backend).toBe("wasm");
});

const DIST: LlamaSampler = { name: "dist", seed: 3 };

llamaTest("what is known of a model, its texts and tokens are those of the native runtime", async () => {
  const [expected, known] = await both((model) =>
    Promise.resolve({
      info: model.info,
      advice: model.advice,
      tokens: [...model.tokenize("And God said, Let there be light — été 日本"), ...model.tokenize("")],
      pieces: Array.from({ length: model.info.vocabSize }, (_, token) => model.textOf(token)),
    }),
  );
  expect(known).toEqual(expected);
  expect([known.info.vocabSize, known.tokens.length > 8]).toEqual([2048, true]);
  expect([wasm.backend, wasm.device, wasm.skipped]).toEqual(["wasm", "CPU", []]);
  expect(() => wasm.textOf(2048)).toThrow("`token` must be an integer from 0 to 2047, found 2048");
});

/** The raw logits at each token of a text. */
async function logitsOf(model: NativeModel, tokens: Int32Array): Promise<Float32Array[]> {
  const context = await model.createContext({ contextSize: 256, threads: 1 });
  const positions = Int32Array.from(tokens, (_, i) => i);
  const sequences = new Int32Array(tokens.length);
  const outputs = await context.decode({
    tokens,
    positions,
    sequences,
    outputs: new Uint8Array(tokens.length).fill(1),
  });
  context.dispose();
  return outputs.map(({ logits }) => logits!);
}

llamaTest("logits differ from the native ones only by the half precision of attention", async () => {
  const largest: number[] = [];
  for (const file of [exactModel, DEMO_MODEL]) {
    const here = await loadBinding().loadModel(file, { gpuLayers: 0 });
    const { native: there } = openLlama(await loadLlama(), readFileSync(file));
    const tokens = here.tokenize(
      "And the earth was without form, and void; and darkness was upon the deep",
      true,
      false,
    );
    const [expected, found] = [await logitsOf(here, tokens), await logitsOf(there, tokens)];
    const differences = expected.flatMap((row, i) => Array.from(row, (x, j) => Math.abs(x - found[i]![j]!)));
    largest.push(Math.max(...differences.map((x) => (Number.isFinite(x) ? x : Infinity))));
  }
  expect(largest[0]).toBeLessThan(HALF);
  // with ggml's own quantization for WebAssembly, which truncates, it was 0.3
  expect(largest[1]).toBeLessThan(0.2);
});

llamaTest("the logits of the next token are what a chain on the host picks from, as the native ones are", async () => {
  const [expected, logits] = await both((model) => model.logits(PROMPT));
  expect(logits).toHaveLength(2048);
  expect(Math.max(...logits.map((x, i) => Math.abs(x - expected[i]!)))).toBeLessThan(HALF);
  const chain = compilePipeline("top_k(40) |> temp(0.8) |> dist(42)");
  const { token } = await chain.evaluate(logits, { backend: "wasm" });
  expect(await textOf(wasm, wasm.generate(PROMPT, { chain, maxTokens: 1 }))).toEqual([token]);
  await expect(wasm.logits("word ".repeat(600))).rejects.toThrow(/the context size is 512: shorten/);
});

const GRAMMAR = 'root ::= " the" [a-z ]+';
const OBEY = compile(`
import { greedy } from "std"
sampler obey(static grammar: text) { keep allowed(grammar) }
chain obedient(static g: text = ${JSON.stringify(GRAMMAR)}) = obey(g) |> greedy()
`);

const TAILED = compile(`
import { top_k } from "std"
chain tailed() = top_k(40) |> host penalties(last_n: 64, repeat: 1.2) |> host temp(0.8) |> host dist(seed: 42)
`);

const V = 2048;
const CASES: readonly (readonly [Chain, readonly LlamaSampler[]])[] = [
  [compilePipeline("greedy()"), [{ name: "greedy" }]],
  [
    compilePipeline("top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)"),
    [
      { name: "top_k", k: 40 },
      { name: "top_p", p: 0.95, min_keep: 0 },
      { name: "min_p", p: 0.05, min_keep: 0 },
      { name: "temp", t: 0.8 },
      { name: "dist", seed: 42 },
    ],
  ],
  [
    compilePipeline("temp(0.8) |> mirostat_v2(3, 0.1, 5)"),
    [
      { name: "temp", t: 0.8 },
      { name: "mirostat_v2", tau: 3, eta: 0.1, seed: 5 },
    ],
  ],
  [
    compilePipeline("penalties(64, 1.2) |> dry(0.8, last_n: 64) |> min_p(0.1) |> dist(7)"),
    [
      { name: "penalties", n_vocab: V, last_n: 64, repeat: 1.2 },
      { name: "dry", multiplier: 0.8, last_n: 64 },
      { name: "min_p", p: 0.1, min_keep: 0 },
      { name: "dist", seed: 7 },
    ],
  ],
  [OBEY, [{ name: "grammar", text: GRAMMAR }, { name: "greedy" }]],
  [
    TAILED,
    [
      { name: "top_k", k: 40 },
      { name: "penalties", n_vocab: V, last_n: 64, repeat: 1.2 },
      { name: "temp", t: 0.8 },
      { name: "dist", seed: 42 },
    ],
  ],
];

llamaTest(
  "draws, states, features, grammars and host tails give the native tokens, in the graph and on the host",
  async () => {
    for (const placement of ["graph", "host"] as const)
      for (const [chain, samplers] of CASES) {
        const options: GenerateOptions = { chain, maxTokens: 24, placement, checkLogits: true };
        const [here, there] = await both(async (model) => {
          const generation = model.generate(PROMPT, options);
          const tokens = await textOf(model, generation);
          const { tokensPerSecond: _, sequenceBytes: __, ...stats } = generation.stats();
          return { tokens, stats };
        });
        expect(there.tokens.length).toBeGreaterThan(1);
        if (expectNative([here.tokens, there.tokens], samplers) === here.tokens.length)
          expect(there.stats).toEqual(here.stats);
      }
  },
);

llamaTest(
  "sequences in one context, a saved text that goes on, and the likeliest tokens are the native ones",
  async () => {
    const chain = compilePipeline("top_k(20) |> temp(0.7) |> dist(3)");
    const samplers: LlamaSampler[] = [{ name: "top_k", k: 20 }, { name: "temp", t: 0.7 }, DIST];
    const prompts = [PROMPT, "And the king", "Behold", "The LORD is my shepherd"];
    const [here, there] = await both(async (model) => {
      using batch = model.batch({ sequences: 3, contextSize: 256 });
      const write = (prompt: string, i: number): Promise<number[]> =>
        textOf(model, batch.add(prompt, { chain, maxTokens: 8 + i }));
      return await Promise.all(prompts.map(write));
    });
    for (const [i, prompt] of prompts.entries()) expectNative([here[i]!, there[i]!], samplers, prompt);

    const resumed = await both(async (model) => {
      const first = model.generate(PROMPT, { chain, maxTokens: 8 });
      const begun = await textOf(model, first);
      const { tokens, sequence } = first.save();
      const rest = await textOf(model, model.generate(tokens, { chain, maxTokens: 8, resume: sequence }));
      return [...begun, ...rest];
    });
    expectNative(resumed, samplers);

    // more on the native side: rounding may make a token the sixth
    const pieces = await both(async (model) => {
      const list: Piece[] = [];
      const alternatives = model === wasm ? 5 : 8;
      for await (const piece of model.generate(PROMPT, { chain, maxTokens: 4, alternatives })) list.push(piece);
      return list;
    });
    const [ours, theirs] = pieces.map((list) => list.map(({ token }) => token)) as [number[], number[]];
    const shared = expectNative([ours, theirs], samplers);
    for (const [i, piece] of pieces[1].slice(0, shared).entries()) {
      const native = new Map(pieces[0][i]!.alternatives!.map(({ token, probability }) => [token, probability]));
      expect(piece.probability).toBeCloseTo(pieces[0][i]!.probability!, 3);
      for (const { token, probability } of piece.alternatives!) expect(probability).toBeCloseTo(native.get(token)!, 3);
      const shares = piece.alternatives!.map(({ probability }) => probability);
      expect([shares.length, shares]).toEqual([5, [...shares].sort((a, b) => b - a)]);
      expect(shares.reduce((a, b) => a + b)).toBeLessThanOrEqual(1.000001);
    }
  },
);
