/** How fast places become free: an estimate of when a client should try again. */

/** Releases that the estimate is made from. */
const KEPT = 32;
/** Seconds that a client is told to wait. */
const LEAST = 1;
const MOST = 60;
/** Before any place was released. */
const UNKNOWN = 5;

export class Rate {
  /** Milliseconds. */
  readonly #times: number[] = [];

  /** A place was released. */
  note(now: number): void {
    this.#times.push(now);
    if (this.#times.length > KEPT) this.#times.shift();
  }

  /** Whole seconds until so many places will have been released, if it goes on as it did. */
  secondsFor(count: number, now: number): number {
    const [first] = this.#times;
    if (first === undefined) return UNKNOWN;
    const each = (now - first) / 1000 / this.#times.length;
    return Math.min(MOST, Math.max(LEAST, Math.ceil(each * count)));
  }
}
