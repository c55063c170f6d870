/** The last tokens of a text. Appending copies only now and then, so a text of n tokens costs O(n) in all. */

/** How many elements of a buffer belong to some history. */
const used = new WeakMap<ArrayBufferLike, number>();

/**
 * The history with more tokens, of which at most the last `most` are needed. Histories are immutable: the earlier one stays valid,
 * and if something was already appended to it, this one gets a copy.
 */
export function append(history: Int32Array, tokens: ArrayLike<number>, most: number): Int32Array {
  if (tokens.length === 0) return history;
  const start = history.byteOffset / Int32Array.BYTES_PER_ELEMENT;
  const end = start + history.length;
  const isLast = used.get(history.buffer) === end;
  const space = isLast ? history.buffer.byteLength / Int32Array.BYTES_PER_ELEMENT - end : 0;
  const length = Math.min(most, history.length + tokens.length);
  if (tokens.length <= space) {
    const all = new Int32Array(history.buffer, 0, end + tokens.length);
    all.set(tokens, end);
    used.set(history.buffer, all.length);
    return all.subarray(all.length - length);
  }
  const fresh = new Int32Array(2 * length + 16);
  const kept = Math.max(0, length - tokens.length);
  fresh.set(history.subarray(history.length - kept));
  fresh.set(Int32Array.from(tokens).subarray(tokens.length - (length - kept)), kept);
  used.set(fresh.buffer, length);
  return fresh.subarray(0, length);
}
