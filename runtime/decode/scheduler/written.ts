/** Tokens that were computed before they were asked for, as the context tells of them (backends/native/textBinding.ts). */
import { WRITTEN } from "../../backends/native/textBinding.js";

/** The text of a token: whole characters, without what belongs to a stop text. */
export interface TextPiece {
  readonly text: string;
  /** Bytes after it that are no whole character. */
  readonly rest: Uint8Array;
}

/** A token that was computed before it was asked for. */
export interface Written {
  readonly token: number;
  /** The next values of the states, then the measures. */
  readonly scalars: Float32Array;
  /** It came whatever the chain would pick. */
  readonly isForced: boolean;
  /** It came in place of the pick, of a text that the chain writes. */
  readonly isWritten: boolean;
  /** A grammar that was asked does not allow it. */
  readonly isRefused: boolean;
  /** The model has read the tokens before it. */
  readonly isRead: boolean;
  /** It ends a text, and is no part of it. */
  readonly isEnd: boolean;
  /** The texts of tokens that are known with it, that of the earliest first; undefined where the context's text has not accepted it. */
  readonly pieces: readonly TextPiece[] | undefined;
  /** The place in the list of the stop text that ends the text with it; -1: none. */
  readonly stop: number;
}

const NONE = new Float32Array();
const NO_BYTES = new Uint8Array();
const NO_PIECES: readonly TextPiece[] = [];

/** Numbers before the scalars of a token. */
const HEAD = 6;

/** Calls `on` with each token and the place of its text. */
export function readWritten(words: Int32Array, text: string, on: (place: number, written: Written) => void): void {
  let begin = 0;
  for (let at = 1 + words[0]!; at < words.length;) {
    const flags = words[at + 2]!;
    const [count, known] = [words[at + 4]!, words[at + 5]!];
    let next = at + HEAD + count;
    const scalars = count === 0 ? NONE : new Float32Array(words.buffer, words.byteOffset + 4 * (at + HEAD), count);
    let pieces: TextPiece[] | undefined;
    for (let i = 0; i < known; i++, next += 2) {
      const end = begin + words[next]!;
      const piece = { text: text.slice(begin, end), rest: bytesIn(words[next + 1]!) };
      // an empty list that grows has memory for many
      if (pieces) pieces.push(piece);
      else pieces = [piece];
      begin = end;
    }
    on(words[at]!, {
      token: words[at + 1]!,
      scalars,
      isForced: (flags & WRITTEN.forced) !== 0,
      isWritten: (flags & WRITTEN.written) !== 0,
      isRefused: (flags & WRITTEN.refused) !== 0,
      isRead: (flags & WRITTEN.over) === 0,
      isEnd: (flags & WRITTEN.end) !== 0,
      pieces: (flags & WRITTEN.said) === 0 ? undefined : (pieces ?? NO_PIECES),
      stop: words[at + 3]!,
    });
    at = next;
  }
}

/** The milliseconds that each batch took. */
export function* timesIn(words: Int32Array): Iterable<number> {
  for (let i = 1; i <= words[0]!; i++) yield words[i]! / 1000;
}

/** How many of them batches gave, and not the end of texts alone. */
export function countIn(words: Int32Array): number {
  let count = 0;
  for (let at = 1 + words[0]!; at < words.length; at += HEAD + words[at + 4]! + 2 * words[at + 5]!)
    if ((words[at + 2]! & WRITTEN.over) === 0) count++;
  return count;
}

/** Up to three bytes: how many, then these, from the lowest byte on. */
const bytesIn = (word: number): Uint8Array =>
  word === 0 ? NO_BYTES : Uint8Array.of(word >> 8, word >> 16, word >> 24).subarray(0, word & 3);
