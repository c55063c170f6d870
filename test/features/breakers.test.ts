/** Text breakers as token sequences: what is found, and how much work it takes. */
import { expect, test } from "@jest/globals";
import { breakersOf } from "../../runtime/sequence/features/breakers.js";
import type { Vocabulary } from "../../runtime/core/vocabulary.js";
import { append } from "../../runtime/sequence/features/history.js";
import { repeatLengths } from "../../runtime/sequence/features/repeats.js";

/** A deterministic generator of numbers below `limit`. */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
}

function text(random: (limit: number) => number, letters: string, length: number): string {
  return Array.from({ length }, () => letters[random(letters.length)]).join("");
}

/** A vocabulary whose tokenizer cuts a text into its letters, and counts its calls. */
function vocabularyOf(pieces: readonly string[]): Vocabulary & { calls: number } {
  return {
    pieces,
    calls: 0,
    tokenize(rest) {
      this.calls++;
      return Int32Array.from(rest, (letter) => letter.charCodeAt(0));
    },
  };
}

/** The definition: every token against every text. */
function plainly(texts: readonly string[], { pieces, tokenize }: Vocabulary): Map<number, Set<string>> {
  const found = new Map<number, Set<string>>();
  const counting = { calls: 0, tokenize };
  for (const [token, piece] of pieces.entries())
    for (const breaker of texts) {
      const ends = Array.from({ length: breaker.length - 1 }, (_, i) => i + 1).filter((n) =>
        piece.endsWith(breaker.slice(0, n)),
      );
      const tails = piece.includes(breaker)
        ? [""]
        : ends.map((n) => counting.tokenize(breaker.slice(n)).slice(0, 20).join());
      if (tails.length > 0) found.set(token, new Set([...(found.get(token) ?? []), ...tails]));
    }
  return found;
}

test("finds what comparing every token with every text finds", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = generator(seed);
    const pieces = Array.from({ length: 120 }, () => text(random, "abc", 1 + random(7)));
    const texts = Array.from({ length: 1 + random(12) }, () => text(random, "abc", 1 + random(6)));
    const vocabulary = vocabularyOf(pieces);
    const found = new Map(
      [...breakersOf(texts, vocabulary)].map(([token, tails]) => [
        token,
        new Set(tails.flatMap(({ list }) => list.map((tail) => tail.join()))),
      ]),
    );
    expect([seed, found]).toEqual([seed, plainly(texts, vocabulary)]);
  }
});

/** Comparing each of these tokens with each text would take minutes. */
const random = generator(7);
const PIECES = Array.from({ length: 128_000 }, () => text(random, "abcdefghijklmnopqrstuvwxyz ", 1 + random(12)));
const TEXTS = Array.from({ length: 4000 }, (_, i) => `${text(random, "abcdefghij", 36)}${i}`.slice(0, 40));

test("4000 texts in a vocabulary of 128 000", () => {
  const vocabulary = vocabularyOf(PIECES);
  const breakers = breakersOf(TEXTS, vocabulary);
  expect(breakers.size).toBeGreaterThan(10_000);
  // each end of a text becomes tokens at most once
  expect(vocabulary.calls).toBeLessThanOrEqual(TEXTS.join("").length);
  // tokens that end alike share what follows them, so that all tails together are at most one for each end of a text
  const shared = new Set([...breakers.values()].flat());
  expect([...shared].reduce((sum, { list }) => sum + list.length, 0)).toBeLessThan(TEXTS.join("").length);
  const { calls } = vocabulary;
  expect(breakersOf([...TEXTS], vocabulary)).toBe(breakers);
  expect(vocabulary.calls).toBe(calls);
});

test("texts that contain each other", () => {
  const texts = Array.from({ length: 40 }, (_, i) => "a".repeat(i + 1));
  const vocabulary = vocabularyOf(Array.from({ length: 128_000 }, (_, i) => "a".repeat(1 + (i % 400))));
  const breakers = breakersOf(texts, vocabulary);
  expect(breakers.size).toBe(128_000);
  expect(new Set([...breakers.values()].flat()).size).toBeLessThan(1000);
});

test("a text of 100 000 tokens is looked at once for each token, whatever the number of tails", () => {
  const tails = Array.from({ length: 4000 }, (_, i) => `b${"c".repeat(18)}${i}`);
  const vocabulary = vocabularyOf(["b"]);
  const breakers = breakersOf(tails, vocabulary);
  // every token begins 4000 breakers, and completes none
  const window = new Int32Array(100_000);
  const lengths = repeatLengths(window, breakers);
  expect(lengths.get(0)).toBe(99_999);
});

test("appending a token does not copy the text", () => {
  let history: Int32Array = new Int32Array();
  const buffers = new Set<ArrayBufferLike>();
  for (let token = 0; token < 500_000; token++) {
    history = append(history, [token], Infinity);
    buffers.add(history.buffer);
  }
  expect(history).toHaveLength(500_000);
  expect([history[0], history[123_456], history[499_999]]).toEqual([0, 123_456, 499_999]);
  expect(buffers.size).toBeLessThan(30);
});

test("a history stays as it is, whatever is appended to it", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = generator(seed);
    const most = 1 + random(12);
    const known: { history: Int32Array; expected: number[] }[] = [{ history: new Int32Array(), expected: [] }];
    for (let i = 0; i < 200; i++) {
      const { history, expected } = known[random(known.length)]!;
      const tokens = Array.from({ length: random(5) }, () => random(100));
      known.push({ history: append(history, tokens, most), expected: [...expected, ...tokens].slice(-most) });
    }
    for (const { history, expected } of known) expect([...history]).toEqual(expected);
  }
});
