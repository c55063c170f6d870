/** distinct-n and seq-rep-n: texts that were counted by hand, and properties of random ones. */
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { countNgrams, distinct, repetition } from "../../runtime/compare/ngrams.js";

/** Tokens of words, numbered by their first place. */
function tokensOf(...texts: readonly string[]): number[][] {
  const words: string[] = [];
  const numberOf = (word: string): number => (words.includes(word) ? words.indexOf(word) : words.push(word) - 1);
  return texts.map((text) => text.split(" ").map(numberOf));
}

describe("by hand", () => {
  // unigrams: the cat sat on mat (5 of 6); bigrams: the cat, cat sat, sat on, on the, the mat (5 of 5)
  const one = tokensOf("the cat sat on the mat");

  test("one text", () => {
    expect(distinct(one, 1)).toBeCloseTo(5 / 6, 12);
    expect(distinct(one, 2)).toBe(1);
    expect(repetition(one, 1)).toBeCloseTo(1 / 6, 12);
    expect(repetition(one, 4)).toBe(0);
  });

  test("distinct-n counts the n-grams of all texts together, and none across their borders", () => {
    // bigrams: a b, b a | a b: 2 different of 3
    const texts = tokensOf("a b a", "a b");
    expect(countNgrams(texts, 2)).toEqual({ distinct: 2, all: 3 });
    expect(distinct(texts, 1)).toBeCloseTo(2 / 5, 12);
    expect(distinct(texts, 2)).toBeCloseTo(2 / 3, 12);
    // a b a, and the second text is too short
    expect(distinct(texts, 3)).toBe(1);
  });

  test("seq-rep-n is the mean over texts of what repeats within one", () => {
    // 4-grams: x y x y, y x y x, x y x y, y x y x: 2 different of 4; a b c d e: none repeats
    const texts = tokensOf("x y x y x y x", "a b c d e");
    expect(repetition(texts, 4)).toBeCloseTo((1 / 2 + 0) / 2, 12);
    // equal texts repeat each other, which distinct-n sees and seq-rep-n does not
    const equal = tokensOf("a b c d", "a b c d");
    expect(repetition(equal, 4)).toBe(0);
    expect(distinct(equal, 2)).toBe(1 / 2);
  });

  test("a text of one token again and again", () => {
    const texts = [Array.from({ length: 64 }, () => 7)];
    expect(distinct(texts, 1)).toBe(1 / 64);
    expect(repetition(texts, 4)).toBeCloseTo(60 / 61, 12);
  });

  test("texts shorter than n tokens do not count; without any other there is no number", () => {
    const texts = tokensOf("x y x y x", "a b");
    // x y x y, y x y x: none repeats
    expect(repetition(texts, 4)).toBe(0);
    expect(repetition(tokensOf("x y x y x y", "a b"), 4)).toBeCloseTo(1 / 3, 12);
    expect(repetition(tokensOf("a b"), 4)).toBeNaN();
    expect(distinct([[1, 2]], 3)).toBeNaN();
    expect(distinct([[]], 1)).toBeNaN();
  });

  test("tokens 1, 23 and 12, 3 are different", () => {
    expect(
      distinct(
        [
          [1, 23],
          [12, 3],
        ],
        2,
      ),
    ).toBe(1);
  });
});

describe("random texts", () => {
  const texts = fc.array(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 }), { minLength: 1, maxLength: 5 });
  const n = fc.integer({ min: 1, max: 4 });

  /** Another way: every pair of places is compared. */
  function countedByPairs(all: readonly (readonly number[])[], size: number): { distinct: number; all: number } {
    const places = all.flatMap((text, t) =>
      Array.from({ length: Math.max(0, text.length - size + 1) }, (_, start) => ({ t, start })),
    );
    const at = ({ t, start }: { t: number; start: number }, i: number): number => all[t]![start + i]!;
    const isSame = (a: (typeof places)[number], b: (typeof places)[number]): boolean =>
      Array.from({ length: size }, (_, i) => at(a, i) === at(b, i)).every(Boolean);
    const first = places.filter((place, i) => !places.slice(0, i).some((earlier) => isSame(earlier, place)));
    return { distinct: first.length, all: places.length };
  }

  test("are counted as by comparing every pair", () => {
    fc.assert(
      fc.property(texts, n, (all, size) => expect(countNgrams(all, size)).toEqual(countedByPairs(all, size))),
      { seed: 7 },
    );
  });

  test("neither the order of texts nor the ids of tokens count, and a second copy halves distinct-n", () => {
    fc.assert(
      fc.property(texts, n, (all, size) => {
        const renamed = all.map((text) => text.map((token) => 1000 - 7 * token));
        expect(distinct([...renamed].reverse(), size)).toEqual(distinct(all, size));
        if (all.every(({ length }) => length < size)) return;
        expect(distinct([...all, ...all], size)).toBeCloseTo(distinct(all, size) / 2, 12);
        expect(repetition([...all, ...all].reverse(), size)).toBeCloseTo(repetition(all, size), 12);
      }),
      { seed: 7 },
    );
  });

  test("are within their ranges", () => {
    fc.assert(
      fc.property(texts, n, (all, size) => {
        const [variety, repeated] = [distinct(all, size), repetition(all, size)];
        if (all.every(({ length }) => length < size)) return expect([variety, repeated]).toEqual([NaN, NaN]);
        expect(variety).toBeGreaterThan(0);
        expect(variety).toBeLessThanOrEqual(1);
        expect(repeated).toBeGreaterThanOrEqual(0);
        expect(repeated).toBeLessThan(1);
      }),
      { seed: 7 },
    );
  });
});
