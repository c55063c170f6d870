/** Folds of a scalar over the last tokens, from the language guide and the semantics. */
import type { Stage } from "./table.js";

const LARGEST = 2 ** 128 - 2 ** 104;
const f32 = (x: number): number => Math.fround(Math.min(Math.max(x, -LARGEST), LARGEST));

/** Of a value with the last `count` tokens, this one included; `at` is the place of the call. */
export function overTokens(
  { windows, number }: Stage,
  { name, at }: { readonly name: string; readonly at: number },
  x: number,
  count: number,
): number {
  const key = `${number} ${at}`;
  const before = windows.get(key) ?? [];
  windows.set(key, [...before, f32(x)]);
  const past = count === 1 ? [] : before.slice(1 - count);
  if (name === "min" || name === "max") return Math[name](x, ...past);
  const total = f32(f32(past.reduce((a, b) => a + b, 0)) + x);
  return name === "mean" ? f32(total / (past.length + 1)) : total;
}
