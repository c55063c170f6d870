/** Random chains of 2 to 6 stages against the same chain of llama.cpp's CPU samplers. */
import { afterAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { BACKENDS } from "./backends.js";
import type { Case } from "./check.js";
import { contextSpecs } from "./context.js";
import { logitsSpecs } from "./logits.js";
import { checkAll, shrink } from "./property.js";
import type { Mode } from "./samplers.js";
import { CASES, casesOn, SEED } from "./settings.js";
import { chainStages } from "./stages.js";
import { stepCounts } from "./suite.js";
import { printTallies, type Tally } from "./tally.js";

const tallies = new Map<string, Tally>();
afterAll(() => printTallies(`parity of chains with llama.cpp, seed ${SEED}`, tallies));

const casesIn = (mode: Mode): fc.Arbitrary<Case> =>
  fc.record({
    stages: chainStages,
    logits: logitsSpecs(),
    context: contextSpecs,
    mode: fc.constant(mode),
    steps: stepCounts,
  });

const pairs = (["constant", "uniform"] as const).flatMap((mode) => BACKENDS.map((backend) => [mode, backend] as const));

/** Each chain is compiled, which takes longer than its run. */
const SHARE = 2;

test.each(pairs)("chains with %s arguments on %s", (mode, backend) => {
  const [cases, count] = [casesIn(mode), casesOn(backend, Math.ceil(CASES / SHARE))];
  const tally = checkAll(cases, count, backend);
  tallies.set(`${mode}/${backend}`, tally);
  if (tally.mismatches.length > 0) shrink(cases, count, backend);
  expect(tally.mismatches).toEqual([]);
  expect(tally.atBoundary + tally.withinRounding).toBeLessThanOrEqual(Math.max(3, 0.02 * (tally.cases + tally.tokens)));
  expect(tally.undefinedThere + tally.masked).toBeLessThanOrEqual(0.4 * tally.cases);
});
