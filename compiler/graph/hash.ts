/**
 * The hash of the language: a keyed permutation of the integers below 2^24, the same on every device to the bit. The reference
 * and the host compute it here, the CPU in native/graph/cpu_kernels.cc, other devices with ggml's ops (native/graph/hash.cc).
 *
 * Devices have no integer arithmetic in ggml, so it is made of f32 operations that are exact: all values are integers below 2^24, or
 * such integers divided by a power of 2. That leaves few kinds of steps, and these decide the form:
 * - A Feistel network over two halves of 12 bits, as the product of two halves is exact. Whatever its round function, it is a
 *   permutation: for one key, values of different `x` differ, and every value is as frequent as any other.
 * - The key is in the rounds. Were it only added to `x`, the values of two keys would be shifted copies of each other.
 * - The round function is the middle 12 bits of (half - key)^2. A product with a constant or with the key is linear: the
 *   differences of neighbouring tokens then repeat, which no number of rounds hides. The middle bits are those that depend on the
 *   most bits of the factor; a shift by 5 or 7 needs more rounds.
 * - With six rounds, every bit of `x` and of the key changes every bit of the result with probability 1/2, and no test of
 *   test/graph/hash.test.ts tells it from random numbers; with five, some do.
 *
 * It is not a cryptographic hash: the key has 24 bits only.
 */

/** One more than the largest result. */
export const HASH_RANGE = 2 ** 24;

/** One more than the largest half. */
export const HALF = 2 ** 12;
/** The bits of a half. */
const LOW = HALF - 1;

/** Added in the rounds, one each, so that a half equal to the key is no special case. */
export const ROUND_CONSTANTS: readonly number[] = [0x9e3, 0x6b5, 0x3d1, 0xc4f, 0x2a7, 0x87d];

/** The bits of the square below the middle ones. */
export const SHIFT = 6;

/** The key of the first argument: the first 24 bits of the golden ratio's fraction. */
export const FIRST_KEY = 0x9e3779;

/** A number as an integer below 2^24: rounded down, modulo 2^24. */
export function hashInteger(x: number): number {
  const integer = Math.floor(x);
  return integer - HASH_RANGE * Math.floor(integer / HASH_RANGE);
}

/** The permutation `key` of the integers below 2^24, at `x`. Both are integers from 0 to 2^24, which counts as 0. */
export function mix(x: number, key: number): number {
  // no allocation and no division: the reference computes it for each row
  let left = (x >>> 12) & LOW;
  let right = x & LOW;
  for (let round = 0; round < ROUND_CONSTANTS.length; round++) {
    const difference = right - ((round % 2 === 0 ? key : key >>> 12) & LOW);
    const mixed = (left + ((difference * difference) >>> SHIFT) + ROUND_CONSTANTS[round]!) & LOW;
    left = right;
    right = mixed;
  }
  return right * HALF + left;
}

/** The hash of some numbers: each is permuted by the key that those before it give. */
export const hashOf = (...numbers: readonly number[]): number =>
  numbers.reduce((key, x) => mix(hashInteger(x), key), FIRST_KEY);

/** The uniform number in (0, 1) of a hash: an odd multiple of 2^-24, so it is an f32, and so is 1 minus it. */
export const noiseOf = (hash: number): number => (Math.floor(hash / 2) + 0.5) / (HASH_RANGE / 2);
