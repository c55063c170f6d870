/**
 * Many texts, looked for at once in a text that comes byte by byte. They are sorted: those that what was read may become are neighbours,
 * which each byte makes fewer. So a list costs little before its text begins.
 */

/** Texts with a byte a character, sorted. */
export interface SortedTexts {
  readonly texts: readonly string[];
  /** For each byte the first text that does not begin with a smaller one. */
  readonly from: Int32Array;
}

/** @param texts none of them empty; undefined without any */
export function sortedTexts(texts: readonly string[]): SortedTexts | undefined {
  if (texts.length === 0) return undefined;
  const sorted = [...new Set(texts)].sort();
  const from = new Int32Array(257).fill(sorted.length);
  for (let at = sorted.length - 1; at >= 0; at--) from[sorted[at]!.charCodeAt(0)] = at;
  for (let byte = 255; byte >= 0; byte--) from[byte] = Math.min(from[byte]!, from[byte + 1]!);
  return { texts: sorted, from };
}

/** What was read from a byte on, and the texts that it may become: from `low` on, below `high`. */
interface Begun {
  readonly begin: number;
  low: number;
  high: number;
}

export class TextSearch {
  private begun: Begun[] = [];
  private count = 0;

  constructor(private readonly sorted: SortedTexts) {}

  /** Where the earliest part begins that may become a text; `end` if there is none. */
  first(end: number): number {
    return this.count > 0 ? this.begun[0]!.begin : end;
  }

  /**
   * Reads the byte at a place.
   * @returns where the longest text begins that ends with it; Infinity if none does
   */
  read(byte: number, at: number): number {
    const { begun, sorted } = this;
    const { texts, from } = sorted;
    let kept = 0;
    let found = Infinity;
    for (let i = 0; i < this.count; i++) {
      const one = begun[i]!;
      const depth = at - one.begin;
      one.low = this.bound(one, depth, byte);
      one.high = this.bound(one, depth, byte + 1);
      if (one.low === one.high) continue;
      if (texts[one.low]!.length === depth + 1) found = Math.min(found, one.begin);
      begun[kept++] = one;
    }
    const [low, high] = [from[byte]!, from[byte + 1]!];
    if (low < high) {
      begun[kept++] = { begin: at, low, high };
      if (texts[low]!.length === 1) found = Math.min(found, at);
    }
    this.count = kept;
    return found;
  }

  restart(): void {
    this.count = 0;
  }

  /** The first of the texts whose byte at a depth is not smaller; one that is over has none. */
  private bound({ low, high }: Begun, depth: number, byte: number): number {
    const { texts } = this.sorted;
    let [from, to] = [low, high];
    while (from < to) {
      const middle = (from + to) >> 1;
      const text = texts[middle]!;
      if (depth >= text.length || text.charCodeAt(depth) < byte) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
