/** Random programs over wide columns: the CPU's passes (native/graph/fused) give what its ops give one by one. */
import { expect, test } from "@jest/globals";
import { printTally, runCases, type Tally } from "./run.js";
import { wideCases } from "./cases.js";
import { SEED, SKIPPED, WIDE_COUNT } from "./settings.js";

/** Largest share of programs that differ by rounding: passes add in another order. */
const MOST_ROUNDED = 0.05;
const FEW = 3;

const print = (tally: Tally): void => printTally(`seed ${SEED}, passes and ops`, tally);

test(
  "passes agree with ops",
  () => {
    const tally = runCases({
      backends: ["ops", "passes"],
      builds: [],
      comparesMeaning: false,
      cases: wideCases,
      count: WIDE_COUNT,
      skipped: SKIPPED,
      seed: SEED,
      onProgress: print,
    });
    print(tally);
    expect(tally.failures.slice(0, 3).join("\n\n")).toBe("");
    expect(tally.programs).toBe(WIDE_COUNT);
    // ties come in the same order
    expect(tally.tied).toBe(0);
    expect(tally.roundedPrograms).toBeLessThanOrEqual(FEW + MOST_ROUNDED * WIDE_COUNT);
  },
  60_000 + 2000 * WIDE_COUNT,
);
