/** Every standard sampler against llama.cpp's CPU sampler of the same name, as constants and as uniforms. */
import { afterAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BACKENDS } from "./backends.js";
import type { Case } from "./check.js";
import { logitsSpecs } from "./logits.js";
import { checkAll } from "./property.js";
import { SAMPLERS, type Mode } from "./samplers.js";
import { CASES, SEED, STEPS } from "./settings.js";
import { stageOf } from "./stages.js";
import { printTallies, type Tally } from "./tally.js";

const tallies = new Map<string, Tally>();
afterAll(() => printTallies(`parity with llama.cpp, seed ${SEED}`, tallies));

const casesOf = (sampler: string): fc.Arbitrary<Case> =>
  fc.record({
    stages: fc.tuple(stageOf(sampler)),
    logits: logitsSpecs(),
    mode: fc.constantFrom<Mode>("constant", "uniform"),
  });

const pairs = Object.keys(SAMPLERS).flatMap((sampler) => BACKENDS.map((backend) => [sampler, backend] as const));

test.each(pairs)("%s on %s", (sampler, backend) => {
  const tally = checkAll(casesOf(sampler), CASES, backend, STEPS);
  tallies.set(`${sampler}/${backend}`, tally);
  expect(tally.mismatches).toEqual([]);
  // a tolerance that most cases need would prove nothing
  expect(tally.atBoundary).toBeLessThanOrEqual(Math.max(3, 0.02 * (tally.cases + tally.tokens)));
  expect(tally.overflows).toBeLessThanOrEqual(0.2 * tally.cases);
});

/** llama.cpp has no such sampler. */
const WITHOUT_PEER = [
  "entropy_temp",
  "epsilon",
  "eta",
  "no_repeat_ngram",
  "p_less",
  "quadratic",
  "skew",
  "tail_free",
  "top_a",
];

/** llama.cpp has one, and it is still to be compared here. A sampler leaves this list when it enters the table. */
const STILL_TO_COMPARE = [
  "adaptive_p",
  "dry",
  "logit_bias",
  "mirostat",
  "mirostat_v2",
  "penalties",
  "temp_ext",
  "typical",
  "xtc",
];

test("every standard sampler is compared, or listed as not compared", () => {
  const folder = fileURLToPath(new URL("../../compiler/std", import.meta.url));
  const files = readdirSync(folder).filter((f) => f.endsWith(".ggsl"));
  const known = [...Object.keys(SAMPLERS), ...WITHOUT_PEER, ...STILL_TO_COMPARE];
  expect(files.map((f) => f.replace(".ggsl", "")).sort()).toEqual(known.sort());
});
