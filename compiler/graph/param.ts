/** Values of parameters. */
import type { Param } from "./graph.js";
import { describeRange, isInRange } from "./range.js";

/** Seeds are what `std::mt19937` takes. */
export const isSeed = (seed: number): boolean => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32;

/** What a parameter must be, in words, if `value` is not that. */
export function expectedValue({ type, range }: Pick<Param, "type" | "range">, value: number): string | undefined {
  if (type === "seed") return isSeed(value) ? undefined : "a seed, an integer from 0 to 4294967295";
  if (type === "bool") return value === 0 || value === 1 ? undefined : "true or false";
  if (!Number.isFinite(Math.fround(value))) return "a finite number";
  if (type === "i32" && !Number.isInteger(value)) return "an integer";
  return isInRange(range, value) ? undefined : describeRange(range);
}
