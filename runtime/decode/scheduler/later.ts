/** A token that was computed before it was asked for. */
export interface Written {
  readonly token: number;
  /** The next values of the states, the measures, the stops. */
  readonly scalars: Float32Array;
  /** The chain was not asked, because its grammar allowed no other. */
  readonly isForced: boolean;
  /** A grammar that was asked does not allow it. */
  readonly isRefused: boolean;
  /** The model has read the tokens before it. */
  readonly isRead: boolean;
}

/** The tokens of a text after the one that was asked for, in turn. */
export class Later {
  private tokens: Written[] = [];
  private wake: (() => void) | undefined;
  private error: Error | undefined;
  private isOver = false;
  /** Nobody will read more of it. */
  isUnread = false;

  /** @param onStop called when nobody will read more, with whether the text was aborted */
  constructor(private readonly onStop: (isAborted: boolean) => void) {}

  /** The next token; undefined where it was not computed. */
  async next(): Promise<Written | undefined> {
    while (this.tokens.length === 0 && !this.isOver) await new Promise<void>((resolve) => (this.wake = resolve));
    const token = this.tokens.shift();
    if (token === undefined && this.error !== undefined) throw this.error;
    return token;
  }

  push(token: Written): void {
    this.tokens.push(token);
    this.wake?.();
  }

  /** No more tokens come. */
  end(error?: Error): void {
    this.isOver = true;
    this.error ??= error;
    this.wake?.();
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
}
