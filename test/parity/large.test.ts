/** A few cases at the size of real vocabularies, where sums over many rows reach the precision of f32. */
import { afterAll, expect, test } from "@jest/globals";
import { BACKENDS, type Backend } from "./backends.js";
import type { Case } from "./check.js";
import type { LogitsSpec } from "./logits.js";
import { runCase } from "./property.js";
import type { Stage } from "./stages.js";
import { newTally, printTallies, type Tally } from "./tally.js";

const tallies = new Map<string, Tally>();
afterAll(() => printTallies("parity at the size of real vocabularies", tallies));

const DEFAULT: readonly Stage[] = [
  { sampler: "top_k", args: { k: 40 } },
  { sampler: "top_p", args: { p: 0.95, min_keep: 0 } },
  { sampler: "min_p", args: { p: 0.05, min_keep: 0 } },
  { sampler: "temp", args: { t: 0.8 } },
  { sampler: "dist", args: { seed: 42 } },
];

const CHAINS: Readonly<Record<string, readonly Stage[]>> = {
  "default chain": DEFAULT,
  "min_p temp dist": DEFAULT.slice(2),
  "top_p min_p temp dist": DEFAULT.slice(1),
  dist: DEFAULT.slice(4),
};

/** Chains that do not sort the vocabulary repeatedly, which takes the interpreter seconds. */
const QUICK = ["default chain", "dist"];

const SHAPES: readonly LogitsSpec["shape"][] = ["longTail", "normal", "peaked", "flat"];

/** The interpreter and the comparison of 128256 rows take seconds. */
const shapesFor = (backend: Backend, vocabSize: number): readonly LogitsSpec["shape"][] =>
  SHAPES.slice(0, backend === "reference" || vocabSize > 100_000 ? 1 : 2);

const pairs = [32000, 128256].flatMap((vocabSize) => BACKENDS.map((backend) => [vocabSize, backend] as const));

test.each(pairs)("%d tokens on %s", (vocabSize, backend) => {
  for (const [name, stages] of Object.entries(CHAINS)) {
    if (backend === "reference" && !QUICK.includes(name)) continue;
    const tally = newTally();
    tallies.set(`${name}, ${vocabSize}/${backend}`, tally);
    shapesFor(backend, vocabSize).forEach((shape, seed) => {
      const steps = backend === "reference" ? 2 : 4;
      const c: Case = { stages, logits: { shape, vocabSize, seed, dropped: 0 }, mode: "constant", steps };
      runCase(c, backend, tally);
    });
    expect(tally.mismatches).toEqual([]);
  }
});
