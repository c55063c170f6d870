/** Texts that are written on before their next tokens are asked for: the context goes on by itself while a reader reads. */
import type { Ahead, NativeContext, NativeError } from "../../backends/native/binding.js";
import { batchOf } from "./batch.js";
import { isOfOne } from "./feeding.js";
import { Later } from "./later.js";
import { append, type Place } from "./places.js";
import type { Turn } from "./prefill.js";
import { readCount, readWritten, type Written } from "./written.js";

/**
 * Tokens that texts go on by themselves, unless they say how many. All have them before another text joins, so that it waits for few where
 * one does; what is decoded together then depends on the texts alone, and not on time.
 */
export const GROUP = { large: 16, small: 4 } as const;

/** A text of a run. */
interface Text {
  readonly place: Place;
  readonly later: Later;
  /** The latest token, which the model has not read; undefined before the first. */
  token: number | undefined;
}

/** A batch, and those that follow without being asked for. */
export class Run {
  private readonly texts: readonly Text[];
  private hasFirst = false;
  /** Of a text that is alone: tokens that were read, and for which no others are computed yet. */
  private isAlone = false;
  private read = 0;
  private most = 0;

  constructor(
    private readonly context: NativeContext,
    private readonly turns: readonly Turn[],
    /** Of each turn in the order of `turns`, after the first batch. */
    private readonly onFirst: (turn: Turn, first: Written, later: Later) => void,
    /** Called after each batch, with its texts. */
    private readonly onDecode: (texts: number) => void,
    /** Whether it ends before its time where a text of it is set, or is over for its reader. */
    private readonly endsEarly: boolean,
    /** What texts are told of an error. */
    private readonly toldOf: (error: unknown) => Error,
  ) {
    this.texts = turns.map(({ job }) => ({
      place: job.places.main,
      later: new Later(
        (isAborted) => this.stopped(isAborted),
        () => this.taken(),
        () => this.isAlone && this.pause(),
      ),
      token: undefined,
    }));
  }

  /**
   * Rejects as `NativeContext.decode` for the first batch; later errors end the texts.
   * @param group how many tokens more the texts have that do not say
   * @param isAlone nobody can join: the text goes on as it is read
   */
  async write(group: number, isAlone: boolean): Promise<void> {
    const { context, turns } = this;
    const ahead = aheadOf(turns, group, isAlone);
    this.isAlone = isAlone;
    this.most = ahead.most[0]!;
    try {
      await context.write!(batchOf(turns), ahead, (words, text) => this.take(words, text));
    } catch (error) {
      if (!this.hasFirst) throw error;
      this.fail(error);
    }
  }

  /** No more tokens come of it. */
  end(): void {
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

  /** Half of what it may be ahead is computed at once: the thread of decodes is not called for each token. */
  private taken(): void {
    if (!this.isAlone || ++this.read < this.most / 2) return;
    this.context.allow!(this.read);
    this.read = 0;
  }

  private take(words: Int32Array, text: string): void {
    this.hasFirst = true;
    const count = readCount(words);
    if (count > 0) this.onDecode(count);
    readWritten(words, text, (place, written) => this.add(place, written));
  }

  private add(place: number, written: Written): void {
    const text = this.texts[place]!;
    if (text.token === undefined) this.onFirst(this.turns[place]!, written, text.later);
    else {
      if (written.isRead) append(text.place.tokens, [text.token]);
      text.later.push(written);
    }
    text.token = written.token;
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
export const canRun = (turns: readonly Turn[]): boolean =>
  turns.every(({ isLast, job: { step } }) => isLast && step.text !== undefined && step.ahead !== 0);

const aheadOf = (turns: readonly Turn[], group: number, isAlone: boolean): Ahead => ({
  sequences: Int32Array.from(turns, ({ job }) => job.places.main.sequence),
  most: Int32Array.from(turns, ({ job }) => Math.min(job.step.ahead ?? group, job.step.room ?? 0)),
  ...(isAlone && { room: Int32Array.from(turns, ({ job }) => job.step.room ?? 0) }),
  texts: turns.map(({ job }) => job.step.text!),
});
