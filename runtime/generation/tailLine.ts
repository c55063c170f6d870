/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A host tail and what it was at earlier tokens, to take tokens back. llama.cpp's samplers cannot go back, so the tail is copied at
 * every 32nd token; after such a copy it picks from the same rows again, which gives it the same random numbers and states.
 */
import type { Rows, Tail, TailRows } from "../tail.js";

const EVERY = 32;
/** The most bytes of rows and copies that are kept; the earliest are forgotten. */
const MAX_BYTES = 2 ** 26;
/** What a copy is counted as. */
const COPY_BYTES = 2 ** 16;

/** 32 tokens. */
interface Chunk {
  /** Before the first of them. */
  readonly tail: Tail;
  readonly steps: { readonly rows: Rows; readonly token: number }[];
  bytes: number;
}

export class TailLine implements Disposable {
  /** The fewest tokens that it can go back to. */
  least = 0;
  private count = 0;
  private chunks: Chunk[] = [];
  private rows: Rows = {};

  /** @param tail after the prompt; it belongs to the line */
  constructor(private tail: Tail) {}

  /** Picks from rows; throws as `Tail.pick` does. */
  pick(rows: Rows): TailRows {
    if (this.least + this.chunks.length * EVERY === this.count) this.copy();
    this.rows = { candidates: rows.candidates, logits: rows.logits };
    return this.tail.pick(rows);
  }

  /** Accepts a token after the latest pick. */
  accept(token: number): void {
    this.tail.accept(token);
    const chunk = this.chunks.at(-1)!;
    chunk.steps.push({ rows: this.rows, token });
    chunk.bytes += bytesOf(this.rows);
    this.count++;
  }

  /** Takes all tokens after the first `count` back; at least `least`. */
  rewind(count: number): void {
    if (count === this.count) return;
    const index = Math.floor((count - this.least) / EVERY);
    const chunk = this.chunks[index]!;
    for (const later of this.chunks.splice(index + 1)) later.tail[Symbol.dispose]();
    this.tail[Symbol.dispose]();
    this.tail = chunk.tail.clone();
    const steps = chunk.steps.splice(0);
    chunk.bytes = COPY_BYTES;
    this.count = this.least + index * EVERY;
    for (const { rows, token } of steps.slice(0, count - this.count)) {
      this.pick(rows);
      this.accept(token);
    }
  }

  [Symbol.dispose](): void {
    this.tail[Symbol.dispose]();
    for (const { tail } of this.chunks.splice(0)) tail[Symbol.dispose]();
  }

  private copy(): void {
    this.chunks.push({ tail: this.tail.clone(), steps: [], bytes: COPY_BYTES });
    let total = this.chunks.reduce((sum, { bytes }) => sum + bytes, 0);
    while (total > MAX_BYTES) {
      const first = this.chunks.shift()!;
      first.tail[Symbol.dispose]();
      total -= first.bytes;
      this.least += EVERY;
    }
  }
}

const bytesOf = ({ candidates, logits }: Rows): number => (candidates?.byteLength ?? 0) + (logits?.byteLength ?? 0);
