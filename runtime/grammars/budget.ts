/**
 * What it costs to read a source, in steps: about one for each part that is looked at, and each rule and character that is made. The
 * same source is refused on every machine, before it has taken time or memory.
 */
import { InputError } from "../core/errors.js";
import { GRAMMAR_LIMITS } from "./limits.js";

/** What is left for the source that is read: reading is never interrupted, so that there is one at most. */
let left: number | undefined;
let name = "";

/** Counts steps of the source that is read. Throws `InputError` beyond the limit. */
export function spend(steps = 1): void {
  if (left === undefined || (left -= steps) >= 0) return;
  throw new InputError(
    `${name} exceeds a limit: its grammar takes more than ${GRAMMAR_LIMITS.steps} steps to write: use fewer or simpler parts, without counts of many of them`,
    { code: "LIMIT_EXCEEDED" },
  );
}

/**
 * Reads a source within the limit. Throws `InputError` beyond it.
 * @param what what messages call the source
 */
export function budgeted<T>(what: string, read: () => T): T {
  const before = { left, name };
  [left, name] = [GRAMMAR_LIMITS.steps, what];
  try {
    return read();
  } catch (error) {
    // less stack than steps: this thread has a small one, or is deep in another call
    if (error instanceof RangeError)
      throw new InputError(`${what} exceeds a limit: it is nested too deeply`, {
        code: "LIMIT_EXCEEDED",
        cause: error,
      });
    throw error;
  } finally {
    ({ left, name } = before);
  }
}

/** What is made once for all sources counts for none of them. */
export function uncounted<T>(make: () => T): T {
  const before = left;
  left = undefined;
  try {
    return make();
  } finally {
    left = before;
  }
}
