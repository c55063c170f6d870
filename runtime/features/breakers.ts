/** Converts text breakers to token sequences, for every way in which the text can begin inside a token. */
import type { Breakers } from "./repeats.js";

/** The part of a vocabulary that breakers need. Texts are byte strings, one character per byte. */
export interface Vocabulary {
  readonly pieces: readonly string[];
  tokenize(text: string): Int32Array;
}

/** As in llama.cpp: longer breakers and longer tails are truncated. */
const MAX_TEXT = 40;
const MAX_TAIL = 20;

/** A number is the id of a token that is a breaker by itself; texts need a vocabulary. */
export function breakersOf(given: readonly (string | number)[], vocabulary: Vocabulary | undefined): Breakers {
  const found = new Map<number, Int32Array[]>();
  const addTail = (token: number, tail: Int32Array): void => {
    const tails = found.get(token) ?? [];
    if (!tails.some((t) => t.length === tail.length && t.every((x, i) => x === tail[i])))
      found.set(token, [...tails, tail]);
  };
  for (const breaker of given) {
    if (typeof breaker === "number") addTail(breaker, new Int32Array());
    else if (vocabulary) addText(toBytes(breaker).slice(0, MAX_TEXT), vocabulary, addTail);
  }
  return found;
}

const toBytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

function addText(text: string, vocabulary: Vocabulary, addTail: (token: number, tail: Int32Array) => void): void {
  if (text === "") return;
  vocabulary.pieces.forEach((piece, token) => {
    if (piece.includes(text)) addTail(token, new Int32Array());
    else for (const rest of remainders(piece, text)) addTail(token, vocabulary.tokenize(rest).slice(0, MAX_TAIL));
  });
}

/** For each overlap of the end of `piece` with the beginning of `text`: the rest of `text`. */
function remainders(piece: string, text: string): string[] {
  const starts = Array.from({ length: Math.min(piece.length, text.length - 1) }, (_, i) => i + 1);
  return starts
    .filter((n) => piece.endsWith(text.slice(0, n)))
    .map((n) => text.slice(n))
    .reverse();
}
