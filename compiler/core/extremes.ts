/** The greatest and the least of lists of any length: `Math.max(...list)` throws a RangeError above some 125 000 elements. */

/** The greatest value, or `floor` if that is greater or there is none. */
export function greatest(values: Iterable<number>, floor = -Infinity): number {
  let found = floor;
  for (const value of values) found = Math.max(found, value);
  return found;
}

/** The least value, or `ceiling` if that is less or there is none. */
export function least(values: Iterable<number>, ceiling = Infinity): number {
  let found = ceiling;
  for (const value of values) found = Math.min(found, value);
  return found;
}
