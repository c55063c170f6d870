/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A host tail and what it was at earlier tokens, to take tokens back. llama.cpp's samplers cannot go back, so the tail is copied at
 * every 32nd token; after such a copy it picks from the same rows again, which gives it the same random numbers and states.
 */
import type { Graph, TailStage } from "@ggsl/compiler/graph/graph.js";
import { InputError, invalid } from "../core/errors.js";
import type { SavedSequence } from "./savedSequence.js";
import { packedRows, remembersRows, unpackedRows, valuesOf, type SavedTail } from "./savedTail.js";
import { openTail, type Rows, type Tail, type TailModel, type TailRows } from "./tail.js";

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

/**
 * The tail of a graph after a prompt; undefined for a graph without one.
 * @param stages settled
 * @param resume what the last tokens of the prompt continued
 */
export function openTailLine(
  graph: Graph,
  stages: readonly TailStage[],
  prompt: Int32Array,
  model: TailModel,
  resume: SavedSequence | undefined,
): TailLine | undefined {
  const count = resume?.step ?? 0;
  if (stages.length > 0 && count > prompt.length)
    throw invalid(
      `the saved sequence has ${count} generated tokens, and the prompt ${prompt.length}: give the saved tokens as the prompt`,
    );
  const tail = openTail(stages, new Map(), model);
  if (!tail) return undefined;
  const line = new TailLine(tail, graph, stages);
  try {
    tail.acceptPrompt(prompt.subarray(0, prompt.length - count));
    line.replay(prompt.subarray(prompt.length - count), resume?.tail?.rows ?? []);
    return line;
  } catch (error) {
    line[Symbol.dispose]();
    throw error;
  }
}

export class TailLine implements Disposable {
  /** Tokens before it; the chunks have those of a saved tail that remembers rows. */
  private before = 0;
  /** The fewest tokens, with those before, that it can go back to. */
  private forgotten = 0;
  private count = 0;
  private chunks: Chunk[] = [];
  private rows: Rows = {};

  /** @param tail after the prompt; it belongs to the line */
  constructor(
    private tail: Tail,
    private readonly graph: Graph,
    private readonly stages: readonly TailStage[],
  ) {}

  /** The fewest tokens that it can go back to. */
  get least(): number {
    return Math.max(0, this.forgotten - this.before);
  }

  /** Goes through generated tokens of a saved sequence, with their rows if the tail remembers them. */
  replay(tokens: Int32Array, rows: readonly string[]): void {
    if (remembersRows(this.stages)) {
      tokens.forEach((token, i) => {
        this.pick(unpackedRows(rows[i]!));
        this.accept(token);
      });
      this.before = tokens.length;
      return;
    }
    // one random number of `dist`, however many rows there were
    for (const token of tokens) {
      this.tail.apply({ candidates: Int32Array.of(token), logits: Float32Array.of(0) });
      this.tail.accept(token);
    }
  }

  /**
   * After the first tokens, also when it is disposed.
   * @throws InputError if rows that it would need are forgotten
   */
  saved(count: number): SavedTail {
    const values = valuesOf(this.graph, this.stages);
    if (!remembersRows(this.stages)) return { values };
    if (this.forgotten > 0)
      throw new InputError(
        `a saved sequence has the rows of each token for the host tail of this chain, and they are more than ${MAX_BYTES} bytes: keep fewer rows before the host tail, as with \`top_k(100)\`, or use the samplers of std in its place`,
        { code: "LIMIT_EXCEEDED" },
      );
    const steps = this.chunks.flatMap((chunk) => chunk.steps).slice(0, this.before + count);
    return { values, rows: steps.map(({ rows }) => packedRows(rows)) };
  }

  /** Picks from rows; throws as `Tail.pick` does. */
  pick(rows: Rows): TailRows {
    if (this.forgotten + this.chunks.length * EVERY === this.count) this.copy();
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

  /** Takes all tokens after the first ones back; at least `least`. */
  rewind(left: number): void {
    const count = this.before + left;
    if (count === this.count) return;
    const index = Math.floor((count - this.forgotten) / EVERY);
    const chunk = this.chunks[index]!;
    for (const later of this.chunks.splice(index + 1)) later.tail[Symbol.dispose]();
    this.tail[Symbol.dispose]();
    this.tail = chunk.tail.clone();
    const steps = chunk.steps.splice(0);
    chunk.bytes = COPY_BYTES;
    this.count = this.forgotten + index * EVERY;
    for (const { rows, token } of steps.slice(0, count - this.count)) {
      this.pick(rows);
      this.accept(token);
    }
  }

  [Symbol.dispose](): void {
    this.tail[Symbol.dispose]();
    for (const { tail } of this.chunks) tail[Symbol.dispose]();
  }

  private copy(): void {
    this.chunks.push({ tail: this.tail.clone(), steps: [], bytes: COPY_BYTES });
    let total = this.chunks.reduce((sum, { bytes }) => sum + bytes, 0);
    while (total > MAX_BYTES) {
      const first = this.chunks.shift()!;
      first.tail[Symbol.dispose]();
      total -= first.bytes;
      this.forgotten += EVERY;
    }
  }
}

const bytesOf = ({ candidates, logits }: Rows): number => (candidates?.byteLength ?? 0) + (logits?.byteLength ?? 0);
