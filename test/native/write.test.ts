/** `Context.write`: batches that go on by themselves give what the same batches give one by one. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Graph } from "../../compiler/graph/graph.js";
import { writeSpec } from "../../compiler/graph/json.js";
import type { AutomatonPosition } from "../../runtime/backends/native/automatonBinding.js";
import type { Ahead, NativeContext, NativeModel, NativeText } from "../../runtime/backends/native/binding.js";
import { readWritten, timesIn, type Written } from "../../runtime/decode/scheduler/written.js";
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

/** Its first token has the rank of its state, the next one the rank after it, and so on. */
const RISING: Graph = { ...RANKED, uniforms: [{ name: "u0", expr: { state: 0 } }] };
const NO_GRAMMARS = { grammars: [] };

const saved = (rank: number, more: object = {}): string =>
  JSON.stringify({
    ...{ ggsl: 1, chain: "test", params: {}, streams: [], states: [rank], step: 0, history: [] },
    ...{ promptLength: prompt.length, prompt: [], watches: [] },
    ...more,
  });

const textOf = (rank: number, more: object = {}): NativeText => {
  const { Chain, Text } = loadBinding();
  return new Text(new Chain(model, writeSpec(RISING)), saved(rank), { ...NO_GRAMMARS, ...more });
};

const aheadOf = (most: readonly number[]): Ahead => ({
  sequences: Int32Array.from(most.keys()),
  most: Int32Array.from(most),
  texts: most.map((_, sequence) => textOf(sequence)),
});

/** The token of each of `count` texts, -1 for none, and their states. */
function tokensIn(words: Int32Array, text: string, count: number): { tokens: number[]; states: number[] } {
  const tokens = Array.from({ length: count }, () => -1);
  const states: number[] = [];
  readWritten(words, text, (place, { token, scalars, pieces, ...rest }) => {
    tokens[place] = token;
    states.push(...scalars);
    const isEnd = model.isEnd(token);
    expect(rest).toEqual({ isForced: false, isWritten: false, isRefused: false, isRead: true, isEnd, stop: -1 });
    expect(pieces?.length).toBe(isEnd ? undefined : 1);
  });
  return { tokens, states };
}

test("gives the tokens of batches one by one, and the memory holds what was read", async () => {
  const [context, other] = [await open(), await open()];
  const most = [5, 2, 9];
  const found: ReturnType<typeof tokensIn>[] = [];
  const ahead = aheadOf(most);
  await context.write!(first(), ahead, (words, text) => found.push(tokensIn(words, text, 3)));
  const expected: typeof found = [];
  let texts = most.map((count, sequence) => ({ sequence, count, token: 0 }));
  for (let step = 0; step <= Math.max(...most); step++) {
    texts = texts.filter(({ count, token }) => step === 0 || (step <= count && !model.isEnd(token)));
    const parts = texts.map(({ sequence, token }) => ({ sequence, tokens: [token], at: prompt.length + step - 1 }));
    for (const { sequence } of texts) other.setUniforms(sequence, Float32Array.of(sequence + step));
    const outputs = await other.decode(step === 0 ? first() : batchOf(...parts));
    outputs.forEach((output, i) => (texts[i]!.token = output.sampled![0]!));
    const tokens = [0, 1, 2].map((s) => texts.find(({ sequence }) => sequence === s)?.token ?? -1);
    expected.push({ tokens, states: texts.map(({ sequence }) => sequence + step + 1) });
  }
  expect(found).toEqual(expected);
  expect(ahead.texts.map(({ step }) => step)).toEqual(
    [0, 1, 2].map((s) => found.filter((f) => f.tokens[s] !== -1).length),
  );
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
  expect(figures.length).toBeLessThan(100);
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

/** What is told of the only text. */
async function told(text: NativeText, most = 20): Promise<Written[]> {
  const context = await open(1);
  const found: Written[] = [];
  const ahead = { sequences: Int32Array.of(0), most: Int32Array.of(most), texts: [text] };
  await context.write!(first(1), ahead, (words, pieces) =>
    readWritten(words, pieces, (_, written) => found.push(written)),
  );
  context.dispose();
  return found;
}

test("tells the texts of its tokens, up to a stop text", async () => {
  const all = await told(textOf(0));
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const textsOf = (list: readonly Written[]): (string | undefined)[] =>
    list.map(({ pieces }) => pieces?.map(({ text }) => text).join(""));
  const expected = all.map(({ token }) => decoder.decode(model.piece(token, false), { stream: true }));
  expect(textsOf(all)).toEqual(expected);
  expect(all.length).toBe(21);
  // a stop text that begins inside the sixth token and ends inside the eighth
  const [before, cut] = [expected.slice(0, 5).join(""), expected[5]!.slice(0, 1)];
  const stop = (expected[5]!.slice(1) + expected[6]! + expected[7]!).slice(0, -1);
  expect((before + cut + stop).indexOf(stop)).toBe((before + cut).length);
  const stopped = await told(textOf(0, { stop: ["no text has this", stop] }));
  expect(stopped.map(({ token }) => token)).toEqual(all.slice(0, 8).map(({ token }) => token));
  expect(stopped.map((each) => each.stop)).toEqual([-1, -1, -1, -1, -1, -1, -1, 1]);
  expect(textsOf(stopped).join("")).toBe(before + cut);
  expect(stopped.at(-1)!.pieces?.length).toBe(3);
});

test("tells texts after bytes that are no whole character, and after tokens whose texts were not known", async () => {
  const all = await told(textOf(0), 1);
  const text = new TextDecoder().decode(model.piece(all[0]!.token, false));
  const rest = Uint8Array.of(0xe2, 0x82);
  const [after] = await told(textOf(0, { rest }), 1);
  expect(after!.pieces?.map((piece) => piece.text)).toEqual(["\ufffd" + text]);
  const held = model.tokenize("abc", false, false);
  const known = [...held].map((token) => new TextDecoder().decode(model.piece(token, false)));
  const stop = known.join("") + text + "!";
  const [behind, next] = await told(textOf(0, { stop: [stop], held }), 1);
  const pieces = [...behind!.pieces!, ...next!.pieces!].map((piece) => piece.text);
  expect([behind!.pieces, pieces.slice(0, held.length + 1)]).toEqual([[], [...known, text]]);
  for (const wrong of [{ stop: [""] }, { stop: [1] }, { stop: "a" }, { rest: "a" }, { held: Int32Array.of(-1) }])
    expect(() => textOf(0, wrong)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("has more tokens where that is allowed while it runs, as far as there is room", async () => {
  for (const [more, room, expected] of [
    [0, 10, 3],
    [3, 10, 6],
    [100, 10, 11],
    [100, undefined, 3],
    [5, 1, 3],
  ] as const) {
    const context = await open(1);
    let count = 0;
    const ahead = { ...aheadOf([2]), ...(room !== undefined && { room: Int32Array.of(room) }) };
    const running = context.write!(first(1), ahead, () => count++);
    context.allow!(more);
    await running;
    expect(count).toBe(expected);
    context.allow!(5); // of nothing
    expect(() => context.allow!(-1)).toThrow("more: expected a number from 0 on, found -1");
    context.dispose();
  }
});

test("goes on after a last token that the batch does not have, beside what is of no text", async () => {
  const [context, other] = [await open(), await open()];
  const ahead = (most: number): Ahead => ({
    sequences: Int32Array.of(0, 1),
    most: Int32Array.of(most, most),
    texts: [textOf(0), textOf(1)],
  });
  const [all, parts]: number[][][] = [[], []];
  const into = (list: number[][]) => (words: Int32Array, text: string) => list.push(tokensIn(words, text, 2).tokens);
  await other.write!(first(2), ahead(7), into(all!));
  const begun = ahead(2);
  await context.write!(first(2), begun, into(parts!));
  // the third sequence is read beside them
  const outputs = await context.write!(
    batchOf({ sequence: 2, tokens: prompt, at: 0 }),
    {
      ...begun,
      most: Int32Array.of(4, 4),
      last: Int32Array.from(parts!.at(-1)!),
      positions: Int32Array.of(prompt.length + 2, prompt.length + 2),
    },
    into(parts!),
  );
  expect(parts).toEqual(all);
  expect(outputs.map(({ sequence }) => sequence)).toEqual([2]);
  const [alone] = await other.decode(batchOf({ sequence: 2, tokens: prompt, at: 0 }));
  expect([...outputs[0]!.sampled!]).toEqual([...alone!.sampled!]);
  expect([...context.extents!()]).toEqual([...other.extents!()]);
  for (const wrong of [{ last: Int32Array.of(1) }, { last: Int32Array.of(1, 1) }, { positions: new Int32Array() }])
    expect(await codeOf(context.write!(first(2), { ...ahead(1), ...wrong }, () => undefined))).toBe("INVALID_ARGUMENT");
  for (const each of [context, other]) each.dispose();
});

test("tells tokens in groups where they may wait: the first at once, and all in the end", async () => {
  const context = await open(1);
  const groups: number[] = [];
  const tokens: number[] = [];
  const times: number[] = [];
  const run = async (delay: number, most: number): Promise<void> => {
    for (const list of [groups, tokens, times]) list.length = 0;
    context.remove(0);
    await context.write!(first(1), { ...aheadOf([most]), delay }, (words, text) => {
      groups.push(words[0]!);
      times.push(...timesIn(words));
      readWritten(words, text, (_, written) => tokens.push(written.token));
    });
  };
  await run(0, 40);
  const expected = [...tokens];
  expect(groups).toEqual(expected.map(() => 1));
  // longer than all of it takes: no group has more than half of what a text may have
  await run(60_000, 40);
  expect(tokens).toEqual(expected);
  expect(times.length).toBe(expected.length);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
  expect(groups[0]).toBe(1);
  expect(groups.length).toBeLessThan(expected.length);
  expect(Math.max(...groups)).toBeLessThanOrEqual(20);
  // who reads the others does it while the last is computed
  expect([expected.length, groups.at(-1)]).toEqual([41, 1]);
  expect(await codeOf(context.write!(first(1), { ...aheadOf([1]), delay: -1 }, () => undefined))).toBe(
    "INVALID_ARGUMENT",
  );
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
  expect(await codes({ most: Int32Array.of(-1) })).toBe("INVALID_ARGUMENT");
  expect(await codes({ most: new Int32Array() })).toBe("INVALID_ARGUMENT");
  expect(await codes({ room: new Int32Array() })).toBe("INVALID_ARGUMENT");
  expect(await codes({ room: Int32Array.of(-1) })).toBe("INVALID_ARGUMENT");
  expect(await codes({ texts: [] })).toBe("INVALID_ARGUMENT");
  expect(await codes({ texts: [{}] })).toBe("INVALID_ARGUMENT");
  expect(await codes({ texts: undefined })).toBe("INVALID_ARGUMENT");
  expect(await codes({ sequences: Int32Array.of(5) })).toBe("INVALID_ARGUMENT");
  expect(await codes({}, 5)).toBe("INVALID_ARGUMENT");
  // a chain of another number of uniforms is found where they are set, before anything is computed
  context.setChain(0, nativeGraph(GREEDY));
  let count = 0;
  expect(await codes({}, () => count++)).toBe("INVALID_ARGUMENT");
  expect(count).toBe(0);
  expect(context.extents!()[0]).toBe(0);
  context.dispose();
});

test("a text is made of what is right alone", () => {
  const { Chain, Text } = loadBinding();
  const chain = new Chain(model, writeSpec(RISING));
  const code = (make: () => unknown): unknown => {
    try {
      make();
      return undefined;
    } catch (error) {
      return (error as { readonly code?: string }).code;
    }
  };
  expect(code(() => new Text(chain, saved(0), NO_GRAMMARS))).toBeUndefined();
  expect(code(() => new Chain(model, "{"))).toBe("INVALID_SPEC");
  expect(code(() => new Chain({} as NativeModel, writeSpec(RISING)))).toBe("INVALID_ARGUMENT");
  expect(code(() => new Text({}, saved(0), NO_GRAMMARS))).toBe("INVALID_ARGUMENT");
  expect(code(() => new Text(chain, "", NO_GRAMMARS))).toBe("INVALID_ARGUMENT");
  expect(code(() => new Text(chain, saved(0, { states: [] }), NO_GRAMMARS))).toBe("INVALID_ARGUMENT");
  expect(code(() => new Text(chain, saved(0), { grammars: [{} as AutomatonPosition] }))).toBe("INVALID_ARGUMENT");
  expect(code(() => new Text(chain, saved(0), { grammars: [], only: 0 }))).toBe("INVALID_ARGUMENT");
  const bias = { ids: Int32Array.of(1), values: new Float32Array() };
  expect(code(() => new Text(chain, saved(0), { grammars: [], bias }))).toBe("INVALID_ARGUMENT");
  const text = textOf(3);
  expect([text.step, text.isReady(), text.forced(), text.written()]).toEqual([0, true, undefined, undefined]);
  expect([text.accept(5, Float32Array.of(4)), text.step]).toEqual(["goes on", 1]);
  expect(code(() => text.accept(5, new Float32Array()))).toBe("INVALID_ARGUMENT");
  expect(code(() => text.accept(-1, Float32Array.of(4)))).toBe("INVALID_ARGUMENT");
  expect(text.step).toBe(1);
});
