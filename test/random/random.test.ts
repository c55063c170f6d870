/** Random programs, each compiled in several ways and run on several backends; all must agree. */
import { expect, test } from "@jest/globals";
import { BACKENDS } from "../parity/backends.js";
import { printTally, runCases, type Tally } from "./run.js";
import { COUNT, SEED, SKIPPED } from "./settings.js";

/** Largest shares of programs that differ by ties, by rounding, or exceed a limit of the compiler. */
const MOST_TIED = 0.25;
const MOST_ROUNDED = 0.03;
const MOST_REFUSED = 0.02;
/** Tolerance for chance when there are few programs. */
const FEW = 4;

const print = (tally: Tally): void => printTally(`seed ${SEED}, ${BACKENDS.join(" and ")}`, tally);

test(
  "all builds of a program agree on all backends",
  () => {
    const tally = runCases({ backends: BACKENDS, count: COUNT, skipped: SKIPPED, seed: SEED, onProgress: print });
    print(tally);
    expect(tally.failures.slice(0, 3).join("\n\n")).toBe("");
    expect(tally.programs).toBe(COUNT);
    expect(tally.tiedPrograms).toBeLessThanOrEqual(FEW + MOST_TIED * COUNT);
    expect(tally.roundedPrograms).toBeLessThanOrEqual(FEW + MOST_ROUNDED * COUNT);
    expect([...tally.refused.values()].reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(FEW + MOST_REFUSED * COUNT);
  },
  60_000 + 1000 * COUNT,
);
