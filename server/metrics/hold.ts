/** How long the event loop stands still: while it does, nothing of the server is answered. */
import { guarded } from "../guarded.js";

/** Milliseconds between two looks; shorter holds are not seen. */
const EVERY = 10;

/** `monitorEventLoopDelay` of Node.js does not see a hold right after its numbers are reset. */
export class Hold implements Disposable {
  #last = performance.now();
  /** Milliseconds. */
  #most = 0;
  readonly #timer = setInterval(
    guarded("look at the event loop", () => this.#look()),
    EVERY,
  ).unref();

  /** Seconds of the longest hold since the last call. */
  longest(): number {
    this.#look();
    const most = this.#most;
    this.#most = 0;
    return most / 1000;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    this.#most = Math.max(this.#most, now - this.#last - EVERY);
    this.#last = now;
  }
}
