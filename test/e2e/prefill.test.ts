/** Long prompts are read in pieces, beside texts that are being written. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { AbortError, InputError } from "../../runtime/core/errors.js";
import type { Generation, SequenceRequest } from "../../runtime/generation/generate.js";
import { loadModel } from "../../runtime/models/model.js";
import type { Batch } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { fairShares } from "../../runtime/decode/scheduler/prefill.js";
import { DEMO_MODEL, endless } from "../model/file.js";
import { recorded, type Recorded } from "../model/recorded.js";

const CHAIN = compilePipeline("logit_bias() |> top_k(40) |> dist(1)");
const GUIDED = compilePipeline("cfg(1.5) |> logit_bias() |> dist(1)");
const PIECE = 128;

let model: Recorded;
beforeAll(async () => {
  model = recorded(await loadBinding().loadModel(DEMO_MODEL, { gpuLayers: 0 }), { threads: 1, contextSize: 2048 });
});
afterAll(() => model.native.dispose());
afterEach(() => {
  model.batches.length = 0;
  model.onBatch = undefined;
});

const STORY =
  "And it came to pass, that the king said unto them, Go ye into the land of Egypt, and bring me word again. ";
const prompt = (length: number): Int32Array => model.native.tokenize(STORY.repeat(90), true, false).slice(0, length);
const request = (options: Partial<SequenceRequest> = {}): SequenceRequest => ({
  chain: CHAIN,
  // each of their batches is asked for, and recorded
  ahead: 0,
  maxTokens: 1,
  ...endless(model.native),
  ...options,
});
async function read(generation: Generation): Promise<number> {
  let count = 0;
  for await (const _ of generation) count++;
  return count;
}
const outputsOf = ({ outputs }: Batch): number => outputs.reduce((sum, one) => sum + one, 0);
const sizes = (): number[] => model.batches.map(({ tokens }) => tokens.length);

/** Eight texts that are written until `stop`. */
async function besideWriters(options: { guides?: boolean }, work: (reader: () => Generation) => Promise<void>) {
  using batch = model.open({ sequences: 10, promptBatch: PIECE });
  const stop = new AbortController();
  const writers = Array.from({ length: 8 }, async (_, i) => {
    const text = batch.add(`And ${i} said`, request({ maxTokens: 1500, signal: stop.signal }));
    for await (const piece of text) if (piece.token < 0) break;
  });
  while (!model.batches.some((one) => outputsOf(one) === 8)) await new Promise((resolve) => setTimeout(resolve, 1));
  const guides = { negative: { prompt: prompt(900).map((token, i) => (i === 5 ? 77 : token)) } };
  await work(() =>
    batch.add(prompt(options.guides ? 1100 : 2000), request(options.guides ? { chain: GUIDED, guides } : {})),
  );
  stop.abort();
  for (const writer of writers) await expect(writer).rejects.toThrow(AbortError);
}

test("eight others write a token between two pieces of a prompt of 2 000 tokens", async () => {
  let [from, to] = [0, 0];
  await besideWriters({}, async (reader) => {
    from = model.batches.length;
    await read(reader());
    to = model.batches.length;
  });
  const batches = model.batches.slice(from, to);
  const pieces = batches
    .map((one, i) => ({ i, read: one.tokens.length - outputsOf(one) }))
    .filter((one) => one.read > 0);
  expect(pieces.length).toBeGreaterThanOrEqual(Math.ceil(2000 / PIECE));
  for (const piece of pieces) expect(piece.read).toBeLessThanOrEqual(PIECE);
  // every writer is part of a batch at least after each second piece
  const sequences = new Set(batches.flatMap((one) => [...one.sequences].filter((_, i) => one.outputs[i] === 1)));
  expect(sequences.size).toBe(9);
  const reader = batches
    .find((one) => one.tokens.length > 20)!
    .sequences.find((sequence, i, all) => all.indexOf(sequence) !== all.lastIndexOf(sequence) && i >= 0)!;
  for (const sequence of sequences) {
    if (sequence === reader) continue;
    const absent = pieces.map(({ i }) => !batches[i]!.sequences.includes(sequence));
    expect(absent.some((one, i) => one && absent[i + 1] && absent[i + 2])).toBe(false);
  }
});

test("prompts of guides are read in pieces, too", async () => {
  let from = 0;
  await besideWriters({ guides: true }, async (reader) => {
    from = model.batches.length;
    await read(reader());
  });
  const readTokens = model.batches.slice(from).map((one) => one.tokens.length - outputsOf(one));
  expect(Math.max(...readTokens)).toBeLessThanOrEqual(PIECE);
});

test("alone, a prompt is read in the largest pieces, and its progress is told", async () => {
  using batch = model.open({ sequences: 3, promptBatch: 16 });
  const progress: [number, number][] = [];
  await read(batch.add(prompt(1700), request({ onPromptProgress: (...given) => progress.push(given) })));
  expect(sizes()).toEqual([512, 512, 512, 164]);
  expect(progress).toEqual([512, 1024, 1536, 1700].map((count) => [count, 1700]));
});

test("larger pieces than a batch make the batch larger", async () => {
  using batch = model.open({ sequences: 1, promptBatch: 1024 });
  await read(batch.add(prompt(1700), request()));
  expect(sizes()).toEqual([1024, 676]);
});

test("a prompt can be cancelled between its pieces, and what was read of it stays", async () => {
  using batch = model.open({ sequences: 2 });
  const abort = new AbortController();
  const onPromptProgress = (count: number): void => {
    if (count === 1024) abort.abort();
  };
  const cancelled = batch.add(prompt(1900), request({ signal: abort.signal, onPromptProgress }));
  await expect(read(cancelled)).rejects.toThrow(AbortError);
  expect(sizes()).toEqual([512, 512]);
  const again = batch.add(prompt(1900), request());
  await read(again);
  expect(again.stats().computedPromptTokens).toBe(1900 - 1024);
});

test("who listens to the progress and fails, fails alone", async () => {
  using batch = model.open({ sequences: 2 });
  const onPromptProgress = (): never => {
    throw new RangeError("mine");
  };
  const failed = read(batch.add(prompt(700), request({ onPromptProgress })));
  const other = read(batch.add("Behold", request({ maxTokens: 5 })));
  await expect(failed).rejects.toThrow("mine");
  expect(await other).toBe(5);
});

test("the tokens of a batch are divided fairly", () => {
  expect(fairShares([1000, 10, 300], 128)).toEqual([59, 10, 59]);
  expect(fairShares([3, 4], 128)).toEqual([3, 4]);
  expect(fairShares([500, 500, 500], 2)).toEqual([1, 1, 1]);
  expect(fairShares([], 128)).toEqual([]);
});

describe("bad input", () => {
  test("a prompt that is longer than the context", async () => {
    using batch = model.open({ sequences: 2, contextSize: 256 });
    const failed = read(batch.add(prompt(256), request()));
    await expect(failed).rejects.toThrow(
      "the prompt has 256 tokens, and the context size, for prompt and generated text, is 256",
    );
    await expect(failed).rejects.toMatchObject({ name: "InputError", code: "CONTEXT_FULL" });
    expect(model.batches).toEqual([]);
    expect(await read(batch.add(prompt(255), request()))).toBe(1);
  });

  test.each([0, 1.5, 65537, "128"])("pieces of %p tokens", async (promptBatch) => {
    using other = await loadModel(DEMO_MODEL, { backend: "cpu" });
    const open = () => other.batch({ sequences: 2, promptBatch: promptBatch as number });
    expect(open).toThrow(InputError);
    expect(open).toThrow(/`promptBatch` must be an integer from 1 to 65536, found/);
    using batch = other.batch({ sequences: 1, contextSize: 256, promptBatch: 1 });
    expect(await read(batch.add("Behold", request()))).toBe(1);
  });

  test("a listener that is no function", () => {
    using batch = model.open({ sequences: 1, contextSize: 256 });
    expect(() => batch.add("Behold", request({ onPromptProgress: 3 as never }))).toThrow(
      /`onPromptProgress` must be a function/,
    );
  });
});
