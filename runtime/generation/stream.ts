/** The pieces of a generation for its reader. Those that come without being asked for take one promise each. */
import type { Piece } from "./pieces.js";

/** What writes pieces. */
interface Source {
  /** The next piece where it is there. */
  take(): Piece | undefined;
  /** Whether pieces come without being asked for. */
  readonly isAhead: boolean;
  /** Calls when one may have come, or when no more come so. */
  onChange(wake: () => void): void;
}

type Result = IteratorResult<Piece, void>;

/** Like the generator, whose calls wait for each other. */
export class PieceStream implements AsyncIterableIterator<Piece, void, void> {
  /** Calls of the generator that are not settled. */
  private asked = 0;
  /** The call that waits for a piece that comes by itself. */
  private waiting: Promise<Result> | undefined;

  /**
   * @param generator asks for pieces that do not come by themselves
   * @param source undefined before the first piece
   */
  constructor(
    private readonly generator: AsyncGenerator<Piece, void, void>,
    private readonly source: () => Source | undefined,
  ) {}

  next(): Promise<Result> {
    if (this.waiting) return this.after(() => this.next());
    const source = this.asked === 0 ? this.source() : undefined;
    const value = source?.take();
    if (value) return Promise.resolve({ done: false, value });
    return source?.isAhead ? this.wait(source) : this.ask();
  }

  return(): Promise<Result> {
    return this.after(() => this.generator.return());
  }

  throw(error: unknown): Promise<Result> {
    return this.after(() => this.generator.throw(error));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private wait(source: Source): Promise<Result> {
    this.waiting = new Promise((resolve) => {
      const look = (): void => {
        const value = source.take();
        if (!value && source.isAhead) return source.onChange(look);
        this.waiting = undefined;
        resolve(value ? { done: false, value } : this.ask());
      };
      source.onChange(look);
    });
    return this.waiting;
  }

  private ask(): Promise<Result> {
    this.asked++;
    const settled = (): void => void this.asked--;
    const result = this.generator.next();
    result.then(settled, settled);
    return result;
  }

  private after(call: () => Promise<Result>): Promise<Result> {
    return this.waiting ? this.waiting.then(call, call) : call();
  }
}
