/**
 * The feature `repeat_len(last, breakers)`, for DRY (text-generation-webui PR 5677): for each token, the length of the repetition
 * that it would extend, that is the longest suffix of the text that also occurs earlier, followed by this token.
 */

/** The tokens that follow the first token of a breaker, for one way in which that token can begin it. */
export interface Tails {
  /** Distinct; one may be empty. */
  readonly list: readonly Int32Array[];
  /** The same as a tree, so that all are compared at once. */
  readonly root: Branch;
}

/** The tails that begin with the same tokens. */
interface Branch {
  readonly next: Map<number, Branch>;
  /** Whether a tail ends here. */
  isEnd: boolean;
}

/** Token sequences that end a repetition: by first token. Tokens that end alike share their tails. */
export type Breakers = ReadonlyMap<number, readonly Tails[]>;

export function tailsFrom(list: readonly Int32Array[]): Tails {
  const root: Branch = { next: new Map(), isEnd: false };
  for (const tail of list) {
    let branch = root;
    for (const token of tail) {
      const next: Branch = branch.next.get(token) ?? { next: new Map(), isEnd: false };
      branch.next.set(token, next);
      branch = next;
    }
    branch.isEnd = true;
  }
  return { list, root };
}

/**
 * Lengths above 0 by token. `source` holds the tokens where repetitions are looked for, `text` the last tokens of the text that
 * they would continue; a breaker of a single token is never penalised.
 */
export function repeatLengths(source: Int32Array, breakers: Breakers, text = source): Map<number, number> {
  const lengths = new Map<number, number>();
  const backwards = text.slice().reverse();
  const limit = distanceToBreaker(backwards, breakers);
  if (limit === 0) return lengths;
  const from = source === text ? backwards : source.slice().reverse();
  const matches = matchesWith(backwards, from);
  for (let k = 1; k < from.length; k++) {
    const next = from[k - 1]!;
    const length = Math.min(matches[k]!, limit);
    if (length > (lengths.get(next) ?? 0) && !isSingleBreaker(breakers, next)) lengths.set(next, length);
  }
  return lengths;
}

const isSingleBreaker = (breakers: Breakers, token: number): boolean =>
  breakers.get(token)?.some(({ root }) => root.isEnd) ?? false;

/** The number of tokens after the last breaker in the text; all of them if there is none. */
function distanceToBreaker(backwards: Int32Array, breakers: Breakers): number {
  for (let i = 0; i < backwards.length; i++) {
    let longest = -1;
    for (const { root } of breakers.get(backwards[i]!) ?? [])
      longest = Math.max(longest, longestTail(root, backwards, i));
    if (longest >= 0) return i - longest;
  }
  return backwards.length;
}

/** The length of the longest tail that follows position `at`; -1 if none does. */
function longestTail(root: Branch, backwards: Int32Array, at: number): number {
  let longest = -1;
  let branch: Branch | undefined = root;
  for (let length = 0; branch; length++) {
    if (branch.isEnd) longest = length;
    branch = length < at ? branch.next.get(backwards[at - 1 - length]!) : undefined;
  }
  return longest;
}

/** For each position of `tokens`, the length of the common prefix with `prefix`. */
function matchesWith(prefix: Int32Array, tokens: Int32Array): Int32Array {
  if (prefix === tokens) return prefixMatches(tokens);
  // no token equals the mark between them
  const both = new Int32Array(prefix.length + 1 + tokens.length).fill(-1);
  both.set(prefix);
  both.set(tokens, prefix.length + 1);
  return prefixMatches(both).subarray(prefix.length + 1);
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
