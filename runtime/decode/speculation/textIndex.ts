/**
 * The places of each sequence of `min` tokens in a text: linked lists by hash, the latest place first. A text grows by a few tokens
 * between calls, and only these are added.
 */

/** Earlier occurrences of the last tokens that are compared: of more, the latest. */
export const COMPARED = 128;

/** Where the longest match ends, and its length; length 0 without one. */
interface Match {
  readonly end: number;
  readonly length: number;
}
const NO_MATCH: Match = { end: 0, length: 0 };

const FEWEST = 1024;
/** 2^32 divided by the golden ratio spreads small numbers over all bits. */
const SPREAD = 0x9e3779b1;

export class TextIndex {
  /** For each hash, the latest end of tokens with it; 0: none. */
  private heads = new Int32Array(FEWEST);
  /** For each end, the one before it with the same hash; 0: none. */
  private before = new Int32Array(FEWEST);
  private length = 0;

  constructor(
    private readonly min: number,
    private readonly max: number,
  ) {}

  /** Where the longest earlier occurrence of the text's last tokens ends: at least `min` tokens, and at most `max` are compared. */
  longestMatch(text: Int32Array): Match {
    const { min, max } = this;
    const { length } = text;
    if (length <= min) return NO_MATCH;
    this.add(text);
    let [best, bestLength] = [0, 0];
    let end = this.before[length]!;
    for (let left = COMPARED; end > 0 && left > 0 && bestLength < max; left--, end = this.before[end]!) {
      let same = 0;
      while (same < max && same < end && text[end - 1 - same] === text[length - 1 - same]) same++;
      if (same >= min && same > bestLength) [best, bestLength] = [end, same];
    }
    return bestLength === 0 ? NO_MATCH : { end: best, length: bestLength };
  }

  /** Forgets the text, which has lost tokens that were added. */
  clear(): void {
    this.heads.fill(0);
    this.length = 0;
  }

  private add(text: Int32Array): void {
    if (text.length < this.length) this.clear();
    if (text.length >= this.before.length) {
      let size = this.before.length;
      while (size <= text.length) size *= 2;
      this.heads = new Int32Array(size);
      this.before = new Int32Array(size);
      this.length = 0;
    }
    const { heads, before, min } = this;
    while (this.length < text.length) {
      const end = ++this.length;
      if (end < min) continue;
      const slot = this.slotOf(text, end);
      before[end] = heads[slot]!;
      heads[slot] = end;
    }
  }

  private slotOf(text: Int32Array, end: number): number {
    let hash = 0;
    for (let i = end - this.min; i < end; i++) hash = Math.imul(hash ^ text[i]!, SPREAD);
    return (hash ^ (hash >>> 15)) & (this.heads.length - 1);
  }
}
