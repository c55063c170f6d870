/** Several outputs of one sequence in a batch: each row has its own uniforms, inputs, results and states. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Batch, DecodeOutput, NativeContext, NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { DEMO_MODEL } from "../model/demo.js";
import { batchOf, codeOf, thrownBy } from "./batches.js";
import { GREEDY, nativeGraph, RANKED } from "./graphs.js";

let model: NativeModel;
let prompt: Int32Array;
beforeAll(async () => {
  model = await loadBinding().loadModel(DEMO_MODEL, {});
  prompt = model.tokenize("In the beginning God created the heaven", true, false);
});
afterAll(() => model.dispose());

const ROWS = 4;
const SETTINGS = { contextSize: 512, threads: 1, sequences: 3 } as const;
const ranks = [0, 3, 1, 7];

/** The last `count` tokens of the prompt have outputs. */
function withRows(sequence: number, count: number, output = 1, from = 0): Batch {
  const batch = batchOf({ sequence, tokens: prompt.subarray(from), at: from });
  return { ...batch, outputs: batch.outputs.map((_, i) => (i >= prompt.length - from - count ? output : 0)) };
}

function setRanks(context: NativeContext, sequence: number): void {
  ranks.forEach((rank, row) => context.setUniforms(sequence, Float32Array.of(rank), row));
}

/** The same rows, one batch each. */
async function oneByOne(context: NativeContext, sequence: number): Promise<DecodeOutput[]> {
  const outputs: DecodeOutput[] = [];
  for (const [row, rank] of ranks.entries()) {
    const end = prompt.length - ROWS + row + 1;
    const at = row === 0 ? 0 : end - 1;
    context.setUniforms(sequence, Float32Array.of(rank));
    outputs.push(...(await context.decode(batchOf({ sequence, tokens: prompt.subarray(at, end), at }))));
  }
  context.remove(sequence);
  return outputs;
}

const seen = (outputs: readonly DecodeOutput[]) =>
  outputs.map(({ sequence, sampled, states }) => [sequence, sampled![0], states![0]]);

describe.each(["graph", "host"] as const)("rows (%s)", (placement) => {
  const chains = () => Array.from({ length: 3 }, () => nativeGraph(RANKED));

  test("are what batches of one output give", async () => {
    const context = await model.createContext({ ...SETTINGS, placement, rows: ROWS, chains: chains() });
    const wanted = await oneByOne(context, 1);
    setRanks(context, 1);
    const found = await context.decode(withRows(1, ROWS));
    expect(seen(found)).toEqual(seen(wanted));
    expect(seen(found).map(([, , state]) => state)).toEqual(ranks.map((rank) => rank + 1));
    // refused rows are removed, and the sequence goes on
    context.remove(1, prompt.length - ROWS + 1);
    setRanks(context, 1);
    const again = await context.decode(withRows(1, ROWS - 1, 1, prompt.length - ROWS + 1));
    expect(again).toHaveLength(ROWS - 1);
    context.dispose();
  });

  test("of a context for one row are computed in several graphs", async () => {
    const context = await model.createContext({ ...SETTINGS, placement, chains: chains() });
    const wanted = await oneByOne(context, 0);
    setRanks(context, 0);
    expect(seen(await context.decode(withRows(0, ROWS)))).toEqual(seen(wanted));
    context.dispose();
  });

  test("stand beside other sequences, and come with raw logits where they are asked for", async () => {
    const context = await model.createContext({ ...SETTINGS, placement, rows: ROWS, chains: chains() });
    const wanted = [...(await oneByOne(context, 0)), ...(await oneByOne(context, 2)).slice(-1)];
    setRanks(context, 0);
    context.setUniforms(2, Float32Array.of(ranks.at(-1)!));
    const [first, second] = [withRows(0, ROWS, 2), withRows(2, 1)];
    const both = Object.fromEntries(
      (["tokens", "positions", "sequences"] as const).map((key) => [
        key,
        Int32Array.from([...first[key], ...second[key]]),
      ]),
    ) as unknown as Omit<Batch, "outputs">;
    const outputs = Uint8Array.from([...first.outputs, ...second.outputs]);
    const found = await context.decode({ ...both, outputs });
    expect(seen(found)).toEqual(seen(wanted));
    expect(found.map(({ raw }) => raw?.length)).toEqual([...ranks.map(() => model.info.vocabSize), undefined]);
    // the rank of the picked token in the row's own logits
    const rankOf = ({ raw, sampled }: DecodeOutput) => raw!.filter((x) => x > raw![sampled![0]!]!).length;
    expect(found.slice(0, ROWS).map(rankOf)).toEqual(ranks);
    context.dispose();
  });

  test("can be added to a context that has sequences", async () => {
    const context = await model.createContext({ ...SETTINGS, placement, chains: chains() });
    const wanted = await oneByOne(context, 1);
    setRanks(context, 1);
    const start = prompt.length - ROWS;
    await context.decode(batchOf({ sequence: 1, tokens: prompt.subarray(0, start), at: 0 }));
    context.setRows(ROWS, 0);
    const found = await context.decode(withRows(1, ROWS, 1, start));
    expect(seen(found)).toEqual(seen(wanted));
    context.dispose();
  });
});

test("a graph with a fixed number of rows is built once", async () => {
  const context = await model.createContext({ ...SETTINGS, rows: ROWS, chains: [nativeGraph(GREEDY)] });
  const start = prompt.length - ROWS;
  context.setUniforms(0, new Float32Array());
  for (let row = 0; row < ROWS; row++) context.setUniforms(0, new Float32Array(), row);
  await context.decode(batchOf({ sequence: 0, tokens: prompt.subarray(0, start), at: 0 }));
  await context.decode(withRows(0, ROWS, 1, start));
  const { graphBuilds } = context.stats();
  for (let i = 0; i < 5; i++) {
    context.remove(0, start);
    await context.decode(withRows(0, ROWS, 1, start));
  }
  expect(context.stats().graphBuilds).toBe(graphBuilds);
  context.dispose();
});

test("invalid rows are errors, and the context is usable", async () => {
  const context = await model.createContext({ ...SETTINGS, rows: ROWS, chains: [nativeGraph(RANKED)] });
  expect(thrownBy(() => context.setUniforms(0, Float32Array.of(0), 64))).toBe(
    "INVALID_ARGUMENT: row: expected 0 to 63, found 64",
  );
  expect(thrownBy(() => context.setRows(65, 0))).toBe("INVALID_ARGUMENT: rows: expected 1 to 64, found 65");
  context.setUniforms(0, Float32Array.of(0));
  expect(await codeOf(context.decode(withRows(0, ROWS)))).toBe("INVALID_ARGUMENT");
  setRanks(context, 0);
  expect(await context.decode(withRows(0, ROWS))).toHaveLength(ROWS);
  expect(await codeOf(model.createContext({ ...SETTINGS, rows: 0 }))).toBe("INVALID_ARGUMENT");
  context.dispose();
});
