/** The emitter of the hash, in f32: all its numbers are integers below 2^24, or those divided by a power of 2, and so exact. */
import { HALF, HASH_RANGE, ROUND_CONSTANTS, SHIFT } from "../../graph/hash.js";
import { remainder } from "./arithmetic.js";
import type { Builder, Emitter, Name } from "./builder.js";

/** The halves of numbers from 0 to 2^24, which counts as 0. */
function halves(b: Builder, x: Name): { readonly high: Name; readonly low: Name } {
  const high = b.add("Floor", [b.add("Mul", [x, b.f32(1 / HALF)])]);
  return { high: remainder(b, high, HALF), low: remainder(b, x, HALF) };
}

const hash: Emitter = (b, { operands: [x, key] }) => {
  const keys = halves(b, b.add("Clip", [key!.name, b.f32(0), b.f32(HASH_RANGE)]));
  const { high, low } = halves(b, b.add("Clip", [x!.name, b.f32(0), b.f32(HASH_RANGE)]));
  let [left, right] = [high, low];
  ROUND_CONSTANTS.forEach((constant, round) => {
    const difference = b.add("Sub", [right, round % 2 === 0 ? keys.low : keys.high]);
    const square = b.add("Mul", [difference, difference]);
    const middle = b.add("Floor", [b.add("Mul", [square, b.f32(2 ** -SHIFT)])]);
    const mixed = remainder(b, b.add("Add", [b.add("Add", [left, middle]), b.f32(constant)]), HALF);
    [left, right] = [right, mixed];
  });
  return b.add("Add", [b.add("Mul", [right, b.f32(HALF)]), left]);
};

export const HASH = { hash };
