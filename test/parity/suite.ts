/** A test of each sampler on each backend, and a table of the results. */
import { afterAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { BACKENDS } from "./backends.js";
import type { Case } from "./check.js";
import { contextSpecs } from "./context.js";
import { logitsSpecs } from "./logits.js";
import { checkAll, shrink } from "./property.js";
import type { Mode } from "./samplers.js";
import { CASES, casesOn, FEW_STEPS, SEED, STEPS } from "./settings.js";
import { stageOf, type Stage } from "./stages.js";
import { printTallies, type Tally } from "./tally.js";

/** Constants fold, so each set needs its own graph; uniforms share one. */
const modes = fc.oneof(
  { weight: 7, arbitrary: fc.constant<Mode>("uniform") },
  { weight: 1, arbitrary: fc.constant<Mode>("constant") },
);

export const stepCounts = fc.oneof(
  { weight: 15, arbitrary: fc.constant(FEW_STEPS) },
  { weight: 1, arbitrary: fc.constant(STEPS) },
);

const casesOf = (stages: fc.Arbitrary<readonly Stage[]>): fc.Arbitrary<Case> =>
  fc.record({ stages, logits: logitsSpecs(), context: contextSpecs, mode: modes, steps: stepCounts });

/** What a name compares: a sampler, or several as in `xtc dist`. */
export function testSamplers(title: string, names: readonly string[]): void {
  const tallies = new Map<string, Tally>();
  afterAll(() => printTallies(`parity with llama.cpp, ${title}, seed ${SEED}`, tallies));
  const pairs = names.flatMap((name) => BACKENDS.map((backend) => [name, backend] as const));
  test.each(pairs)("%s on %s", (name, backend) => {
    const stages = fc.tuple(...name.split(" ").map(stageOf));
    const [cases, count] = [casesOf(stages), casesOn(backend, CASES)];
    const tally = checkAll(cases, count, backend);
    tallies.set(`${name}/${backend}`, tally);
    if (tally.mismatches.length > 0) shrink(cases, count, backend);
    expect(tally.mismatches).toEqual([]);
    // a tolerance that most cases need proves nothing
    expect(tally.atBoundary + tally.withinRounding).toBeLessThanOrEqual(
      Math.max(3, 0.02 * (tally.cases + tally.tokens)),
    );
    expect(tally.undefinedThere).toBeLessThanOrEqual(0.25 * tally.cases);
    expect(tally.masked).toBeLessThanOrEqual(Math.max(3, 0.02 * tally.cases));
  });
}
