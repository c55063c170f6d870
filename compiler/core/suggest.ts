/** "Did you mean": the nearest known name. */

/** Longer names get no suggestion. */
const MAX_LENGTH = 64;
/** The most names that are compared. */
const MAX_CANDIDATES = 200;

/** The nearest candidate with at most a third of the name's letters changed; none for a single letter. */
export function suggest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const limit = Math.min(name.length - 1, Math.max(1, Math.floor(name.length / 3)));
  let best: string | undefined;
  let least = limit + 1;
  let compared = 0;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    if (++compared > MAX_CANDIDATES) break;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Three rows of the table of distances. */
const rows = [0, 1, 2].map(() => new Uint8Array(2 * MAX_LENGTH));

/** Levenshtein distance; a swap of adjacent characters counts once. Both have fewer than twice `MAX_LENGTH` characters. */
function editDistance(a: string, b: string): number {
  let [before, last, row] = rows as [Uint8Array, Uint8Array, Uint8Array];
  for (let j = 0; j <= b.length; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, substitution);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, before[j - 2]! + 1);
      row[j] = least;
    }
    [before, last, row] = [last, row, before];
  }
  return last[b.length]!;
}
