/** Steps on their way through the model: each sequence of a step reads its tokens in one batch or several. */
import { InputError } from "../../core/errors.js";
import type { NativeContext, NativeGraph } from "../../backends/native/binding.js";
import { append, type Place, type Places } from "./places.js";
import { sharedLength } from "./prefix.js";
import { rowsOf, type Part, type Rows, type Step } from "./step.js";

/** What a sequence reads in a step. */
export class Reading {
  private tokens: ArrayLike<number>;
  private position: number;
  /** Its place holds the beginning of its text and nothing else. */
  isBegun = false;
  /** Another sequence reads the same: its first `length` tokens are copied once they are read. */
  waitsFor: { readonly source: Reading; length: number } | undefined;
  /** Another one reads the whole text, and its logits are those of this one, too: it reads nothing. */
  follows: Reading | undefined;
  /** The step has its output, or will never have one. */
  isOver = false;
  /** Tokens that were computed for it. */
  computed = 0;

  constructor(
    readonly place: Place,
    { tokens, position }: Part,
    /** How many of its last tokens have outputs; they are part of one batch. */
    readonly rows: number,
    /** It is the one of its step, which asks for one output, without the model's own logits. */
    readonly isAlone = false,
  ) {
    this.tokens = tokens;
    this.position = position;
  }

  /** The whole text, if it is read from its beginning. */
  get text(): ArrayLike<number> | undefined {
    return this.position === 0 ? this.tokens : undefined;
  }

  /** The length of the text after the step. */
  get length(): number {
    return this.position + this.tokens.length;
  }

  /** Tokens of the text that its place holds. */
  get read(): number {
    return this.place.tokens.length;
  }

  /** Tokens that are left; the last ones are computed in any case, because their logits are wanted. */
  get rest(): number {
    return this.length - this.read;
  }

  /** Whether more is left than the tokens with outputs. */
  get isBehind(): boolean {
    return !this.follows && this.rest > this.rows;
  }

  /** The tokens of the text that the place holds anyway. */
  get held(): number {
    const { position, place, tokens } = this;
    if (place.tokens.length <= position) return position + Math.min(0, tokens.length - this.rows);
    const after = position === 0 ? place.tokens : place.tokens.slice(position);
    return position + Math.min(sharedLength(after, tokens), tokens.length - this.rows);
  }

  /**
   * Cuts its place to the first `length` tokens, and reads from there on. Where a part cannot be removed, it reads the whole text
   * again.
   */
  begin(context: NativeContext, length: number): void {
    this.isBegun = true;
    if (length === this.read && length >= this.position) return;
    const before = this.place.tokens.slice(0, this.position);
    if (before.length < this.position)
      throw new InputError("the tokens of this sequence were lost when a batch failed", { code: "COMPUTE_FAILED" });
    this.place.cut(context, length);
    if (this.read >= this.position) return;
    this.tokens = [...before, ...Array.from(this.tokens)];
    this.position = 0;
  }

  /** Its place will hold what the place of the one that it follows holds. */
  takeOver(): void {
    const { tokens } = this.place;
    tokens.length = 0;
    append(tokens, this.follows!.place.tokens);
  }

  /** It reads its text itself, or follows another one. */
  leave(): void {
    if (!this.follows) return;
    this.follows = undefined;
    this.place.forget();
  }

  /** The next `count` tokens. */
  next(count: number): number[] {
    const from = this.read - this.position;
    const next: number[] = [];
    for (let i = from; i < from + count; i++) next.push(this.tokens[i]!);
    return next;
  }
}

/** A step that waits for its output. */
export interface Job {
  step: Step;
  readonly places: Places;
  readonly chain: NativeGraph;
  /** What the chain takes for an output, in rows; 0 where it does not count. */
  readonly work: number;
  /** Whose text it is. */
  readonly lane: string;
  /** The reading of its sequence, then those of its guides. */
  readings: readonly Reading[];
  isPrepared: boolean;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

export function readingsOf({ main, guides }: Places, step: Step): Reading[] {
  const { length } = rowsOf(step);
  const isAlone = length === 1 && guides.length === 0 && !step.isRaw;
  return [
    new Reading(main, step, length, isAlone),
    ...guides.map(({ place }, i) => new Reading(place, step.guides![i]!, length)),
  ];
}
