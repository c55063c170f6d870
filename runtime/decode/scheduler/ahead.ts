/** Texts that are written on before their next tokens are asked for: the context goes on by itself while a reader reads. */
import type { Ahead as NativeAhead, NativeContext, NativeError } from "../../backends/native/binding.js";
import { batchOf } from "./batch.js";
import { isOfOne } from "./feeding.js";
import { Later } from "./later.js";
import { append, type Place } from "./places.js";
import type { Turn } from "./prefill.js";
import type { Step } from "./step.js";

/** A text of a run. */
interface Text {
  readonly place: Place;
  readonly later: Later;
  /** The token that was picked last, which the model has not read. */
  token: number;
}

/** A batch, and those that follow without being asked for. */
export class Run {
  private readonly texts: readonly Text[];
  private hasFirst = false;

  constructor(
    private readonly context: NativeContext,
    private readonly turns: readonly Turn[],
    /** Of each turn in the order of `turns`, after the first batch. */
    private readonly onFirst: (turn: Turn, token: number, later: Later) => void,
    private readonly onDecode: () => void,
    /** Whether it ends before its time where a text of it is set, or is over for its reader. */
    private readonly endsEarly: boolean,
    /** What texts are told of an error. */
    private readonly toldOf: (error: unknown) => Error,
  ) {
    this.texts = turns.map(({ job }) => ({
      place: job.places.main,
      later: new Later((isAborted) => this.stopped(isAborted)),
      token: -1,
    }));
  }

  /** Rejects as `NativeContext.decode` for the first batch; later errors end the texts. */
  async write(): Promise<void> {
    const { context, turns } = this;
    try {
      await context.write!(batchOf(turns), aheadOf(turns), (tokens) => this.take(tokens));
    } catch (error) {
      if (!this.hasFirst) throw error;
      this.fail(error);
    }
    for (const { later } of this.texts) later.end();
  }

  /** Ends it after the present batch, because others wait. */
  pause(): void {
    this.context.pause!();
  }

  /** A batch that nobody waits for is aborted, if a text was; else what the model has read stays. */
  private stopped(isAborted: boolean): void {
    const isUnread = this.texts.every(({ later }) => later.isUnread);
    if (isUnread && isAborted) this.context.abort();
    else if (isUnread || this.endsEarly) this.pause();
  }

  private take(tokens: Int32Array): void {
    this.onDecode();
    this.texts.forEach((text, i) => {
      const token = tokens[i]!;
      if (token < 0) return;
      if (this.hasFirst) {
        append(text.place.tokens, [text.token]);
        text.later.push(token);
      } else this.onFirst(this.turns[i]!, token, text.later);
      text.token = token;
    });
    this.hasFirst = true;
  }

  /** What the memory holds of the batch that failed is not known. */
  private fail(error: unknown): void {
    for (const { place, later } of this.texts) {
      if (isKept(error)) this.context.remove(place.sequence, place.tokens.length);
      else {
        place.forget();
        later.end(this.toldOf(error));
      }
    }
  }
}

/** Whether what the sequences held before the batch is there; the text that caused it gets the error when it asks again. */
function isKept(error: unknown): boolean {
  const { code } = error as NativeError;
  return isOfOne(code) || code === "CONTEXT_FULL";
}

/** Whether all of a batch can be written on. */
export const canRun = (context: NativeContext, turns: readonly Turn[]): boolean =>
  context.write !== undefined &&
  turns.every(({ isLast, job: { step } }) => isLast && step.ahead !== undefined && step.ahead.most > 0);

function aheadOf(turns: readonly Turn[]): NativeAhead {
  const steps = turns.map(({ job: { step } }) => step as Step & { readonly ahead: NonNullable<Step["ahead"]> });
  const uniforms = steps.map(({ ahead }) => ahead.uniforms(ahead.most));
  const all = new Float32Array(uniforms.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const values of uniforms) {
    all.set(values, at);
    at += values.length;
  }
  return {
    sequences: Int32Array.from(turns, ({ job }) => job.places.main.sequence),
    most: Int32Array.from(steps, ({ ahead }) => ahead.most),
    counts: Int32Array.from(steps, (step) => step.uniforms.length),
    uniforms: all,
  };
}
