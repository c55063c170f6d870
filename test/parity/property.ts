/** Runs a property over random cases, counts what became of them, and shrinks the first case that fails. */
import { expect } from "@jest/globals";
import * as fc from "fast-check";
import type { Backend } from "./backends.js";
import { checkRows, checkTokens, type Case } from "./check.js";
import { SEED } from "./settings.js";
import { specOf, stagesText } from "./stages.js";
import { newTally, type Tally } from "./tally.js";

export function runCase(c: Case, backend: Backend, tally: Tally, steps: number): void {
  const before = tally.mismatches.length;
  const agreed = checkRows(c, backend, tally);
  if (process.env["SHOW"] && tally.mismatches.length > before) tally.mismatches[before] = stagesText(c.stages) + " " + JSON.stringify(c.logits) + c.mode + ": " + tally.mismatches[before]!;
  const pick = specOf(c.stages.at(-1)!).picks;
  if (agreed && pick) checkTokens(c, backend, tally, agreed, pick === "sample" ? steps : 2);
}

/** All cases are counted, also after one has failed. */
export function checkAll(cases: fc.Arbitrary<Case>, numRuns: number, backend: Backend, steps: number): Tally {
  const tally = newTally();
  const property = (check: (c: Case) => void): void => fc.assert(fc.property(cases, check), { seed: SEED, numRuns });
  property((c) => runCase(c, backend, tally, steps));
  if (process.env["SHOW"]) process.stdout.write(tally.mismatches.slice(0, 12).join("\n") + "\n");
  if (tally.mismatches.length > 0) property((c) => expectAgreement(c, backend, steps));
  return tally;
}

function expectAgreement(c: Case, backend: Backend, steps: number): void {
  const tally = newTally();
  runCase(c, backend, tally, steps);
  const found = tally.mismatches.map((fault) => `${stagesText(c.stages)} as ${c.mode} on ${backend}: ${fault}`);
  expect(found).toEqual([]);
}
