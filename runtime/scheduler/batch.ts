/** What jobs add to a batch, as a batch. */
import type { Batch } from "../native/binding.js";
import type { Turn } from "./prefill.js";

/** An entry of `outputs` that asks for the model's own logits, too. */
const RAW = 2;

/** In the order of the sequences: llama.cpp rebuilds its graph if it changes. */
export function batchOf(turns: readonly Turn[]): Batch {
  const pieces = turns
    .flatMap(({ job, pieces: own, isLast }) => {
      const wanted = job.step.isRaw ? RAW : 1;
      return own.map((piece) => ({ ...piece, wanted: isLast ? wanted : 0 }));
    })
    .sort((a, b) => a.reading.place.sequence - b.reading.place.sequence);
  const each = (value: (piece: (typeof pieces)[number], i: number) => number): number[] =>
    pieces.flatMap((piece) => piece.tokens.map((_, i) => value(piece, i)));
  return {
    tokens: Int32Array.from(each(({ tokens }, i) => tokens[i]!)),
    positions: Int32Array.from(each(({ position }, i) => position + i)),
    sequences: Int32Array.from(each(({ reading }) => reading.place.sequence)),
    outputs: Uint8Array.from(
      each(({ reading, tokens, wanted }, i) => (i >= tokens.length - reading.rows ? wanted : 0)),
    ),
  };
}
