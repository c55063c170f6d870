/** The texts of a vocabulary's tokens as the engines of grammars take them. */
import { threadsHere } from "../core/threads.js";
import { textsOf, type Vocabulary } from "../core/vocabulary.js";

/** A zero byte at the beginning, which llama.cpp refuses, too, or a byte that is in no text in UTF-8. */
const NEVER = /^\0|[\xc0\xc1\xf5-\xff]/;

/** Memory that threads share, where there are threads. */
const shared = (length: number): ArrayBufferLike =>
  threadsHere() ? new SharedArrayBuffer(length) : new ArrayBuffer(length);

/** The text of token i is from `offsets[i]` to `offsets[i + 1]`. */
interface TokenBytes {
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
}

/** Empty for tokens that never come next: control tokens, ends of a text, and those with bytes that are in no text. */
export function tokenBytes(vocabulary: Vocabulary): TokenBytes {
  const { control = [], end = [] } = vocabulary.classes ?? {};
  const never = new Set([...control, ...end]);
  const texts = textsOf(vocabulary);
  const offsets = new Int32Array(shared(4 * (texts.length + 1)));
  const comes = (token: number, text: string): boolean => !never.has(token) && !NEVER.test(text);
  for (const [token, text] of texts.entries())
    offsets[token + 1] = offsets[token]! + (comes(token, text) ? text.length : 0);
  const bytes = new Uint8Array(shared(offsets[texts.length]!));
  for (const [token, text] of texts.entries()) {
    const at = offsets[token]!;
    for (let i = offsets[token + 1]! - at; i-- > 0;) bytes[at + i] = text.charCodeAt(i);
  }
  return { bytes, offsets };
}
