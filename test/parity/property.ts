/** Runs a property over random cases, counts the results, and shrinks the first failing case. */
import { expect } from "@jest/globals";
import * as fc from "fast-check";
import type { Backend } from "./backends.js";
import { checkCase, type Case } from "./check.js";
import { SEED } from "./settings.js";
import { stagesText } from "./stages.js";
import { newTally, type Tally } from "./tally.js";

export function runCase(c: Case, backend: Backend, tally: Tally): void {
  const found = checkCase(c, backend);
  for (const key of COUNTS) tally[key] += found[key];
  tally.worst = Math.max(tally.worst, found.worst);
  tally.mismatches.push(...found.mismatches.map((fault) => `${describe(c)} on ${backend}: ${fault}`));
}

const COUNTS = [
  ...(["cases", "tokens", "atBoundary", "withinRounding", "otherOrder"] as const),
  ...(["undefinedThere", "masked", "ended"] as const),
];

const describe = ({ stages, ...others }: Case): string => `${stagesText(stages)} ${JSON.stringify(others)}`;

/** Time limit for shrinking a failing case, in milliseconds. */
const SHRINKING = 15_000;

/** Counts all cases, also after a failure. */
export function checkAll(cases: fc.Arbitrary<Case>, numRuns: number, backend: Backend): Tally {
  const tally = newTally();
  fc.assert(
    fc.property(cases, (c) => runCase(c, backend, tally)),
    { seed: SEED, numRuns },
  );
  return tally;
}

/** Fails with the smallest failing case that shrinking finds, if `checkAll` failed. */
export function shrink(cases: fc.Arbitrary<Case>, numRuns: number, backend: Backend): void {
  const agrees = fc.property(cases, (c) => {
    const tally = newTally();
    runCase(c, backend, tally);
    expect(tally.mismatches).toEqual([]);
  });
  fc.assert(agrees, { seed: SEED, numRuns, plugins: [fc.interruptAfterTimeLimit(SHRINKING)] });
}
