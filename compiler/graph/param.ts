/** Values of parameters. */
import type { Param } from "./graph.js";
import { describeRange, isInRange } from "../core/range.js";

/** The seeds of `std::mt19937`. */
export const MAX_SEED = 2 ** 32 - 1;
/** What a seed must be, in words. */
export const SEED_RANGE = `an integer from 0 to ${MAX_SEED}`;

export const isSeed = (seed: unknown): seed is number =>
  Number.isInteger(seed) && (seed as number) >= 0 && (seed as number) <= MAX_SEED;

/** Describes what a parameter must be, if `value` is invalid. */
export function expectedValue({ type, range }: Pick<Param, "type" | "range">, value: number): string | undefined {
  if (type === "seed") return isSeed(value) ? undefined : `a seed, ${SEED_RANGE}`;
  if (type === "bool") return value === 0 || value === 1 ? undefined : "true or false";
  if (!Number.isFinite(Math.fround(value))) return "a finite number";
  if (type === "i32" && !Number.isInteger(value)) return "an integer";
  return isInRange(range, value) ? undefined : describeRange(range);
}

/** The fault of a parameter, if any: an empty range, or an invalid default. */
export function paramFault(param: Param): string | undefined {
  const { type, range, default: value } = param;
  if ((range.min ?? -Infinity) > (range.max ?? Infinity)) return `no number is ${describeRange(range)}`;
  if (value === "random") return type === "seed" ? undefined : "only a seed can be random by default";
  const expected = expectedValue(param, value);
  return expected === undefined ? undefined : `its default must be ${expected}, found ${value}`;
}
