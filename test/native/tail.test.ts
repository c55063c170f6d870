/** Graphs that leave rows for a host tail, checks of the logits, and memory that was forgotten. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { batchOf, generateWith } from "./batches.js";
import { DEMO_MODEL } from "../model/demo.js";
import { graphOf, GREEDY, logitsNode, nativeGraph, node } from "./graphs.js";
import { loadOracle } from "./oracle.js";

let model: NativeModel;
let prompt: Int32Array;

beforeAll(async () => {
  model = await loadBinding().loadModel(DEMO_MODEL, {});
  prompt = model.tokenize("In the beginning", true, false);
});

afterAll(() => model.dispose());

/** The 40 likeliest tokens, best first; picks none. */
const TOP_40 = graphOf(
  [
    logitsNode,
    node("top_k", [0], { k: 40 }, "i32", 40),
    node("get_rows", [0, 1], {}, "f32", 40),
    node("argsort", [2], { order: "desc" }, "i32", 40),
    node("get_rows", [2, 3], {}, "f32", 40),
    node("get_rows", [1, 3], {}, "i32", 40),
  ],
  { candidates: 5, logits: 4 },
);

test.each([
  ["graph", 2 * 4 * 40],
  ["host", 4 * 2048],
] as const)("a host tail picks what llama.cpp's chain picks (%s)", async (placement, readbackBytes) => {
  const tail = [
    { name: "temp", t: 0.8 },
    { name: "dist", seed: 42 },
  ] as const;
  const chains = [nativeGraph(TOP_40)];
  const context = await model.createContext({ contextSize: 512, threads: 1, chains, placement });
  const chain = new (loadBinding().Tail)(tail, model);
  const tokens = await generateWith(context, prompt, 50, ({ candidates, logits, sampled, probs }) => {
    expect([candidates!.length, logits!.length, sampled, probs]).toEqual([40, 40, undefined, undefined]);
    const { selected } = chain.apply({ tokens: candidates!, logits: logits! });
    chain.accept(selected);
    return selected;
  });
  const samplers = [{ name: "top_k", k: 40 } as const, ...tail];
  const reference = loadOracle().generateReference({ model: DEMO_MODEL, prompt, samplers }, 50);
  expect(tokens).toEqual([...reference]);
  expect(context.stats().readbackBytes).toBe(readbackBytes);
  context.dispose();
});

test("a grammar in the tail rules what is written", async () => {
  const text = 'root ::= ("And " | "the ")+ "."';
  const context = await model.createContext({ contextSize: 512, threads: 1, chains: [null] });
  const chain = new (loadBinding().Tail)([{ name: "grammar", text }, { name: "greedy" }], model);
  const all = Int32Array.from({ length: model.info.vocabSize }, (_, token) => token);
  const tokens = await generateWith(context, prompt, 12, ({ logits }) => {
    const { selected } = chain.apply({ tokens: all, logits: logits! });
    chain.accept(selected);
    return selected;
  });
  const written = Buffer.concat(tokens.map((token) => model.piece(token, false))).toString();
  expect(written).toMatch(/^((And|the) )*(A|An|And|t|th|the|\.)?$/);
  context.dispose();
});

/** Where a tensor's data begins; only for the last tensor of the file can it be said where all data begins. */
function tensorAt(file: Buffer, name: string): number {
  const info = file.indexOf(name) + name.length;
  return Number(file.readBigUInt64LE(info + 4 + 2 * 8 + 4));
}

/** The demo model with the output weights of some tokens damaged: their logits become NaN. */
function damagedModel(folder: string, damaged: readonly number[]): string {
  const file = readFileSync(DEMO_MODEL);
  const blockBytes = 34; // of 32 numbers
  const lastBytes = ((192 * 512) / 32) * blockBytes;
  const data = file.length - lastBytes - tensorAt(file, "blk.3.ffn_up.weight");
  const rows = data + tensorAt(file, "token_embd.weight");
  for (const token of damaged) file.writeUInt16LE(0x7e00, rows + token * (192 / 32) * blockBytes);
  const path = join(folder, "damaged.gguf");
  writeFileSync(path, file);
  return path;
}

test.each([
  ["a chain in the graph", "graph", GREEDY, true, "sequence 0: the logit of token 1234 in row 0 is NaN"],
  ["a chain in the graph, unchecked", "graph", GREEDY, false, undefined],
  ["a chain on the host", "host", GREEDY, false, "the logit of token 1234 in row 0 is NaN"],
  ["no chain", "graph", null, true, "sequence 0: the logit of token 1234 in row 0 is NaN"],
  ["no chain, unchecked", "graph", null, false, undefined],
] as const)("checkLogits: %s", async (_, placement, graph, checkLogits, message) => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-"));
  const damaged = await loadBinding().loadModel(damagedModel(folder, [1234, 1500]), {});
  rmSync(folder, { recursive: true });
  const chains = [graph && nativeGraph(graph)];
  const context = await damaged.createContext({ contextSize: 512, threads: 1, chains, placement, checkLogits });
  const decoding = context.decode(batchOf({ sequence: 0, tokens: prompt, at: 0 }));
  if (message === undefined) expect(await decoding).toHaveLength(1);
  else await expect(decoding).rejects.toMatchObject({ code: "INVALID_LOGITS", message });
  context.dispose();
  damaged.dispose();
});

test("checked logits change no token, and their bytes are counted", async () => {
  const chains = [nativeGraph(GREEDY), nativeGraph(TOP_40)];
  const context = await model.createContext({ contextSize: 512, threads: 1, sequences: 2, chains, checkLogits: true });
  const tokens = await generateWith(context, prompt, 20, ({ sampled }) => sampled![0]!);
  expect(tokens).toEqual([
    ...loadOracle().generateReference({ model: DEMO_MODEL, prompt, samplers: [{ name: "greedy" }] }, 20),
  ]);
  const [one, two] = await context.decode(
    batchOf({ sequence: 1, tokens: prompt, at: 0 }, { sequence: 0, tokens: [5], at: prompt.length + 19 }),
  );
  expect([one!.candidates!.length, two!.sampled!.length]).toEqual([40, 1]);
  expect(context.stats().readbackBytes).toBe(4 + 2 * 4 * 40 + 2 * 4 * 2048);
  context.dispose();
  expect(() => model.createContext({ checkLogits: 1 as never })).toThrow(/checkLogits: expected a boolean/);
});

test("forgotten models and contexts are freed", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const settled = async (): Promise<number> => {
    // finalizers run after the collection, in turns of their own
    for (let i = 0; i < 3; i++) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return process.memoryUsage().rss / 2 ** 20;
  };
  const forgotten: WeakRef<object>[] = [];
  const make = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const made = await loadBinding().loadModel(DEMO_MODEL, {});
      forgotten.push(new WeakRef(made), new WeakRef(await made.createContext({ contextSize: 512, threads: 1 })));
    }
  };
  await make(4);
  const before = await settled();
  // 6 MB each
  for (let i = 0; i < 10; i++) {
    await make(4);
    await settled();
  }
  expect((await settled()) - before).toBeLessThan(100);
  expect(forgotten.filter((object) => object.deref() !== undefined)).toEqual([]);
});
