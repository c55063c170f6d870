/** Counts what the compiler does, so that a program cannot make it work for long. */
import type { Limits } from "./limits.js";
import { exceeds, type CountedLimit } from "./message.js";

/** Thrown by a meter; the driver turns it into a diagnostic. */
export class LimitExceeded extends Error {
  constructor(
    readonly limit: CountedLimit,
    readonly allowed: number,
    /** Absent if it was not counted to the end. */
    readonly found?: number,
  ) {
    super(exceeds(limit, allowed, found));
  }
}

/**
 * The steps of one compilation. They are counted, not timed, so that a program exceeds its budget on every machine or on
 * none.
 */
export class Meter {
  /** Steps so far. */
  steps = 0;

  constructor(readonly limits: Limits) {}

  /** A meter that goes on from here by itself. */
  fork(): Meter {
    const fork = new Meter(this.limits);
    fork.steps = this.steps;
    return fork;
  }

  /** Throws `LimitExceeded` after the last step of the budget. */
  spend(steps: number): void {
    this.steps += steps;
    if (this.steps > this.limits.steps) throw new LimitExceeded("steps", this.limits.steps);
  }

  /** Throws `LimitExceeded` for more than the limit. */
  check(limit: CountedLimit, found: number): void {
    const allowed = this.limits[limit];
    if (found > allowed) throw new LimitExceeded(limit, allowed, found);
  }
}
