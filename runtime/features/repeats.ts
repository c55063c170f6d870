/**
 * The feature `repeat_len(last, breakers)`, for DRY (text-generation-webui PR 5677): for each token, the length of the repetition
 * that it would extend, that is the longest suffix of the text that also occurs earlier, followed by this token.
 */

/** Token sequences that end a repetition: by first token, the tails that follow it, which may be empty. */
export type Breakers = ReadonlyMap<number, readonly Int32Array[]>;

/** Lengths above 0 by token. `window` holds the last tokens of the text; a breaker of a single token is never penalised. */
export function repeatLengths(window: Int32Array, breakers: Breakers): Map<number, number> {
  const lengths = new Map<number, number>();
  const backwards = window.slice().reverse();
  const limit = distanceToBreaker(backwards, breakers);
  if (limit === 0) return lengths;
  const matches = prefixMatches(backwards);
  for (let k = 1; k < backwards.length; k++) {
    const next = backwards[k - 1]!;
    const length = Math.min(matches[k]!, limit);
    if (length > (lengths.get(next) ?? 0) && !isSingleBreaker(breakers, next)) lengths.set(next, length);
  }
  return lengths;
}

const isSingleBreaker = (breakers: Breakers, token: number): boolean =>
  breakers.get(token)?.some((tail) => tail.length === 0) ?? false;

/** The number of tokens after the last breaker in the text; all of them if there is none. */
function distanceToBreaker(backwards: Int32Array, breakers: Breakers): number {
  for (let i = 0; i < backwards.length; i++) {
    const tails = breakers.get(backwards[i]!) ?? [];
    const matching = tails.filter(
      (tail) => tail.length <= i && tail.every((token, j) => token === backwards[i - 1 - j]),
    );
    if (matching.length > 0) return i - Math.max(...matching.map((tail) => tail.length));
  }
  return backwards.length;
}

/** For each position, the length of the common prefix with the whole (Gusfield's Z values), in linear time. */
function prefixMatches(tokens: Int32Array): Int32Array {
  const matches = new Int32Array(tokens.length);
  let [start, end] = [0, 0];
  for (let k = 1; k < tokens.length; k++) {
    let length = k < end ? Math.min(matches[k - start]!, end - k) : 0;
    while (k + length < tokens.length && tokens[length] === tokens[k + length]) length++;
    matches[k] = length;
    if (k + length > end) [start, end] = [k, k + length];
  }
  return matches;
}
