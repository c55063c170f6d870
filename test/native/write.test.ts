/** `Context.write`: batches that go on by themselves give what the same batches give one by one. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { NativeContext, NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { DEMO_MODEL } from "../model/demo.js";
import { batchOf, codeOf } from "./batches.js";
import { GREEDY, nativeGraph, RANKED } from "./graphs.js";

let model: NativeModel;
let prompt: Int32Array;
beforeAll(async () => {
  model = await loadBinding().loadModel(DEMO_MODEL, {});
  prompt = model.tokenize("In the beginning", true, false);
});
afterAll(() => model.dispose());

/** Sequences that pick by rank 0, 1, 2. */
const open = async (sequences = 3): Promise<NativeContext> => {
  const chains = Array.from({ length: sequences }, () => nativeGraph(RANKED));
  const context = await model.createContext({ contextSize: 256 * sequences, sequences, threads: 1, chains });
  for (let i = 0; i < sequences; i++) context.setUniforms(i, Float32Array.of(i));
  return context;
};

const first = (sequences = 3) =>
  batchOf(...Array.from({ length: sequences }, (_, sequence) => ({ sequence, tokens: prompt, at: 0 })));

/** The rank of each token of a text in turn. */
const rankOf = (sequence: number, i: number): number => (sequence + i) % 4;

const aheadOf = (most: readonly number[]) => ({
  sequences: Int32Array.from(most.keys()),
  most: Int32Array.from(most),
  counts: Int32Array.from(most, () => 1),
  uniforms: Float32Array.from(most.flatMap((count, s) => Array.from({ length: count }, (_, i) => rankOf(s, i + 1)))),
});

test("gives the tokens of batches one by one, and the memory holds what was read", async () => {
  const [context, other] = [await open(), await open()];
  const most = [5, 2, 9];
  const found: number[][] = [];
  await context.write!(first(), aheadOf(most), (tokens) => found.push([...tokens]));
  const expected: number[][] = [];
  let texts = most.map((count, sequence) => ({ sequence, count, token: 0 }));
  for (let step = 0; step <= Math.max(...most); step++) {
    texts = texts.filter(({ count, token }) => step === 0 || (step <= count && !model.isEnd(token)));
    const parts = texts.map(({ sequence, token }) => ({ sequence, tokens: [token], at: prompt.length + step - 1 }));
    if (step > 0)
      for (const { sequence } of texts) other.setUniforms(sequence, Float32Array.of(rankOf(sequence, step)));
    const outputs = await other.decode(step === 0 ? first() : batchOf(...parts));
    outputs.forEach((output, i) => (texts[i]!.token = output.sampled![0]!));
    expected.push([0, 1, 2].map((s) => texts.find(({ sequence }) => sequence === s)?.token ?? -1));
  }
  expect(found).toEqual(expected);
  expect([...context.extents!()]).toEqual([...other.extents!()]);
  for (const each of [context, other]) each.dispose();
});

test("ends after the present batch when it is paused, and tells the figures of each", async () => {
  const context = await open(1);
  const figures: number[] = [];
  await context.write!(first(1), aheadOf([200]), () => {
    figures.push(context.stats().setInputs);
    if (figures.length === 3) context.pause!();
  });
  expect(figures.slice(0, 3)).toEqual([1, 2, 3]);
  expect(figures.length).toBeLessThan(20);
  expect(context.extents!()[0]).toBe(prompt.length + figures.length - 1);
  // a pause of nothing is none
  context.pause!();
  let count = 0;
  const { length } = figures;
  const next = batchOf({ sequence: 0, tokens: [7], at: prompt.length + length - 1 });
  await context.write!(next, aheadOf([4]), () => count++);
  expect(count).toBe(5);
  context.dispose();
});

test("is busy while it runs, and ends with what aborts it", async () => {
  const context = await open(1);
  let isDone = false;
  const running = context.write!(first(1), aheadOf([200]), () => undefined);
  expect(() => context.remove(0)).toThrow("await the promise of decode");
  expect(await codeOf(context.write!(first(1), aheadOf([1]), () => undefined))).toBe("BUSY");
  context.abort();
  expect(await codeOf(running.finally(() => (isDone = true)))).toBe("ABORTED");
  expect(isDone).toBe(true);
  context.dispose();
});

test("does not keep a process from its end, nor an object from being collected", async () => {
  const context = await open(1);
  void context.write!(first(1), aheadOf([100]), () => undefined).catch(() => undefined);
  context.dispose();
  expect(await codeOf(context.write!(first(1), aheadOf([1]), () => undefined))).toBe("DISPOSED");
});

test("refuses what is not right", async () => {
  const context = await open(1);
  const codes = async (ahead: object, on: unknown = () => undefined): Promise<unknown> =>
    codeOf(context.write!(first(1), { ...aheadOf([3]), ...ahead }, on as () => void));
  expect(await codes({ most: Int32Array.of(0) })).toBe("INVALID_ARGUMENT");
  expect(await codes({ counts: Int32Array.of(2) })).toBe("INVALID_ARGUMENT");
  expect(await codes({ counts: Int32Array.of(-1) })).toBe("INVALID_ARGUMENT");
  expect(await codes({ counts: new Int32Array() })).toBe("INVALID_ARGUMENT");
  expect(await codes({ sequences: Int32Array.of(5) })).toBe("INVALID_ARGUMENT");
  expect(await codes({}, 5)).toBe("INVALID_ARGUMENT");
  // a chain of another number of uniforms is found where they are set
  context.setChain(0, nativeGraph(GREEDY));
  let count = 0;
  expect(await codes({}, () => count++)).toBe("INVALID_ARGUMENT");
  expect(count).toBe(1);
  context.dispose();
});
