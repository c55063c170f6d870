/**
 * Models in WebAssembly, compared with native ones. With 8-bit weights, ggml also rounds activations to 8 bits, so a different
 * rounding shows in the logits: where long texts must have the same tokens, the weights are f32.
 */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, compilePipeline } from "../../runtime/chain.js";
import type { Generation, GenerateOptions } from "../../runtime/generate.js";
import { ggsl } from "../codegen/ggsl.js";
import { loadModel, loadModelFromBytes, type Model } from "../../runtime/model.js";
import { loadBinding } from "../../runtime/native/loader.js";
import type { NativeModel } from "../../runtime/native/binding.js";
import { openLlama } from "../../runtime/wasm/llama/binding.js";
import { loadLlama } from "../../runtime/wasm/llama/loader.js";
import { loadOracle } from "../native/oracle.js";
import { isBuilt, llamaTest } from "./llamaTest.js";

const DEMO_MODEL = "examples/model/demo-q8_0.gguf";
const PROMPT = "In the beginning";

let folder: string;
let pairs: Record<Weights, readonly [Model, Model]>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-wasm-"));
  if (!isBuilt) return;
  const f32 = join(folder, "f32.gguf");
  loadOracle().rewriteModel(DEMO_MODEL, f32, {}, true);
  pairs = { q8_0: await pair(DEMO_MODEL), f32: await pair(f32) };
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  if (isBuilt) for (const model of Object.values(pairs).flat()) model.dispose();
});

type Weights = "q8_0" | "f32";

const pair = async (path: string): Promise<readonly [Model, Model]> => [
  await loadModel(path, { backend: "cpu" }),
  await loadModelFromBytes(readFileSync(path), { backend: "wasm" }),
];

async function tokensOf(generation: Generation): Promise<number[]> {
  const tokens: number[] = [];
  for await (const { token } of generation) tokens.push(token);
  return tokens;
}

/** Runs the same on the demo model in both runtimes. */
async function both<T>(work: (model: Model) => Promise<T>, weights: Weights = "q8_0"): Promise<[T, T]> {
  const [native, wasm] = pairs[weights];
  return [await work(native), await work(wasm)];
}

async function expectSame<T>(work: (model: Model) => Promise<T>, weights?: "f32"): Promise<T> {
  const [native, wasm] = await both(work, weights);
  expect(wasm).toEqual(native);
  return wasm;
}

llamaTest("`ggsl run --backend wasm` writes the same as `--backend cpu`, and says where it ran", () => {
  const run = (backend: string): { text: string; backend: string } => {
    const chain = ["-e", "top_k(20) |> temp(0.8) |> dist(3)", "-n", "12", "--ctx-size", "64"];
    const { stdout, stderr } = ggsl(["run", ...chain, "--backend", backend, "--json"]);
    expect(stderr).toBe("");
    return JSON.parse(stdout) as { text: string; backend: string };
  };
  const [cpu, wasm] = [run("cpu"), run("wasm")];
  expect(wasm.text).toBe(cpu.text);
  expect(wasm.backend).toBe("wasm");
});

llamaTest("a model's properties, texts and tokens equal the native runtime's", async () => {
  const known = await expectSame((model) =>
    Promise.resolve({
      info: model.info,
      advice: model.advice,
      tokens: [...model.tokenize("And God said, Let there be light — été 日本"), ...model.tokenize("")],
      pieces: Array.from({ length: model.info.vocabSize }, (_, token) => model.textOf(token)),
    }),
  );
  expect([known.info.vocabSize, known.tokens.length > 8]).toEqual([2048, true]);
  const [, model] = pairs.q8_0;
  expect([model.backend, model.device, model.skipped]).toEqual(["wasm", "CPU", []]);
  expect(() => model.textOf(2048)).toThrow("token 2048 is outside the vocabulary of 2048");
});

llamaTest("the demo model's greedy text is the native one", async () => {
  const tokens = await expectSame((model) =>
    tokensOf(model.generate(PROMPT, { chain: compilePipeline("greedy()"), maxTokens: 40 })),
  );
  expect(tokens).toHaveLength(40);
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
  for (const file of [join(folder, "f32.gguf"), DEMO_MODEL]) {
    const native = await loadBinding().loadModel(file, { gpuLayers: 0 });
    const { native: wasm } = openLlama(await loadLlama(), readFileSync(file));
    const tokens = native.tokenize(
      "And the earth was without form, and void; and darkness was upon the deep",
      true,
      false,
    );
    const [expected, found] = [await logitsOf(native, tokens), await logitsOf(wasm, tokens)];
    const differences = expected.flatMap((row, i) => Array.from(row, (x, j) => Math.abs(x - found[i]![j]!)));
    largest.push(Math.max(...differences.map((x) => (Number.isFinite(x) ? x : Infinity))));
  }
  expect(largest[0]).toBeLessThan(0.005);
  // with ggml's own quantization for WebAssembly, which truncates, it was 0.3
  expect(largest[1]).toBeLessThan(0.2);
});

llamaTest("a chain on the host picks from the logits of the next token, which equal the native ones", async () => {
  const found = await both((model) => model.logits(PROMPT), "f32");
  const [native, wasm] = found;
  expect(wasm).toHaveLength(2048);
  expect(Math.max(...wasm.map((x, i) => Math.abs(x - native[i]!)))).toBeLessThan(0.005);
  const chain = compilePipeline("top_k(40) |> temp(0.8) |> dist(42)");
  const { token } = await chain.evaluate(wasm, { backend: "wasm" });
  expect(await tokensOf(pairs.f32[1].generate(PROMPT, { chain, maxTokens: 1 }))).toEqual([token]);
  await expect(pairs.f32[1].logits("word ".repeat(600))).rejects.toThrow(/the context size is 512: shorten/);
});

const OBEY = compile(`
import { greedy } from "std"
sampler obey(static grammar: text) { keep allowed(grammar) }
chain obedient(static g: text = "root ::= \\" the\\" [a-z ]+") = obey(g) |> greedy()
`);

const TAILED = compile(`
import { top_k } from "std"
chain tailed() = top_k(40) |> host penalties(last_n: 64, repeat: 1.2) |> host temp(0.8) |> host dist(seed: 42)
`);

llamaTest(
  "draws, states, features, grammars and host tails give the native tokens, in the graph and on the host",
  async () => {
    const chains = [
      "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
      "temp(0.8) |> mirostat_v2(3, 0.1, 5)",
      "penalties(64, 1.2) |> dry(0.8, last_n: 64) |> min_p(0.1) |> dist(7)",
    ].map((stages) => compilePipeline(stages));
    for (const placement of ["graph", "host"] as const)
      for (const chain of [...chains, OBEY, TAILED]) {
        const options: GenerateOptions = { chain, maxTokens: 24, placement, checkLogits: true };
        const [tokens] = await expectSame(async (model) => {
          const generation = model.generate(PROMPT, options);
          const tokens = await tokensOf(generation);
          const { tokensPerSecond: _, sequenceBytes: __, ...stats } = generation.stats();
          return [tokens, stats] as const;
        }, "f32");
        expect(tokens.length).toBeGreaterThan(1);
      }
  },
);

llamaTest("sequences in one context, a resumed text, and the most likely tokens equal the native ones", async () => {
  const chain = compilePipeline("top_k(20) |> temp(0.7) |> dist(3)");
  await expectSame(async (model) => {
    using batch = model.batch({ sequences: 3, contextSize: 256 });
    const prompts = [PROMPT, "And the king", "Behold", "The LORD is my shepherd"];
    return await Promise.all(prompts.map((prompt, i) => tokensOf(batch.add(prompt, { chain, maxTokens: 8 + i }))));
  }, "f32");
  const resumed = await expectSame(async (model) => {
    const first = model.generate(PROMPT, { chain, maxTokens: 8 });
    await tokensOf(first);
    const { tokens, sequence } = first.save();
    return tokensOf(model.generate(tokens, { chain, maxTokens: 8, resume: sequence }));
  }, "f32");
  expect(resumed).toHaveLength(8);
  const [native, wasm] = await both(async (model) => {
    const pieces = [];
    for await (const piece of model.generate(PROMPT, { chain, maxTokens: 4, alternatives: 5 })) pieces.push(piece);
    return pieces;
  }, "f32");
  for (const [i, piece] of wasm.entries()) {
    expect(piece.token).toBe(native[i]!.token);
    expect(piece.probability).toBeCloseTo(native[i]!.probability!, 3);
    expect(piece.alternatives!.map(({ token }) => token)).toEqual(native[i]!.alternatives!.map(({ token }) => token));
    const shares = piece.alternatives!.map(({ probability }) => probability);
    expect([shares.length, shares]).toEqual([5, [...shares].sort((a, b) => b - a)]);
    expect(shares.reduce((a, b) => a + b)).toBeLessThanOrEqual(1.000001);
  }
});
