import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pbkdf2 } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { DecodeOutput, NativeContext, NativeGraph, NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { batchOf, codeOf, generateWith, type Part } from "./batches.js";
import { DEMO_MODEL, EXACT, writeExactModel } from "../model/demo.js";
import { GREEDY, nativeGraph, RANKED, TRUNCATED } from "./graphs.js";
import { loadOracle } from "./oracle.js";

let model: NativeModel;
let prompt: Int32Array;

/** For logits of batches of other sizes, which round otherwise. */
let exact: NativeModel;

beforeAll(async () => {
  model = await loadBinding().loadModel(DEMO_MODEL, {});
  prompt = model.tokenize("In the beginning", true, false);
  const folder = mkdtempSync(join(tmpdir(), "ggsl-decode-"));
  exact = await loadBinding().loadModel(writeExactModel(folder), {});
  rmSync(folder, { recursive: true });
});

afterAll(() => {
  model.dispose();
  exact.dispose();
});

const create = (chains: (NativeGraph | null)[], options: object = {}, of = model): Promise<NativeContext> =>
  of.createContext({ contextSize: 512, sequences: chains.length, chains, threads: 1, ...options });

/** Generates `count` tokens with the chain of sequence 0. */
const generate = (context: NativeContext, count: number): Promise<number[]> =>
  generateWith(context, prompt, count, ({ sampled }) => sampled![0]!);

test.each(["graph", "host"] as const)("greedy text is llama.cpp's (%s)", async (placement) => {
  const context = await create([nativeGraph(GREEDY)], { placement });
  const expected = loadOracle().generateReference({ model: DEMO_MODEL, prompt, samplers: [{ name: "greedy" }] }, 50);
  expect(await generate(context, 50)).toEqual([...expected]);
  context.dispose();
});

test("the graph is built once, and only the token comes back", async () => {
  const context = await create([nativeGraph(GREEDY)]);
  await generate(context, 4);
  const before = context.stats();
  context.remove(0);
  await generate(context, 2);
  const warm = context.stats();
  expect(before.probeBuilds).toBe(1);
  expect(warm).toMatchObject({ nodes: 1, nodesWithoutViews: 1, readbackBytes: 4, devices: ["CPU"] });
  let [next, at]: [Int32Array, number] = [Int32Array.of(5), prompt.length + 1];
  for (let i = 0; i < 20; i++, at++)
    next = (await context.decode(batchOf({ sequence: 0, tokens: next, at })))[0]!.sampled!;
  expect(context.stats().graphBuilds).toBe(warm.graphBuilds);
  expect(context.stats().setInputs).toBe(warm.setInputs + 20);
  context.dispose();
});

test("a decode does not wait for the threads that files and hashes share", async () => {
  const context = await create([nativeGraph(GREEDY)]);
  const ended: string[] = [];
  const hash = promisify(pbkdf2);
  // more than these threads; each takes longer than a decode by far
  const hashes = Array.from({ length: 8 }, async () => {
    await hash("", "", 100_000, 64, "sha512");
    ended.push("hash");
  });
  await context.decode(batchOf({ sequence: 0, tokens: prompt, at: 0 }));
  ended.push("decode");
  await Promise.all(hashes);
  expect(ended[0]).toBe("decode");
  context.dispose();
});

test("the statistics are those of the present chains", async () => {
  const context = await create([nativeGraph(GREEDY), nativeGraph(GREEDY)]);
  const decode = (at: number): Promise<DecodeOutput[]> =>
    context.decode(batchOf(...[0, 1].map((sequence) => ({ sequence, tokens: Int32Array.of(5), at }))));
  await decode(0);
  const { nodes, readbackBytes } = context.stats();
  await decode(1);
  expect(context.stats()).toMatchObject({ nodes, readbackBytes });
  context.setChain(1, nativeGraph(RANKED));
  context.setUniforms(1, Float32Array.of(0));
  await decode(2);
  expect(context.stats().nodes).toBeGreaterThan(nodes);
  context.setChain(1, null);
  await decode(3);
  expect(context.stats()).toMatchObject({ nodes, readbackBytes: readbackBytes / 2 });
  context.dispose();
});

test("every sequence has its own chain, uniforms and states", async () => {
  const ranked = nativeGraph(RANKED);
  const context = await create([ranked, null, ranked, nativeGraph(GREEDY)]);
  const part = (sequence: number): Part => ({ sequence, tokens: prompt, at: 0 });
  context.setUniforms(0, Float32Array.of(0));
  context.setUniforms(2, Float32Array.of(7));
  const outputs = await context.decode(batchOf(part(3), part(2), part(1), part(0)));
  expect(outputs.map(({ sequence }) => sequence)).toEqual([3, 2, 1, 0]);

  const order = [...outputs[2]!.logits!.entries()].sort(([, a], [, b]) => b - a).map(([token]) => token);
  const picked = (output: DecodeOutput | undefined) => output!.sampled![0];
  expect(picked(outputs[0])).toBe(order[0]);
  expect(picked(outputs[1])).toBe(order[7]);
  expect(picked(outputs[3])).toBe(order[0]);
  expect([...outputs[1]!.states!]).toEqual([8]);
  expect([...outputs[3]!.states!]).toEqual([1]);

  // Only some sequences: the others' chains are not run.
  context.setUniforms(2, Float32Array.of(3));
  const [only] = await context.decode(batchOf({ sequence: 2, tokens: [5], at: prompt.length }));
  expect([...only!.states!]).toEqual([4]);
  context.dispose();
});

test.each(["graph", "host"] as const)("a chain gives what it gives on plain logits (%s)", async (placement) => {
  const chain = nativeGraph(TRUNCATED);
  const context = await create([chain, null], { placement, batchSize: 2 });
  const evaluator = new (loadBinding().Evaluator)(chain, { vocabSize: model.info.vocabSize });
  for (const [at, u] of [0.1, 0.5, 0.85, 0.999].entries()) {
    const uniforms = Float32Array.of(u);
    context.setUniforms(0, uniforms);
    const tokens = prompt.subarray(at, at + 1);
    const outputs = await context.decode(batchOf({ sequence: 0, tokens, at }, { sequence: 1, tokens, at }));
    const { sequence, ...results } = outputs[0]!;
    expect(sequence).toBe(0);
    expect(results).toEqual(evaluator.evaluate({ logits: outputs[1]!.logits!, uniforms }));
  }
  context.dispose();
});

test("a prompt longer than a batch samples once", async () => {
  const open = (options: object): Promise<NativeContext> =>
    create([nativeGraph(GREEDY)], { ...EXACT, ...options }, exact);
  const [whole, split] = [await open({}), await open({ batchSize: 2 })];
  expect(await generate(split, 3)).toEqual(await generate(whole, 3));
  whole.dispose();
  split.dispose();
});

test("a chain can be taken away and given back", async () => {
  const context = await create([nativeGraph(GREEDY)]);
  const step = async (at: number) =>
    (await context.decode(batchOf({ sequence: 0, tokens: prompt.subarray(at, at + 1), at })))[0]!;
  expect((await step(0)).sampled).toHaveLength(1);
  context.setChain(0, null);
  expect((await step(1)).logits).toHaveLength(model.info.vocabSize);
  context.setChain(0, nativeGraph(GREEDY));
  expect((await step(2)).sampled).toHaveLength(1);
  context.dispose();
});

test("without a chain every token may have an output, in batches of any length", async () => {
  const context = await create([null], { ...EXACT, batchSize: 2 }, exact);
  const batch = { ...batchOf({ sequence: 0, tokens: prompt, at: 0 }), outputs: new Uint8Array(prompt.length).fill(1) };
  const outputs = await context.decode(batch);
  expect(outputs).toHaveLength(prompt.length);
  context.remove(0);
  const [last] = await context.decode(batchOf({ sequence: 0, tokens: prompt, at: 0 }));
  const error = last!.logits!.map((logit, i) => Math.abs(logit - outputs.at(-1)!.logits![i]!));
  expect(Math.max(...error)).toBeLessThan(1e-4);
  context.dispose();
});

test("an aborted decode leaves a usable context", async () => {
  const context = await create([nativeGraph(GREEDY)]);
  const long = { sequence: 0, tokens: new Array<number>(512).fill(7), at: 0 };
  const decoding = codeOf(context.decode(batchOf(long)));
  context.abort();
  expect(await decoding).toBe("ABORTED");
  expect(await generate(context, 2)).toHaveLength(2);
  context.dispose();
});

test("bad batches are errors with a code", async () => {
  const context = await create([nativeGraph(RANKED)]);
  const good = { sequence: 0, tokens: prompt, at: 0 };
  expect(await codeOf(context.decode(batchOf(good)))).toBe("INVALID_ARGUMENT"); // no uniforms yet
  context.setUniforms(0, Float32Array.of(0));
  for (const part of [
    { ...good, sequence: 1 },
    { ...good, tokens: [1 << 20] },
    { ...good, at: -1 },
    { ...good, tokens: [] },
  ]) {
    expect(await codeOf(context.decode(batchOf(part)))).toBe("INVALID_ARGUMENT");
  }
  expect(await codeOf(context.decode(batchOf({ ...good, at: 510 })))).toBe("CONTEXT_FULL");
  expect(() => context.setUniforms(0, Float32Array.of(1, 2))).toThrow(/expected 1 uniforms, found 2/);

  const before = context.stats();
  const first = context.decode(batchOf(good));
  expect(await codeOf(context.decode(batchOf(good)))).toBe("BUSY");
  expect(context.stats()).toEqual(before);
  await first;
  expect(await codeOf(context.decode(batchOf(good)))).toBe("INVALID_ARGUMENT"); // the same positions again

  const running = codeOf(context.decode(batchOf({ sequence: 0, tokens: [1, 2, 3], at: prompt.length })));
  context.dispose();
  context.dispose();
  expect(["ABORTED", "no error"]).toContain(await running);
  expect(await codeOf(context.decode(batchOf(good)))).toBe("DISPOSED");
});

test("what is no model is refused", async () => {
  const { loadModel } = loadBinding();
  await expect(loadModel("no/such.gguf", {})).rejects.toThrow(/no such model: no\/such.gguf/);
  await expect(loadModel("package.json", {})).rejects.toThrow(/not a GGUF file: package.json/);
});
