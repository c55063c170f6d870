/** Random chains of 2 to 6 stages against the same chain of llama.cpp's CPU samplers. */
import { afterAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { BACKENDS } from "./backends.js";
import type { Case } from "./check.js";
import { logitsSpecs } from "./logits.js";
import { checkAll } from "./property.js";
import type { Mode } from "./samplers.js";
import { CASES, SEED, STEPS } from "./settings.js";
import { chainStages } from "./stages.js";
import { printTallies, type Tally } from "./tally.js";

const tallies = new Map<string, Tally>();
afterAll(() => printTallies(`parity of chains with llama.cpp, seed ${SEED}`, tallies));

const casesIn = (mode: Mode): fc.Arbitrary<Case> =>
  fc.record({ stages: chainStages, logits: logitsSpecs(), mode: fc.constant(mode) });

const pairs = (["constant", "uniform"] as const).flatMap((mode) => BACKENDS.map((backend) => [mode, backend] as const));

test.each(pairs)("chains with %s arguments on %s", (mode, backend) => {
  const tally = checkAll(casesIn(mode), Math.ceil(CASES / 2), backend, STEPS);
  tallies.set(`${mode}/${backend}`, tally);
  expect(tally.mismatches).toEqual([]);
  expect(tally.atBoundary + tally.overflows).toBeLessThanOrEqual(Math.max(3, 0.1 * tally.cases));
});
