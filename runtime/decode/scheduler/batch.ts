/** What jobs add to a batch, as a batch. */
import type { Batch, NativeGraph } from "../../backends/native/binding.js";
import { grouped } from "./grouped.js";
import type { Chunk, Turn } from "./prefill.js";

/** An entry of `outputs` that asks for the model's own logits, too. */
const RAW = 2;

interface Wanted {
  readonly chunk: Chunk;
  /** The entry of `outputs` for its last tokens, as many as the step has rows. */
  readonly output: number;
}

/**
 * In an order that only changes with the sequences, because llama.cpp rebuilds its graph if it changes. Sequences with the same chain
 * are together, so that their rows of the logits are, too.
 */
export function batchOf(turns: readonly Turn[]): Batch {
  const wanted: Wanted[] = [];
  let size = 0;
  for (const { job, chunks, isLast } of turns) {
    const output = isLast ? (job.step.isRaw ? RAW : 1) : 0;
    for (const chunk of chunks) {
      wanted.push({ chunk, output });
      size += chunk.tokens.length;
    }
  }
  const followers = turns.flatMap(
    ({
      job: {
        readings: [first],
      },
    }) => (first!.follows ? [first!.place.sequence, first!.follows.place.sequence] : []),
  );
  const batch = {
    ...(followers.length > 0 && { followers: Int32Array.from(followers) }),
    tokens: new Int32Array(size),
    positions: new Int32Array(size),
    sequences: new Int32Array(size),
    outputs: new Uint8Array(size),
  };
  let at = 0;
  for (const { chunk, output } of ordered(wanted)) {
    const { reading, position, tokens } = chunk;
    const { sequence } = reading.place;
    const first = tokens.length - reading.rows;
    for (let i = 0; i < tokens.length; i++, at++) {
      batch.tokens[at] = tokens[i]!;
      batch.positions[at] = position + i;
      batch.sequences[at] = sequence;
      batch.outputs[at] = i >= first ? output : 0;
    }
  }
  return batch;
}

/** The chunks by sequence, and those of one chain together: the chains in the order of their first sequences. */
function ordered(wanted: Wanted[]): readonly Wanted[] {
  wanted.sort((a, b) => a.chunk.reading.place.sequence - b.chunk.reading.place.sequence);
  const chainOf = ({ chunk }: Wanted): NativeGraph | undefined => chunk.reading.place.chain;
  const first = wanted[0] && chainOf(wanted[0]);
  if (wanted.every((one) => chainOf(one) === first)) return wanted;
  return [...grouped(wanted, chainOf).values()].flat();
}
