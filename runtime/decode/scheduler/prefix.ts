/** What texts share at their beginning. */

/** Tokens that are worth keeping or copying, or the wait for another sequence that reads them. */
export const MIN_SHARED = 16;

/** How many tokens two texts share at the beginning. */
export function sharedLength(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length++;
  return length;
}
