/** A budget of what the chains of a decode compute: costly texts take turns, and hold up no others. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeWire } from "../../compiler/graph/wire.js";
import { effortOf } from "../../compiler/graph/cost.js";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import { InputError } from "../../runtime/core/errors.js";
import type { SequenceRequest } from "../../runtime/generation/generate.js";
import type { Batch } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { Scheduler } from "../../runtime/decode/scheduler/scheduler.js";
import { answerTo, openMemory } from "../model/memory.js";
import { EXACT, writeExactModel } from "../model/file.js";
import { recorded, type Recorded } from "../model/recorded.js";

const words = encodeWire(compilePipeline("greedy()").graph);
const outputsOf = ({ sequences, outputs }: Batch): number[] => [...sequences].filter((_, i) => outputs[i] === 1);

/** Writes texts in one context; the sequences with outputs of each batch, and the prompts are of 3 tokens. */
async function batchesOf(
  decodeWork: number | undefined,
  works: readonly number[],
  tokens: number,
  laneOf: (place: number) => string | undefined = () => undefined,
): Promise<Batch[]> {
  const memory = openMemory({ sequences: works.length, contextSize: 256 * works.length, removes: "any" });
  const limits = { contextSize: 256, batchSize: 512, promptBatch: 128 };
  const { Graph } = loadBinding();
  const opened = () => Promise.resolve(memory);
  const scheduler = new Scheduler(works.length, Graph, opened, limits, undefined, { decodeWork });
  await Promise.all(
    works.map(async (work, place) => {
      const text = [place, 1, 2];
      const prompts = [Int32Array.from(text)];
      const slot = await scheduler.acquire({ words, prompts, place, work: () => work, lane: laneOf(place) });
      for (let unread = text, i = 0; i < tokens; i++) {
        const part = { tokens: Int32Array.from(unread), position: text.length - unread.length };
        const { sampled } = await slot.decode({ ...part, uniforms: new Float32Array(), inputs: [] });
        expect(sampled![0]).toBe(answerTo(text));
        unread = [sampled![0]!];
        text.push(...unread);
      }
      slot.release();
    }),
  );
  return memory.batches;
}

describe("a budget", () => {
  const HONEST = [1, ...Array<number>(15).fill(100)];

  test("leaves texts that fit as they are, and a single one that does not", async () => {
    const without = await batchesOf(undefined, [10, 20, 30], 5);
    expect(await batchesOf(60, [10, 20, 30], 5)).toEqual(without);
    expect(await batchesOf(1, [1000], 5)).toEqual(await batchesOf(undefined, [1000], 5));
  });

  test("has a cheap text in every decode until it is written, and costly ones by turns", async () => {
    const tokens = 40;
    const batches = (await batchesOf(40, HONEST, tokens)).map(outputsOf);
    const during = batches.slice(0, 1 + batches.findLastIndex((one) => one.includes(0)));
    // the first may have only prompts
    expect(during.filter((one) => !one.includes(0)).length).toBeLessThanOrEqual(1);
    const costly = during.flat().filter((sequence) => sequence > 0);
    expect(Math.max(...during.map((one) => one.length))).toBeLessThanOrEqual(2);
    // 39 rows a decode
    expect(costly.length).toBeGreaterThanOrEqual(Math.floor((during.length * 39) / 100) - 1);
    expect(costly.length).toBeLessThanOrEqual(Math.ceil((during.length * 40) / 100) + 1);
    // each of them in its turn
    expect(new Set(costly.slice(0, 15)).size).toBe(Math.min(15, costly.length));
  });

  test("gives a chain that costs twice as much half as many turns", async () => {
    const batches = (await batchesOf(50, [0, 100, 200], 60)).map(outputsOf);
    const during = batches.slice(0, 1 + batches.findLastIndex((one) => one.includes(0)));
    const counts = [1, 2].map((sequence) => during.filter((one) => one.includes(sequence)).length);
    expect(during.length).toBeLessThanOrEqual(61);
    expect(counts[0]! / counts[1]!).toBeGreaterThan(1.5);
    expect(counts[0]! / counts[1]!).toBeLessThan(2.5);
  });

  test("has texts that need no more than a fair share in every decode", async () => {
    const batches = (await batchesOf(100, [30, 30, 90], 10)).map(outputsOf);
    for (const one of batches.slice(1, 10)) expect(one).toEqual(expect.arrayContaining([0, 1]));
  });

  test("goes on where all texts are costly", async () => {
    const batches = (await batchesOf(10, [100, 100, 100], 4)).map(outputsOf);
    expect(batches.flat().toSorted()).toEqual([0, 1, 2].flatMap((one) => Array<number>(4).fill(one)));
    expect(batches.filter((one) => one.length === 1).length).toBeGreaterThanOrEqual(11);
  });

  test("has turns by lane: one lane's many costly texts take no more than another's one", async () => {
    const works = [0, ...Array<number>(16).fill(100)];
    const laneOf = (place: number): string => (place === 1 ? "modest" : "greedy");
    const batches = (await batchesOf(50, works, 60, laneOf)).map(outputsOf);
    const during = batches.slice(0, 1 + batches.findLastIndex((one) => one.includes(0)));
    const turnsOf = (places: readonly number[]): number =>
      during.flat().filter((sequence) => places.includes(sequence)).length;
    const greedy = Array.from({ length: 15 }, (_, i) => 2 + i);
    expect(turnsOf(greedy)).toBeGreaterThan(10);
    expect(Math.abs(turnsOf([1]) - turnsOf(greedy))).toBeLessThanOrEqual(2);
    // and those of one lane take turns among themselves
    const ofEach = greedy.map((place) => turnsOf([place]));
    expect(Math.max(...ofEach) - Math.min(...ofEach)).toBeLessThanOrEqual(1);
  });

  test("counts each row of a draft", async () => {
    const memory = openMemory({ sequences: 2, contextSize: 512, removes: "any" });
    const limits = { contextSize: 256, batchSize: 512, promptBatch: 128 };
    const { Graph } = loadBinding();
    const options = { decodeWork: 100 };
    const scheduler = new Scheduler(2, Graph, () => Promise.resolve(memory), limits, undefined, options);
    const [a, b] = await Promise.all(
      [0, 1].map((place) =>
        scheduler.acquire({ words, prompts: [Int32Array.of(place)], place, rows: 3, work: () => 40 }),
      ),
    );
    const row = { uniforms: new Float32Array(), inputs: [] };
    const drafted = a!.decodeRows({ tokens: Int32Array.of(0, 5, 6), position: 0, ...row, more: [row, row] });
    await Promise.all([drafted, b!.decode({ tokens: Int32Array.of(1), position: 0, ...row })]);
    expect(memory.batches.map((batch) => new Set(outputsOf(batch)))).toEqual([new Set([1]), new Set([0])]);
    expect(scheduler.postponed).toBe(1);
  });
});

// ---------------------------------------------------------------- a model

const CHEAP = compilePipeline("top_k(8) |> dist(1)");
/** A stage that changes nothing but costs a row of the vocabulary for each line. */
const LINES = 60;
const costly = (i: number) =>
  compile(
    `import { top_k, dist } from "std"\nsampler long() {\n${"  logit = 30 * tanh(logit / 30)\n".repeat(LINES + i)}}\nchain c = long() |> top_k(8) |> dist(${i})`,
  );
const CHAINS = [CHEAP, ...Array.from({ length: 15 }, (_, i) => costly(i))];
const TOKENS = 6;

let model: Recorded;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-budget-"));
  const native = await loadBinding().loadModel(writeExactModel(folder), { gpuLayers: 0 });
  rmSync(folder, { recursive: true });
  model = recorded(native, { ...EXACT, threads: 1, contextSize: 64 });
});
afterAll(() => model.native.dispose());

async function texts(options: { readonly decodeWork?: number }, more: Partial<SequenceRequest> = {}) {
  using batch = model.open({ sequences: CHAINS.length, ...options });
  model.batches.length = 0;
  const written = await Promise.all(
    CHAINS.map(async (chain, i) => {
      const request = { chain, maxTokens: TOKENS, place: i, ignoreEnd: true, ...more };
      const tokens: number[] = [];
      for await (const { token } of batch.add(`And ${i} said`, request)) tokens.push(token);
      return tokens;
    }),
  );
  return { written, batches: model.batches.map(outputsOf), postponed: batch.postponed };
}

describe("of a model's batch", () => {
  test("texts do not change, and the cheap one is written as if the others were not there", async () => {
    const size = model.native.info.vocabSize;
    const [cheap, dear] = [CHEAP, CHAINS[1]!].map(({ graph }) => effortOf(graph, size)) as [number, number];
    expect(dear).toBeGreaterThan(20 * cheap);
    const free = await texts({});
    const shared = await texts({ decodeWork: 4 * cheap });
    expect(shared.written).toEqual(free.written);
    expect([free.postponed, shared.postponed > 0]).toEqual([0, true]);
    const first = shared.batches.findIndex((one) => one.includes(0));
    for (const one of shared.batches.slice(first, first + TOKENS)) expect(one).toContain(0);
    const rows = shared.batches
      .slice(0, first + TOKENS)
      .flat()
      .filter((sequence) => sequence > 0).length;
    expect(rows * dear).toBeLessThanOrEqual((first + TOKENS) * 4 * cheap + dear);
  });

  test("a text that is in every decode counts nothing", async () => {
    const { postponed, batches } = await texts({ decodeWork: 1 }, { inEveryDecode: true, ahead: 0 });
    expect(postponed).toBe(0);
    expect(Math.max(...batches.map((one) => one.length))).toBe(CHAINS.length);
  });

  test("is an integer from 1", () => {
    for (const decodeWork of [0, 1.5, "9" as unknown as number]) {
      const open = () => model.open({ sequences: 1, decodeWork });
      expect(open).toThrow(InputError);
      expect(open).toThrow(/`decodeWork` must be an integer from 1/);
    }
  });
});
