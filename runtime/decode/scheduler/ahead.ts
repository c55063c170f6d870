/** Texts that are written on before their next tokens are asked for: the context goes on by itself while a reader reads. */
import type { Ahead, Batch, DecodeOutput, NativeContext, NativeError } from "../../backends/native/binding.js";
import { isOfOne } from "./feeding.js";
import type { Line } from "./line.js";
import type { Turn } from "./prefill.js";
import { countIn, readWritten, timesIn, type Written } from "./written.js";

/**
 * Tokens that texts go on by themselves, unless they say how many. All have them before another text joins, so that it waits for few where
 * one does; what is decoded together then depends on the texts alone, and not on time. Nobody joins one that is `alone`: a reader that is held up
 * for some milliseconds does not stop it.
 */
export const GROUP = { alone: 48, large: 16, small: 4 } as const;

/**
 * Milliseconds that a token may wait for others before its reader gets it. Each call of this thread costs tens of microseconds, more than
 * a token.
 */
const DELAY = 8;

/** What a run tells. */
export interface RunEvents {
  /** The first token of a text. */
  readonly onFirst: (line: Line, first: Written) => void;
  /** Gets the milliseconds of each batch, and about how many texts had a token in it. */
  readonly onDecode: ((milliseconds: number, texts: number) => void) | undefined;
  /** Whether it ends before its time where a text of it is set, or is over for its reader. */
  readonly endsEarly: boolean;
  /** What texts are told of an error. */
  readonly toldOf: (error: unknown) => Error;
}

/** A batch, and those that follow without being asked for. */
export class Run {
  private hasFirst = false;
  /** Of a text that is alone: tokens that were read, and for which no others are computed yet. */
  private isAlone = false;
  private read = 0;
  private most = 0;

  constructor(
    private readonly context: NativeContext,
    private readonly lines: readonly Line[],
    private readonly events: RunEvents,
  ) {}

  /**
   * Resolves to the outputs of the first batch that are of no line. Rejects as `NativeContext.decode` for the first batch; later errors end
   * the texts.
   * @param batch the tokens of lines without one, and of others
   * @param group how many tokens more the texts have that do not say; 0: there is one batch
   * @param isAlone nobody can join: the text goes on as it is read
   */
  async write(batch: Batch, group: number, isAlone: boolean): Promise<readonly DecodeOutput[]> {
    const { context, lines } = this;
    const ahead = aheadOf(lines, group, isAlone);
    this.isAlone = isAlone;
    this.most = ahead.most[0]!;
    // the first token of a run is none of those that it may be ahead
    this.read = lines[0]!.token === undefined ? 0 : -1;
    for (const line of lines) line.begin(this);
    try {
      return await context.write!(batch, ahead, (words, text) => this.take(words, text));
    } catch (error) {
      this.fail(error);
      if (!this.hasFirst) throw error;
      return [];
    } finally {
      for (const line of lines) line.run = undefined;
    }
  }

  /** Ends it after the present batch, because others wait. */
  pause(): void {
    this.context.pause!();
  }

  /** A text is better asked for its next tokens. */
  paused(): void {
    if (this.isAlone) this.pause();
  }

  /** A batch that nobody waits for is aborted, if a text was; else what the model has read stays. */
  stopped(isAborted: boolean): void {
    const isUnread = this.lines.every(({ later }) => later.isUnread);
    if (isUnread && isAborted) this.context.abort();
    else if (isUnread || this.events.endsEarly) this.pause();
  }

  /** Half of what it may be ahead is computed at once: the thread of decodes is not called for each token. */
  taken(): void {
    if (!this.isAlone || ++this.read < this.most / 2) return;
    this.context.allow!(this.read);
    this.read = 0;
  }

  private take(words: Int32Array, text: string): void {
    const { onDecode, onFirst } = this.events;
    this.hasFirst = true;
    if (onDecode) {
      const texts = Math.max(1, Math.round(countIn(words) / Math.max(1, words[0]!)));
      for (const milliseconds of timesIn(words)) onDecode(milliseconds, texts);
    }
    readWritten(words, text, (place, written) => {
      const line = this.lines[place]!;
      if (line.token === undefined) onFirst(line, written);
      line.accept(written);
    });
  }

  /** What the memory holds of the batch that failed is not known. A text without a token is told by who asked for it. */
  private fail(error: unknown): void {
    for (const { place, later, token } of this.lines) {
      if (token === undefined) continue;
      if (isKept(error)) this.context.remove(place.sequence, place.tokens.length);
      else {
        place.forget();
        later.end(this.events.toldOf(error));
      }
    }
  }
}

/** Whether what the sequences held before the batch is there; the text that caused it gets the error when it asks again. */
function isKept(error: unknown): boolean {
  const { code } = error as NativeError;
  return isOfOne(code) || code === "CONTEXT_FULL";
}

/** Whether the text can be written on. */
export const canRun = ({ isLast, job: { step } }: Turn): boolean =>
  isLast && step.text !== undefined && step.ahead !== 0;

const aheadOf = (lines: readonly Line[], group: number, isAlone: boolean): Ahead => ({
  sequences: Int32Array.from(lines, ({ place }) => place.sequence),
  most: Int32Array.from(lines, (line) => line.most(group)),
  ...(isAlone && { room: Int32Array.from(lines, ({ room }) => Math.max(0, room)) }),
  texts: lines.map(({ text }) => text),
  last: Int32Array.from(lines, ({ token }) => token ?? -1),
  positions: Int32Array.from(lines, ({ place }) => place.tokens.length),
  delay: DELAY,
});
