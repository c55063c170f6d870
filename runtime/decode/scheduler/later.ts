import type { Written } from "./written.js";

/** The tokens of a text after the one that was asked for, in turn. */
export class Later {
  private tokens: Written[] = [];
  private wake: (() => void) | undefined;
  private error: Error | undefined;
  private isOver = false;
  private isPaused = false;
  /** Nobody will read more of it. */
  isUnread = false;

  /**
   * @param onStop called when nobody will read more, with whether the text was aborted
   * @param onTake called for each token that is read
   * @param onWait called where the reader waits for a token
   * @param onPause called where the text is better asked for its next tokens
   */
  constructor(
    private readonly onStop: (isAborted: boolean) => void,
    private readonly onTake: () => void,
    private readonly onWait: () => void,
    private readonly onPause: () => void,
  ) {}

  /** The next token where it is there. */
  take(): Written | undefined {
    const token = this.tokens.shift();
    if (token) this.onTake();
    return token;
  }

  /** Whether more tokens may come. */
  get isOpen(): boolean {
    return !this.isOver;
  }

  /** No more tokens are computed than are on their way, where no other text goes on with this one. */
  pause(): void {
    if (this.isOver || this.isPaused) return;
    this.isPaused = true;
    this.onPause();
  }

  /** Calls once when a token has come, or when no more come. */
  onChange(wake: () => void): void {
    this.wake = wake;
    this.onWait();
  }

  /** Whether the reader waits for a token. */
  get isAwaited(): boolean {
    return this.wake !== undefined;
  }

  /** The next token; undefined where it was not computed. */
  async next(): Promise<Written | undefined> {
    while (this.tokens.length === 0 && !this.isOver) await new Promise<void>((resolve) => this.onChange(resolve));
    const token = this.take();
    if (token === undefined && this.error !== undefined) throw this.error;
    return token;
  }

  push(token: Written): void {
    this.tokens.push(token);
    this.changed();
  }

  /** No more tokens come. */
  end(error?: Error): void {
    this.isOver = true;
    this.error ??= error;
    this.changed();
  }

  /** Nobody will read more; with an error, who waits for a token gets it. */
  stop(error?: Error): void {
    if (this.isUnread) return;
    this.isUnread = true;
    const wasOver = this.isOver;
    this.tokens = [];
    this.end(error);
    if (!wasOver) this.onStop(error !== undefined);
  }

  private changed(): void {
    const { wake } = this;
    this.wake = undefined;
    wake?.();
  }
}
