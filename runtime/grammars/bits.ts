/** Sets of tokens with a bit each, lowest bit first. */

/** 1 for each token whose bit is set, else 0. Like `wordsOf`, it runs for each token of a text: a plain loop. */
export function flagsOf(bits: Uint32Array, vocabSize: number): Float32Array {
  const flags = new Float32Array(vocabSize);
  for (let token = 0; token < vocabSize; token++) flags[token] = (bits[token >>> 5]! >>> (token & 31)) & 1;
  return flags;
}

/** The bits as a graph takes them: 16 in each of `count` words. */
export function wordsOf(bits: Uint32Array, count: number): Int32Array {
  const words = new Int32Array(count);
  for (let i = 0; i < count; i++) words[i] = (bits[i >>> 1]! >>> (16 * (i & 1))) & 0xffff;
  return words;
}

export const hasBit = (bits: Uint32Array, token: number): boolean => ((bits[token >>> 5]! >>> (token & 31)) & 1) !== 0;

/** The only token whose bit is set; undefined if there is none, or more. */
export function onlyToken(bits: Uint32Array): number | undefined {
  let only: number | undefined;
  for (let i = 0; i < bits.length; i++) {
    const word = bits[i]!;
    if (word === 0) continue;
    if (only !== undefined || (word & (word - 1)) !== 0) return undefined;
    only = 32 * i + 31 - Math.clz32(word);
  }
  return only;
}
