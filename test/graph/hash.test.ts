/**
 * The hash looks random. Each test counts what a random function would give in known numbers, over many keys: chi-square, as standard
 * deviations from its mean. Keys are hashes of a seed and a step, as those of `noise`.
 */
import { describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { hashOf, hashInteger, mix, noiseOf } from "../../compiler/graph/hash.js";
import { random } from "../parity/random.js";

/** The definition of docs/semantics.md, in integers of any size. */
function defined(...numbers: readonly bigint[]): number {
  const half = 4096n;
  let key = 0x9e3779n;
  for (const x of numbers) {
    let [left, right] = [x / half, x % half];
    [0x9e3n, 0x6b5n, 0x3d1n, 0xc4fn, 0x2a7n, 0x87dn].forEach((constant, round) => {
      const difference = right - (round % 2 === 0 ? key % half : key / half);
      [left, right] = [right, (left + (difference * difference) / 64n + constant) % half];
    });
    key = right * half + left;
  }
  return Number(key);
}

test("the hash is that of the documentation", () => {
  const r = random(1);
  const below = (): number => r.below(2 ** 24);
  for (let i = 0; i < 2000; i++) {
    const numbers = Array.from({ length: 1 + r.below(4) }, below);
    expect([numbers, hashOf(...numbers)]).toEqual([numbers, defined(...numbers.map(BigInt))]);
  }
});

test("the documentation has the hashes of some numbers", () => {
  const page = readFileSync("docs/semantics.md", "utf8");
  const rows = [...page.matchAll(/^\| ([\d, ]+) \| (\d+) \| (\d+) \/ 2\^24 \|$/gm)];
  expect(rows.length).toBeGreaterThan(8);
  for (const [, numbers, hash, noise] of rows) {
    const found = hashOf(...numbers!.split(", ").map(Number));
    expect([numbers, found, noiseOf(found) * 2 ** 24]).toEqual([numbers, Number(hash), Number(noise)]);
  }
});

test("numbers are rounded down, modulo 2^24", () => {
  const pairs = [
    ...[
      [2 ** 24, 0],
      [-1, 2 ** 24 - 1],
      [1.9, 1],
      [-0.5, 2 ** 24 - 1],
      [2 ** 24 + 5, 5],
      [-(2 ** 40) + 3, 3],
    ],
    ...[
      [3e38, 0],
      [2 ** 32 - 1, 2 ** 24 - 1],
    ],
  ] as const;
  for (const [x, integer] of pairs) {
    expect([x, hashInteger(x)]).toEqual([x, integer]);
    expect(hashOf(x)).toBe(hashOf(integer));
  }
});

test("for one key, every value comes once", () => {
  const seen = new Uint8Array(2 ** 24);
  for (let x = 0; x < 2 ** 24; x++) seen[mix(x, 0xabcdef)] = 1;
  expect(seen.indexOf(0)).toBe(-1);
});

test("noise is in (0, 1), and f32, as is 1 minus it", () => {
  for (const h of [0, 1, 2, 2 ** 23, 2 ** 24 - 2, 2 ** 24 - 1]) {
    const u = noiseOf(h);
    expect([u > 0, u < 1, Math.fround(u), Math.fround(1 - u)]).toEqual([true, true, u, 1 - u]);
  }
  expect([noiseOf(0), noiseOf(2 ** 24 - 1)]).toEqual([2 ** -24, 1 - 2 ** -24]);
});

test("every bit of x and of the key changes every bit of the result in half of all cases", () => {
  const cases = 20_000;
  const r = random(2);
  for (const which of ["x", "key"] as const)
    for (let bit = 0; bit < 24; bit++) {
      const changes = new Array<number>(24).fill(0);
      for (let i = 0; i < cases; i++) {
        // small numbers too: tokens and steps are small
        const x = i % 2 === 0 ? r.below(2 ** 24) : r.below(2 ** 15);
        const key = r.below(2 ** 24);
        const other = which === "x" ? mix(x ^ (1 << bit), key) : mix(x, key ^ (1 << bit));
        const changed = mix(x, key) ^ other;
        for (let j = 0; j < 24; j++) changes[j]! += (changed >>> j) & 1;
      }
      // 5 standard deviations of a fair coin
      const deviation = Math.max(...changes.map((n) => Math.abs(n / cases - 0.5)));
      expect([which, bit, deviation < (5 * 0.5) / Math.sqrt(cases)]).toEqual([which, bit, true]);
    }
});

// ---------------------------------------------------------------- chi-square

/** Standard deviations between chi-square of `count` values in `cells` cells, all equally likely, and its mean. */
function deviation(cells: number, count: number, cellOf: (i: number) => number): number {
  const found = new Float64Array(cells);
  for (let i = 0; i < count; i++) found[cellOf(i)]!++;
  const expected = count / cells;
  const chi = found.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  return (chi - (cells - 1)) / Math.sqrt(2 * (cells - 1));
}

const KEYS = 60;
const TOKENS = 32768;

/** Two values, by their 5 highest bits. */
const pair = (a: number, b: number): number => (a >>> 19) * 32 + (b >>> 19);
/** Byte `n` of a value, 0 the lowest. */
const byte = (h: number, n: number): number => (h >>> (8 * n)) & 255;

const distances = [1, 2, 3, 4, 8, 64, 256, 1024, 4096, 8192];

const CASES: Readonly<Record<string, (key: number, seed: number) => number>> = {
  ...Object.fromEntries(
    [0, 1, 2].map((n) => [
      `byte ${n} of tokens`,
      (key: number) => deviation(256, TOKENS, (token) => byte(mix(token, key), n)),
    ]),
  ),
  "the first 600 tokens": (key) => deviation(16, 600, (token) => mix(token, key) >>> 20),
  ...Object.fromEntries(
    distances.map((by) => [
      `tokens ${by} apart`,
      (key: number) => deviation(1024, TOKENS, (token) => pair(mix(token, key), mix(token + by, key))),
    ]),
  ),
  ...Object.fromEntries(
    [0, 2].map((n) => [
      `the difference of neighbours, byte ${n}`,
      (key: number) => deviation(256, TOKENS, (token) => byte(mix(token + 1, key) - mix(token, key), n)),
    ]),
  ),
  "three neighbours": (key) =>
    deviation(4096, 4 * TOKENS, (token) => {
      const [a, b, c] = [mix(token, key) >>> 20, mix(token + 1, key) >>> 20, mix(token + 2, key) >>> 20];
      return 256 * a + 16 * b + c;
    }),
  "one token at two steps": (key) =>
    deviation(1024, TOKENS, (step) => pair(mix(7, mix(step, key)), mix(7, mix(step + 1, key)))),
  "all tokens at two steps": (key) => {
    const [one, other] = [mix(3, key), mix(4, key)];
    return deviation(1024, TOKENS, (token) => pair(mix(token, one), mix(token, other)));
  },
  "two seeds": (_, seed) => {
    const [one, other] = [hashOf(seed, 0, 3), hashOf(seed + 1, 0, 3)];
    return deviation(1024, TOKENS, (token) => pair(mix(token, one), mix(token, other)));
  },
  "neighbouring keys": (key) => deviation(1024, TOKENS, (token) => pair(mix(token, key), mix(token, key ^ 1))),
  "the token of the largest value": (_, seed) =>
    deviation(64, 1280, (step) => {
      const key = hashOf(seed, 0, step);
      let [most, best] = [-1, 0];
      for (let token = 0; token < 64; token++) {
        const h = mix(token, key);
        if (h > most) [most, best] = [h, token];
      }
      return best;
    }),
};

describe("like random numbers:", () => {
  test.each(Object.keys(CASES))("%s", (name) => {
    const found = Array.from({ length: KEYS }, (_, seed) => CASES[name]!(hashOf(seed, 0, 7), seed));
    const mean = found.reduce((a, b) => a + b, 0) / KEYS;
    const spread = Math.sqrt(found.reduce((sum, z) => sum + (z - mean) ** 2, 0) / (KEYS - 1));
    // means of 60 keys have a standard deviation of 0.13, spreads one of about 0.1
    expect({ name, mean: Math.abs(mean) < 0.6, spread: spread > 0.55 && spread < 1.5 }).toEqual({
      name,
      mean: true,
      spread: true,
    });
  });

  test("the tests find a fault: a product with the key instead of the square", () => {
    const linear = (x: number, key: number): number => ((x % 4096) * (key | 1) + (x >>> 12) * 4099) & 0xffffff;
    const differences = deviation(256, TOKENS, (x) => byte(linear(x + 1, 12345) - linear(x, 12345), 0));
    expect(differences).toBeGreaterThan(1000);
  });
});

test("the share of tokens below a bound varies between keys as that of random numbers, or less", () => {
  for (const size of [512, 4096]) {
    const z = Array.from({ length: 1000 }, (_, seed) => {
      const key = hashOf(seed, 9);
      let below = 0;
      for (let token = 0; token < size; token++) if (mix(token, key) < 2 ** 22) below++;
      return (below - size / 4) / Math.sqrt((size * 3) / 16);
    });
    const mean = z.reduce((a, b) => a + b, 0) / z.length;
    const spread = Math.sqrt(z.reduce((sum, v) => sum + v * v, 0) / z.length);
    expect([size, Math.abs(mean) < 0.13, spread > 0.9 && spread < 1.1]).toEqual([size, true, true]);
  }
});
