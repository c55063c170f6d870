/** Failures of models in WebAssembly: the same errors as native ones, and the page continues. */
import { expect } from "@jest/globals";
import { readFileSync } from "node:fs";
import { encodeWire } from "../../compiler/graph/wire.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import type { ContextSettings } from "../../runtime/backends/contextOptions.js";
import { AbortError, InputError } from "../../runtime/core/errors.js";
import type { Generation } from "../../runtime/generation/generate.js";
import { loadModel, loadModelFromBytes, type Model } from "../../runtime/models/model.js";
import type { LoadModelOptions } from "../../runtime/models/options.js";
import type { Batch } from "../../runtime/backends/native/binding.js";
import { openLlama } from "../../runtime/backends/wasm/llama/binding.js";
import { loadLlama } from "../../runtime/backends/wasm/llama/loader.js";
import { DEMO_MODEL } from "../model/file.js";
import { GREEDY } from "../native/graphs.js";
import { llamaTest } from "./llamaTest.js";

const demo = (): Uint8Array => readFileSync(DEMO_MODEL);
const greedy = compilePipeline("greedy()");

async function errorOf(promise: Promise<unknown>): Promise<{ error: unknown; code: unknown; message: string }> {
  const error: unknown = await promise.then(
    () => new Error("nothing was thrown"),
    (thrown: unknown) => thrown,
  );
  const { message, cause } = error as Error;
  return { error, message, code: (cause as { code?: unknown } | undefined)?.code };
}

async function tokensOf(generation: Generation): Promise<number[]> {
  const tokens: number[] = [];
  for await (const { token } of generation) tokens.push(token);
  return tokens;
}
const runs = async (model: Model): Promise<number> =>
  (await tokensOf(model.generate("In the beginning", { chain: greedy, maxTokens: 3 }))).length;

llamaTest("bytes that are not a model give an error that says so", async () => {
  const damaged = demo().slice();
  damaged.fill(0xff, 40, 400);
  const cases: [Uint8Array, RegExp][] = [
    [new Uint8Array(0), /not a GGUF file: the model in memory does not start with "GGUF"/],
    [Uint8Array.of(1, 2, 3), /not a GGUF file/],
    [demo().subarray(0, 4), /cannot load the model in memory/],
    [demo().subarray(0, 100_000), /cannot load the model in memory/],
    [damaged, /cannot load the model in memory/],
  ];
  for (const [bytes, expected] of cases) {
    const { error, code, message } = await errorOf(loadModelFromBytes(bytes));
    expect(error).toBeInstanceOf(InputError);
    expect([code, message]).toEqual(["INVALID_MODEL", expect.stringMatching(expected)]);
  }
  await expect(loadModelFromBytes("model.gguf" as never)).rejects.toThrow("must be the bytes of a GGUF file");
  await expect(loadModelFromBytes(demo(), { backend: "cpu" as never })).rejects.toThrow(`found "cpu"`);
});

llamaTest("settings that WebAssembly does not have are refused, from a file as from memory", async () => {
  const load = (options: LoadModelOptions): Promise<Model> => loadModel(DEMO_MODEL, { backend: "wasm", ...options });
  await expect(load({ device: 0 })).rejects.toThrow("has no devices to choose from");
  await expect(load({ gpuLayers: 3 })).rejects.toThrow("`gpuLayers` is 3, and the model runs on the CPU");
  await expect(load({ contextSize: 0 })).rejects.toThrow("`contextSize` must be");
  await expect(loadModelFromBytes(demo(), { contextSize: 0 })).rejects.toThrow("`contextSize` must be");
  await expect(loadModel("package.json", { backend: "wasm" })).rejects.toThrow("not a GGUF file");
  for (const open of [load, (options: ContextSettings) => loadModelFromBytes(demo(), options)]) {
    using small = await open({ contextSize: 256 });
    const prompt = small.tokenize("In the beginning");
    await expect(tokensOf(small.generate(prompt, { chain: greedy }))).resolves.toHaveLength(256 - prompt.length);
    using threads = await open({ threads: 4 });
    await expect(tokensOf(threads.generate("In", { chain: greedy }))).rejects.toThrow(
      "expected 1 in WebAssembly, found 4",
    );
  }
});

llamaTest("what exceeds the memory is an error, and a loaded model still works", async () => {
  const { code, message } = await errorOf(loadModelFromBytes(new Uint8Array(2 ** 30 + 1)));
  expect([code, message]).toEqual([
    "OUT_OF_MEMORY",
    expect.stringContaining("the maximum in WebAssembly is 1073741824"),
  ]);
  using model = await loadModelFromBytes(demo());
  const large = model.generate("In the beginning", { chain: greedy, contextSize: 1 << 20 });
  expect((await errorOf(tokensOf(large))).code).toBe("OUT_OF_MEMORY");
  expect(await runs(model)).toBe(3);
});

llamaTest("an invalid or wrong module is an error that says how to build it", async () => {
  for (const module of [Uint8Array.of(1, 2, 3), readFileSync("runtime/wasm/ggsl.wasm"), "file:///nowhere.wasm"])
    await expect(loadModelFromBytes(demo(), { module })).rejects.toThrow("npm run build:wasm -- --llama");
});

llamaTest("features that need the native runtime say so", async () => {
  using model = await loadModelFromBytes(demo());
  const threads = model.generate("In the beginning", { chain: greedy, threads: 4 });
  await expect(tokensOf(threads)).rejects.toThrow("threads: expected 1 in WebAssembly, found 4");
});

llamaTest("a generation stops between two tokens, and others continue", async () => {
  using model = await loadModelFromBytes(demo());
  const abort = new AbortController();
  const stopped = model.generate("In the beginning", { chain: greedy, signal: abort.signal });
  const read = async (): Promise<void> => {
    for await (const _ of stopped) setTimeout(() => abort.abort());
  };
  const { error } = await errorOf(read());
  expect(error).toBeInstanceOf(AbortError);
  // a timer of the first tokens ran during generation; the full text has 500
  expect(stopped.stats().generatedTokens).toBeLessThan(400);
  expect(await runs(model)).toBe(3);
});

const batch = (token: number, position: number): Batch => ({
  tokens: Int32Array.of(token),
  positions: Int32Array.of(position),
  sequences: Int32Array.of(0),
  outputs: Uint8Array.of(1),
});

llamaTest("contexts give the native errors", async () => {
  const { native, binding } = openLlama(await loadLlama(), demo());
  const chain = new binding.Graph(encodeWire(GREEDY));
  const context = await native.createContext({ contextSize: 256, chains: [chain] });
  context.setUniforms(0, new Float32Array(0));
  const running = context.decode(batch(1, 0));
  expect(() => context.setUniforms(0, new Float32Array(0))).toThrow("this context is decoding");
  await expect(context.decode(batch(1, 1))).rejects.toMatchObject({ code: "BUSY" });
  expect((await running)[0]!.sampled).toHaveLength(1);
  const aborted = context.decode(batch(1, 1));
  context.abort();
  await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
  await expect(context.decode(batch(1, 256))).rejects.toMatchObject({ code: "CONTEXT_FULL" });
  await expect(context.decode(batch(9999, 0))).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(() => context.setChain(1, null)).toThrow("sequence: expected 0 to 0, found 1");
  const foreign = { size: chain.size };
  expect(() => context.setChain(0, foreign)).toThrow("expected a Graph of the model's own binding");
  expect(() => new binding.Graph(Int32Array.of(1, 2, 3))).toThrow(expect.objectContaining({ code: "INVALID_GRAPH" }));
  expect(() => new binding.Tail([{ name: "grammar", text: "root ::= (" }], native)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
  context.dispose();
  context.dispose();
  await expect(context.decode(batch(1, 0))).rejects.toMatchObject({ code: expect.stringMatching("ABORTED|DISPOSED") });
  native.dispose();
  expect(() => native.tokenize("x", true, false)).toThrow("this model is disposed");
});

llamaTest("after a trap every use of that model is an error, and the next one runs", async () => {
  const module = await loadLlama();
  const { native, binding } = openLlama(module, demo());
  using bystander = await loadModelFromBytes(demo());
  const context = await native.createContext({ contextSize: 256, chains: [new binding.Graph(encodeWire(GREEDY))] });
  context.setUniforms(0, new Float32Array(0));
  // no input causes a trap, so the address of the context is corrupted
  const { handle } = context as unknown as { handle: { held: { at: number } } };
  handle.held.at = 0x7fff_fff0;
  await expect(context.decode(batch(1, 0))).rejects.toMatchObject({
    code: "COMPUTE_FAILED",
    message: "memory access out of bounds",
  });
  expect(() => native.tokenize("x", true, false)).toThrow(expect.objectContaining({ code: "DISPOSED" }));
  await expect(native.createContext({})).rejects.toMatchObject({ code: "DISPOSED" });
  context.dispose();
  native.dispose();
  expect(await runs(bystander)).toBe(3);
  using next = await loadModelFromBytes(demo());
  expect(await runs(next)).toBe(3);
});
