/**
 * The feature `repeat_len(last, breakers)`, for DRY (text-generation-webui PR 5677): for each token, the length of the repetition
 * that it would extend, that is the longest suffix of the text that also occurs earlier, followed by this token.
 */

/** What follows the first token of a breaker; may be empty. */
export type Tails = readonly Int32Array[];

/** The tails that begin with the same tokens. */
interface Branch {
  readonly next: Map<number, Branch>;
  /** Whether a tail ends here. */
  isEnd: boolean;
}

/** Token sequences that end a repetition. */
export interface Breakers {
  /** By first token. */
  readonly tails: ReadonlyMap<number, Tails>;
  /** The same as trees, so that all tails of a token are compared at once. Tokens can share a tree. */
  readonly trees: ReadonlyMap<number, Branch>;
}

export function breakersFrom(tails: ReadonlyMap<number, Tails>): Breakers {
  const trees = new Map<Tails, Branch>();
  const treeOf = (list: Tails): Branch => {
    const tree = trees.get(list) ?? grow(list);
    trees.set(list, tree);
    return tree;
  };
  return { tails, trees: new Map([...tails].map(([token, list]) => [token, treeOf(list)])) };
}

function grow(tails: Tails): Branch {
  const root: Branch = { next: new Map(), isEnd: false };
  for (const tail of tails) {
    let branch = root;
    for (const token of tail) {
      const next: Branch = branch.next.get(token) ?? { next: new Map(), isEnd: false };
      branch.next.set(token, next);
      branch = next;
    }
    branch.isEnd = true;
  }
  return root;
}

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

const isSingleBreaker = (breakers: Breakers, token: number): boolean => breakers.trees.get(token)?.isEnd ?? false;

/** The number of tokens after the last breaker in the text; all of them if there is none. */
function distanceToBreaker(backwards: Int32Array, breakers: Breakers): number {
  for (let i = 0; i < backwards.length; i++) {
    const length = longestTail(breakers.trees.get(backwards[i]!), backwards, i);
    if (length >= 0) return i - length;
  }
  return backwards.length;
}

/** The length of the longest tail that follows position `at`; -1 if none does. */
function longestTail(tree: Branch | undefined, backwards: Int32Array, at: number): number {
  let longest = -1;
  let branch = tree;
  for (let length = 0; branch; length++) {
    if (branch.isEnd) longest = length;
    branch = length < at ? branch.next.get(backwards[at - 1 - length]!) : undefined;
  }
  return longest;
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
