/** Windows of the host tail: their memory follows the text, and their results are llama.cpp's. */
import { expect, test } from "@jest/globals";
import type { NativeTailStage } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { thrownBy } from "./batches.js";
import { loadOracle } from "./oracle.js";

const { Tail } = loadBinding();
const LONGEST = 16_777_216;
const VOCAB = 60;

/** Rows of all tokens with different logits. */
const rows = {
  tokens: Int32Array.from({ length: VOCAB }, (_, i) => i),
  logits: Float32Array.from({ length: VOCAB }, (_, i) => Math.fround(3 * Math.sin(7 * i))),
};

const dry = (last_n: number): NativeTailStage => ({
  name: "dry",
  multiplier: 0.8,
  base: 1.2,
  allowed_length: 2,
  last_n,
  breakers: [[3], [5, 7]],
});
const penalties = (last_n: number): NativeTailStage => ({
  name: "penalties",
  last_n,
  repeat: 1.2,
  freq: 0.03,
  present: 0.1,
});

test("ten windows of 16 777 216 tokens take the memory of the text", () => {
  const before = process.memoryUsage().rss;
  const tails = Array.from({ length: 10 }, () => new Tail([dry(LONGEST), penalties(LONGEST)]));
  for (let i = 0; i < 2000; i++) for (const tail of tails) tail.accept(i % VOCAB);
  for (const tail of tails) tail.apply(rows);
  // their full length takes 1.3 GB for dry alone
  expect(process.memoryUsage().rss - before).toBeLessThan(500 * 2 ** 20);
  for (const tail of tails) tail.dispose();
});

test.each([1, 7, 255, 256, 257, 300, 512, 1000, 5000])("a window of %d gives llama.cpp's rows", (last_n) => {
  const stages = [penalties(last_n), dry(last_n)];
  const ours = new Tail(stages);
  const theirs = new (loadOracle().LlamaChain)(stages);
  let seed = last_n;
  let copy = ours.clone();
  for (let step = 0; step < 1300; step++) {
    seed = (seed * 48271) % 2147483647;
    // some repetitions, of a text of a few tokens
    const token = step % 97 < 40 ? step % 97 : seed % VOCAB;
    ours.accept(token);
    copy.accept(token);
    theirs.accept(token);
    if (step % 100 === 50) copy = copy.clone();
    if (step % 37 !== 0 && Math.abs(step - 256) > 2 && Math.abs(step - 512) > 2) continue;
    const expected = theirs.apply(rows.logits);
    for (const tail of [ours, copy]) {
      const { tokens, logits } = tail.apply(rows);
      expect([step, tokens, logits]).toEqual([step, expected.tokens, expected.logits]);
    }
  }
  ours.reset();
  theirs.reset();
  ours.accept(1);
  theirs.accept(1);
  expect(ours.apply(rows).logits).toEqual(theirs.apply(rows.logits).logits);
});

test("more memory than the limit is an error before any stage has the token", () => {
  const tail = new Tail(Array.from({ length: 256 }, () => penalties(LONGEST)));
  let thrown = "no error";
  const text = new Int32Array(10_000);
  for (let i = 0; i < 20 && thrown === "no error"; i++) thrown = thrownBy(() => tail.acceptPrompt(text));
  expect(thrown).toMatch(/^LIMIT_EXCEEDED: the host tail's stages need .* \(max_tail_bytes\)/);
  expect(tail.apply(rows).tokens).toHaveLength(VOCAB);
});
