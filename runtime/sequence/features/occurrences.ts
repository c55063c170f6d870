/** The feature `occurrences(last)`: how often each token occurs among the last ones. */

/** The last tokens of a history; -1 means all of them. */
export const windowOf = (history: Int32Array, last: number): Int32Array =>
  last < 0 ? history : history.subarray(Math.max(0, history.length - last));

export function countOccurrences(window: Int32Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const token of window) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}
