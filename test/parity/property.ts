/** Runs a property over random cases, counts what became of them, and shrinks the first case that fails. */
import { expect } from "@jest/globals";
import * as fc from "fast-check";
import type { Backend } from "./backends.js";
import { checkRows, checkTokens, type Case } from "./check.js";
import { SEED } from "./settings.js";
import { specOf, stagesText } from "./stages.js";
import { newTally, type Tally } from "./tally.js";

export function runCase(c: Case, backend: Backend, tally: Tally, steps: number): void {
  const found = newTally();
  const agreed = checkRows(c, backend, found);
  const pick = specOf(c.stages.at(-1)!).picks;
  if (agreed && pick) checkTokens(c, backend, found, agreed, pick === "sample" ? steps : 2);
  addTo(
    tally,
    found,
    (fault) => `${stagesText(c.stages)} as ${c.mode} on ${backend}, ${JSON.stringify(c.logits)}: ${fault}`,
  );
}

function addTo(tally: Tally, found: Tally, describe: (fault: string) => string): void {
  for (const key of ["cases", "tokens", "atBoundary", "withinRounding", "otherOrder", "overflows"] as const)
    tally[key] += found[key];
  tally.worst = Math.max(tally.worst, found.worst);
  tally.mismatches.push(...found.mismatches.map(describe));
}

/** How long a failing case is made smaller, in milliseconds. */
const SHRINKING = 15_000;

/** All cases are counted, also after one has failed. */
export function checkAll(cases: fc.Arbitrary<Case>, numRuns: number, backend: Backend, steps: number): Tally {
  const tally = newTally();
  fc.assert(
    fc.property(cases, (c) => runCase(c, backend, tally, steps)),
    { seed: SEED, numRuns },
  );
  if (tally.mismatches.length > 0) shrink(cases, numRuns, backend, steps);
  return tally;
}

function shrink(cases: fc.Arbitrary<Case>, numRuns: number, backend: Backend, steps: number): void {
  const agrees = fc.property(cases, (c) => {
    const tally = newTally();
    runCase(c, backend, tally, steps);
    expect(tally.mismatches).toEqual([]);
  });
  fc.assert(agrees, { seed: SEED, numRuns, interruptAfterTimeLimit: SHRINKING });
}
