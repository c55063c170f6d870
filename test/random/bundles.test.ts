/** Random programs: bundles of small ops (native/graph/bundles) give the bits that the ops give one by one. */
import { expect, test } from "@jest/globals";
import { printTally, runCases, type Tally } from "./run.js";
import { wideCases } from "./cases.js";
import { COUNT, SEED, SKIPPED, WIDE_COUNT } from "./settings.js";

const print = (tally: Tally): void => printTally(`seed ${SEED}, bundles and ops`, tally);

test.each([
  ["over a few rows and over many", { count: COUNT }],
  ["over wide columns", { count: WIDE_COUNT, cases: wideCases }],
])(
  "bundles agree with ops %s",
  (_, options) => {
    const tally = runCases({
      backends: ["ops", "bundles"],
      builds: [],
      comparesMeaning: false,
      skipped: SKIPPED,
      seed: SEED,
      onProgress: print,
      ...options,
    });
    print(tally);
    expect(tally.failures.slice(0, 3).join("\n\n")).toBe("");
    expect(tally.programs).toBe(options.count);
    expect([tally.tied, tally.rounded]).toEqual([0, 0]);
  },
  120_000 + 2000 * COUNT,
);
