/** What jobs add to a batch, as a batch. */
import type { Batch } from "../native/binding.js";
import type { Piece, Turn } from "./prefill.js";

/** In the order of the sequences: llama.cpp rebuilds its graph if it changes. */
export function batchOf(turns: readonly Turn[]): Batch {
  const pieces = turns
    .flatMap(({ pieces: own, isLast }) => own.map((piece) => ({ ...piece, isLast })))
    .sort((a, b) => a.reading.place.sequence - b.reading.place.sequence);
  const each = (value: (piece: Piece & { readonly isLast: boolean }, i: number) => number): number[] =>
    pieces.flatMap((piece) => piece.tokens.map((_, i) => value(piece, i)));
  return {
    tokens: Int32Array.from(each(({ tokens }, i) => tokens[i]!)),
    positions: Int32Array.from(each(({ position }, i) => position + i)),
    sequences: Int32Array.from(each(({ reading }) => reading.place.sequence)),
    outputs: Uint8Array.from(each(({ tokens, isLast }, i) => (isLast && i === tokens.length - 1 ? 1 : 0))),
  };
}
