/** The last values of scalars, and what is computed of them. */
import type { Graph, WindowFold } from "@ggsl/compiler/graph/graph.js";
import { F32_MAX } from "@ggsl/compiler/graph/interval.js";

/** The windows after a token; `scalars` have its value for each after those of the states. */
export const acceptWindows = (
  windows: readonly Float32Array[],
  { states, windows: all = [] }: Graph,
  scalars: Float32Array,
): readonly Float32Array[] =>
  windows.length === 0 ? windows : windows.map((values, i) => added(values, scalars[states.length + i]!, all[i]!.size));

/** The values with one more, at most the last `size` of them. */
function added(values: Float32Array, value: number, size: number): Float32Array {
  const kept = values.length < size ? values : values.subarray(1);
  const next = new Float32Array(kept.length + 1);
  next.set(kept);
  next[kept.length] = value;
  return next;
}

/** In f64, from the oldest value on. */
export function foldOf(values: Float32Array, of: WindowFold): number {
  let result = EMPTY[of];
  for (const value of values)
    result = of === "sum" ? result + value : of === "min" ? Math.min(result, value) : Math.max(result, value);
  return result;
}

const EMPTY: Readonly<Record<WindowFold, number>> = { sum: 0, min: F32_MAX, max: -F32_MAX };
