/** Batches with followers: sequences whose text is that of another one, and whose chains read its logits. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type {
  Batch,
  ContextOptions,
  DecodeOutput,
  NativeContext,
  NativeModel,
} from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { DEMO_MODEL } from "../model/demo.js";
import { batchOf, codeOf, type Part } from "./batches.js";
import { GREEDY, nativeGraph, RANKED } from "./graphs.js";

let model: NativeModel;
let prompt: Int32Array;
let other: Int32Array;
beforeAll(async () => {
  model = await loadBinding().loadModel(DEMO_MODEL, {});
  prompt = model.tokenize("In the beginning", true, false);
  other = model.tokenize("And the king said unto them", true, false);
});
afterAll(() => model.dispose());

/** Sequences that pick by rank 0, 1, 2 and so on; those of `greedy` pick the best token in a group of their own. */
async function open(
  options: ContextOptions = {},
  greedy: readonly number[] = [],
  sequences = 5,
): Promise<NativeContext> {
  const graphs = { ranked: nativeGraph(RANKED), greedy: nativeGraph(GREEDY) };
  const chains = Array.from({ length: sequences }, (_, i) => (greedy.includes(i) ? graphs.greedy : graphs.ranked));
  const context = await model.createContext({
    contextSize: 256 * sequences,
    sequences,
    threads: 1,
    chains,
    ...options,
  });
  for (let i = 0; i < sequences; i++) if (!greedy.includes(i)) context.setUniforms(i, Float32Array.of(i));
  return context;
}

const following = (batch: Batch, ...pairs: readonly (readonly [number, number])[]): Batch => ({
  ...batch,
  followers: Int32Array.from(pairs.flat()),
});

const tokensOf = (outputs: readonly DecodeOutput[]): ReadonlyMap<number, number> =>
  new Map(outputs.map(({ sequence, sampled }) => [sequence, sampled![0]!]));

const heldBy = (context: NativeContext): number[] => [...context.extents!()].filter((_, i) => i % 2 === 0);

const whole = (sequence: number, tokens: ArrayLike<number>): Part => ({ sequence, tokens, at: 0 });

/** What each sequence picks after a text that it reads itself, in a context of its own. */
async function alone(tokens: ArrayLike<number>, greedy: readonly number[] = []): Promise<number[]> {
  const picked: number[] = [];
  for (let sequence = 0; sequence < 5; sequence++) {
    const context = await open({}, greedy);
    picked.push((await context.decode(batchOf(whole(sequence, tokens))))[0]!.sampled![0]!);
    context.dispose();
  }
  return picked;
}

const CASES: readonly (readonly [string, ContextOptions, readonly number[]])[] = [
  ["a cache for each sequence", {}, []],
  ["one cache", { cache: "shared" }, []],
  ["two chains", {}, [2, 4]],
  ["chains on the host", { placement: "host" }, [2]],
  ["checked logits", { checkLogits: true }, []],
];

test.each(CASES)("pick as if they had read the text, and go on as its readers: %s", async (_, options, greedy) => {
  const [ofPrompt, ofOther] = [await alone(prompt, greedy), await alone(other, greedy)];
  const context = await open(options, greedy);
  // sequence 3 reads a text of its own, sequences 0, 2 and 4 that of 1
  const batch = following(batchOf(whole(1, prompt), whole(3, other)), [0, 1], [4, 1], [2, 1]);
  const first = tokensOf(await context.decode(batch));
  const expected = [0, 1, 2, 4].map((sequence) => [sequence, ofPrompt[sequence]!] as const);
  expect([...first].sort(([a], [b]) => a - b)).toEqual(
    [...expected, [3, ofOther[3]!] as const].sort(([a], [b]) => a - b),
  );
  expect(heldBy(context)).toEqual([0, 1, 2, 3, 4].map((sequence) => (sequence === 3 ? other : prompt).length));
  // each goes on with its own token
  const next = await context.decode(
    batchOf(
      ...[...first]
        .sort(([a], [b]) => a - b)
        .map(([sequence, token]) => ({ sequence, tokens: [token], at: heldBy(context)[sequence]! })),
    ),
  );
  for (const [sequence, token] of tokensOf(next)) {
    const text = [...(sequence === 3 ? other : prompt), first.get(sequence)!];
    expect({ sequence, token }).toEqual({ sequence, token: (await alone(text, greedy))[sequence]! });
  }
  context.dispose();
});

test("others follow in the next batch of the same tokens", async () => {
  const expected = await alone(prompt);
  const context = await open();
  for (const followers of [[1, 2], [], [3], [3, 4, 1, 2], [4, 2], []]) {
    for (let sequence = 0; sequence < 5; sequence++) context.remove(sequence);
    const batch = following(batchOf(whole(0, prompt)), ...followers.map((one) => [one, 0] as const));
    const found = tokensOf(await context.decode(batch));
    expect(found).toEqual(new Map([0, ...followers].map((sequence) => [sequence, expected[sequence]!])));
  }
  context.dispose();
});

test("one that holds as many tokens keeps its own", async () => {
  const context = await open();
  const [own] = [Int32Array.from(prompt)];
  own[0] = prompt[1]!;
  await context.decode(batchOf(whole(1, own)));
  const first = tokensOf(await context.decode(following(batchOf(whole(0, prompt)), [1, 0])));
  expect(first.get(1)).toBe((await alone(prompt))[1]);
  const next = await context.decode(batchOf({ sequence: 1, tokens: [7], at: prompt.length }));
  expect(next[0]!.sampled![0]).toBe((await alone([...own, 7]))[1]);
  context.dispose();
});

test("a batch in pieces gives them the output of the last one", async () => {
  const long = Int32Array.from({ length: 70 }, (_, i) => other[i % other.length]!);
  const expected = await alone(long);
  const context = await open({ batchSize: 32 });
  const found = tokensOf(await context.decode(following(batchOf(whole(2, long)), [0, 2], [4, 2])));
  expect(found).toEqual(new Map([2, 0, 4].map((sequence) => [sequence, expected[sequence]!])));
  expect(heldBy(context)).toEqual([70, 0, 70, 0, 70]);
  context.dispose();
});

test("refuses who cannot follow, and has computed nothing", async () => {
  const context = await open();
  const read = batchOf(whole(0, prompt));
  const cases: readonly Batch[] = [
    following(read, [0, 0]), // it has tokens
    following(read, [1, 0], [1, 0]),
    following(read, [1, 2]), // nothing of its source is in the batch
    following(read, [2, 1], [1, 0]), // its source has no token
    following(read, [9, 0]),
    following({ ...read, outputs: read.outputs.fill(0).slice() }, [1, 0]),
    { ...batchOf(whole(0, prompt)), followers: Int32Array.of(1) },
    {
      ...batchOf(whole(0, prompt)),
      outputs: Uint8Array.from(prompt, (_, i) => (i === 0 ? 1 : 0)),
      followers: Int32Array.of(1, 0),
    },
  ];
  for (const batch of cases) expect(await codeOf(context.decode(batch))).toBe("INVALID_ARGUMENT");
  expect(heldBy(context)).toEqual([0, 0, 0, 0, 0]);
  context.setChain(1, null);
  expect(await codeOf(context.decode(following(batchOf(whole(0, prompt)), [1, 0])))).toBe("INVALID_ARGUMENT");
  context.setChain(1, nativeGraph(RANKED)); // without uniforms
  expect(await codeOf(context.decode(following(batchOf(whole(0, prompt)), [1, 0])))).toBe("INVALID_ARGUMENT");
  context.dispose();
});
