/** The bytes of bodies that the server holds, by lane and together: from the first that comes until the request is answered. */
import type { Lane } from "../lanes/lane.js";
import { Refusal } from "../refusal.js";

export interface ByteLimits {
  /** Of all requests together. */
  readonly bodyBytes: number;
  /** Of those of a lane. */
  readonly laneBodyBytes: number;
}

/** A request whose body is held. */
export interface Holder {
  readonly lane: Lane;
  /** Ends the reading of its body; absent once it was read. */
  refuse?: ((refusal: Refusal) => void) | undefined;
}

/** Seconds after which a client tries again. */
const RETRY_AFTER = 1;

export class HeldBytes {
  #total = 0;
  readonly #holders = new Map<Holder, number>();
  readonly #lanes = new Map<Lane, number>();

  constructor(private readonly limits: ByteLimits) {}

  get total(): number {
    return this.#total;
  }

  /**
   * More bytes of a request. Refuses it if its lane has too many. If all have too many together, it refuses what is largest of the
   * bodies that are still read, of the lane with the most.
   */
  add(holder: Holder, bytes: number): void {
    const { bodyBytes, laneBodyBytes } = this.limits;
    if ((this.#lanes.get(holder.lane) ?? 0) + bytes > laneBodyBytes)
      return holder.refuse?.(
        new Refusal(
          "too_many_bytes",
          `the bodies of your requests that are not answered can have ${laneBodyBytes} bytes together`,
          { retryAfter: RETRY_AFTER },
        ),
      );
    this.#change(holder, bytes);
    while (this.#total > bodyBytes) {
      const largest = this.#largest();
      if (!largest) return;
      const { refuse } = largest;
      this.release(largest);
      refuse?.(
        new Refusal("server_full", `the bodies of requests that are not answered have ${bodyBytes} bytes together`, {
          retryAfter: RETRY_AFTER,
        }),
      );
    }
  }

  /** The request is over. */
  release(holder: Holder): void {
    holder.refuse = undefined;
    const held = this.#holders.get(holder);
    if (held === undefined) return;
    this.#change(holder, -held);
    this.#holders.delete(holder);
  }

  #change(holder: Holder, bytes: number): void {
    this.#total += bytes;
    this.#holders.set(holder, (this.#holders.get(holder) ?? 0) + bytes);
    const ofLane = (this.#lanes.get(holder.lane) ?? 0) + bytes;
    if (ofLane > 0) this.#lanes.set(holder.lane, ofLane);
    else this.#lanes.delete(holder.lane);
  }

  #largest(): Holder | undefined {
    let found: Holder | undefined;
    const before = (a: Holder, b: Holder): boolean =>
      this.#lanes.get(a.lane)! - this.#lanes.get(b.lane)! > 0 ||
      (a.lane === b.lane && this.#holders.get(a)! > this.#holders.get(b)!);
    for (const holder of this.#holders.keys()) if (holder.refuse && (!found || before(holder, found))) found = holder;
    return found;
  }
}
