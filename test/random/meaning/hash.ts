/** The hash as docs/semantics.md defines it. */

const RANGE = 2 ** 24;
const HALF = 4096;
const CONSTANTS = [2531, 1717, 977, 3151, 679, 2173];

/** Rounded down, modulo 2^24. */
const integer = (x: number): number => ((Math.floor(x) % RANGE) + RANGE) % RANGE;

function mix(x: number, key: number): number {
  let [left, right] = [Math.floor(x / HALF), x % HALF];
  CONSTANTS.forEach((c, i) => {
    const k = i % 2 === 0 ? key % HALF : Math.floor(key / HALF);
    [left, right] = [right, (left + Math.floor((right - k) ** 2 / 64) + c) % HALF];
  });
  return HALF * right + left;
}

export const hashOf = (...numbers: readonly number[]): number =>
  numbers.reduce((key, x) => mix(integer(x), key), 10368889);

export const noiseOf = (seed: number, at: number, token: number): number =>
  (Math.floor(hashOf(seed % RANGE, Math.floor(seed / RANGE), at, token) / 2) + 0.5) / 2 ** 23;
