/** How long places are held: an estimate of when a client should try again. Times without a request do not count. */

/** Texts that the estimate is made from. */
const KEPT = 32;
/** Seconds that a client is told to wait. */
const LEAST = 1;
const MOST = 60;
/** Before any place was released. */
const UNKNOWN = 5;

export class Rate {
  /** Milliseconds. */
  readonly #held: number[] = [];

  /** A place was released, which was held for some milliseconds. */
  note(held: number): void {
    this.#held.push(held);
    if (this.#held.length > KEPT) this.#held.shift();
  }

  /** Whole seconds until so many texts will have been written in all places, if they take as long as the latest ones. */
  secondsFor(texts: number, places: number): number {
    const { length } = this.#held;
    if (length === 0) return UNKNOWN;
    const each = this.#held.reduce((sum, held) => sum + held, 0) / length / 1000;
    return Math.min(MOST, Math.max(LEAST, Math.ceil((each * texts) / places)));
  }
}
