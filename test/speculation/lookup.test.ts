/** Prompt lookup without a model: the longest match, by a naive search, and its continuation. */
import { describe, expect, test } from "@jest/globals";
import { compilePipeline } from "../../runtime/index.js";
import { startSequence } from "../../runtime/sequence/sequence.js";
import { openLookup } from "../../runtime/decode/speculation/lookup.js";
import { COMPARED, TextIndex } from "../../runtime/decode/speculation/textIndex.js";
import { random } from "../parity/random.js";

const text = Int32Array.of(1, 2, 3, 9, 1, 2, 3, 4, 5, 2, 3);

/** By comparing all places. */
function naive(tokens: Int32Array, min: number, max: number): { end: number; length: number } {
  let best = { end: 0, length: 0 };
  for (let end = min; end < tokens.length; end++) {
    let length = 0;
    while (length < Math.min(max, end) && tokens[end - 1 - length] === tokens[tokens.length - 1 - length]) length++;
    if (length >= min && length >= best.length) best = { end, length };
  }
  return best;
}

describe("the longest match", () => {
  test("is the latest of equal ones", () => {
    expect(new TextIndex(1, 8).longestMatch(text)).toEqual({ end: 7, length: 2 });
    expect(new TextIndex(3, 8).longestMatch(text)).toEqual({ end: 0, length: 0 });
    expect(new TextIndex(2, 2).longestMatch(Int32Array.of(7, 7, 7, 7))).toEqual({ end: 3, length: 2 });
  });

  test("is that of a naive search, in texts that grow and are taken back", () => {
    const rng = random(5);
    const draw = (below: number): number => rng.below(below);
    for (let round = 0; round < 60; round++) {
      const [min, kinds] = [1 + draw(4), 2 + draw(40)];
      const max = min + draw(8);
      const index = new TextIndex(min, max);
      let tokens: number[] = [];
      for (let step = 0; step < 60; step++) {
        if (draw(20) === 0) {
          tokens = tokens.slice(0, draw(tokens.length + 1));
          index.clear();
        }
        for (let i = draw(4); i >= 0; i--) tokens.push(draw(kinds) * 100_003);
        if (tokens.length > COMPARED) break;
        const whole = Int32Array.from(tokens);
        expect(index.longestMatch(whole)).toEqual(naive(whole, min, max));
      }
    }
  });

  test("is found in a long text", () => {
    const tokens = Int32Array.from({ length: 5000 }, (_, i) => (i * i * 31) % 4999);
    const again = Int32Array.from([...tokens, ...tokens.subarray(40, 60)]);
    expect(new TextIndex(2, 8).longestMatch(again)).toEqual({ end: 60, length: 8 });
  });
});

test("a draft goes on in itself where the text ends", () => {
  const sequence = startSequence(compilePipeline("greedy()").graph, 8);
  const draft = (tokens: Int32Array, count: number) =>
    openLookup({ min: 1, max: 8, tokens: 8, adapt: true }).draft({ tokens, sequence }, () => count);
  expect(draft(text, 6)).toEqual({ tokens: [4, 5, 2, 3, 4, 5], kind: 2 });
  expect(draft(Int32Array.of(1, 2, 1, 2), 5)).toEqual({ tokens: [1, 2, 1, 2, 1], kind: 2 });
  expect(draft(Int32Array.of(1, 2, 3), 5)).toBeUndefined();
  // to be compared with the text
  expect(draft(text, 0)).toEqual({ tokens: [4], kind: 2 });
});
