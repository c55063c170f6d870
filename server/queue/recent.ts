/** What lanes had lately: places are kept for them, so that a lane that writes text after text need not wait for those of another one. */
import type { Lane } from "../lanes/lane.js";

interface Most {
  readonly texts: number;
  /** When it had so many last, in milliseconds. */
  readonly at: number;
}

/** Milliseconds for which a place is kept. */
const KEPT = 5000;
/** Of all places, while one is kept others wait: fewer than half. */
const mostOf = (places: number): number => Math.max(0, Math.floor(places / 2) - 1);

export class Recent {
  /** Those that were noted longest ago first. */
  readonly #lanes = new Map<Lane, Most>();

  constructor(
    private readonly places: number,
    private readonly now: () => number,
  ) {}

  /** A lane has so many texts at once. */
  note(lane: Lane, texts: number): void {
    const known = this.#lanes.get(lane);
    const at = this.now();
    if (known && texts < known.texts && at - known.at <= KEPT) return;
    this.#lanes.delete(lane);
    this.#lanes.set(lane, { texts, at });
  }

  /**
   * Places that a lane leaves free: for each other lane as many as it had lately more than now, up to its share of all, and for all
   * together fewer than half of them. A lane with less than its own share leaves none.
   */
  keptFrom(lane: Lane, textsOf: (lane: Lane) => number): number {
    this.#forget(textsOf);
    const share = Math.floor(this.places / Math.max(1, this.#lanes.size));
    // with more lanes than places none has a share
    if (share === 0 || textsOf(lane) < share) return 0;
    let kept = 0;
    for (const [other, { texts }] of this.#lanes)
      if (other !== lane) kept += Math.max(0, Math.min(texts, share) - textsOf(other));
    return Math.min(kept, mostOf(this.places));
  }

  #forget(textsOf: (lane: Lane) => number): void {
    const now = this.now();
    for (const [lane, { at }] of this.#lanes) {
      if (now - at <= KEPT) return;
      if (textsOf(lane) === 0) this.#lanes.delete(lane);
    }
  }
}
