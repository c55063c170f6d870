/**
 * Random programs on the reference, the CPU and Vulkan, with all checks of test/random, including those for rounding: like any
 * device, Vulkan may be off by a few units in the last place.
 * For more programs: `npm run random -- --backend reference,cpu,vulkan --cases 500`.
 */
import { expect } from "@jest/globals";
import { describeCase } from "../random/cases.js";
import { caseAt } from "../random/run.js";
import { SEED } from "../random/settings.js";
import { chunks, newReport, runGroup, runJest, type Ended } from "./children.js";
import { vulkanTest } from "./vulkan.js";

const COUNT = Number(process.env["GGSL_RANDOM_COUNT"] ?? 30);
/** Programs per process; each has several graphs. */
const MOST = 20;
const BACKENDS = process.env["GGSL_BACKENDS"] ?? "reference,cpu,vulkan";

/** Consecutive cases of the seed. */
function run(cases: readonly number[]): Ended {
  return runJest(["test/random/random.test.ts"], {
    GGSL_BACKENDS: BACKENDS,
    GGSL_RANDOM_SEED: `${SEED}`,
    GGSL_RANDOM_COUNT: `${cases.length}`,
    GGSL_RANDOM_SKIPPED: `${cases[0]!}`,
  });
}

interface Counts {
  readonly programs: number;
  readonly comparisons: number;
  readonly tiedPrograms: number;
  readonly roundedPrograms: number;
}

/** The last line that a process printed. */
const countsOf = (output: string): Counts =>
  JSON.parse(/.*random programs, [^{]*(\{.*\})/s.exec(output)![1]!.split("\n")[0]!) as Counts;

vulkanTest(
  `${COUNT} random programs agree, on ${BACKENDS}`,
  () => {
    const report = newReport();
    const total = { programs: 0, comparisons: 0, tiedPrograms: 0, roundedPrograms: 0 };
    const all = [...Array(COUNT).keys()];
    const nameOf = (index: number): string => `program ${index} of seed ${SEED}:\n${describeCase(caseAt(SEED, index))}`;
    for (const group of chunks(all, MOST)) {
      runGroup(group, run, nameOf, report);
      for (const output of report.outputs.splice(0)) {
        const counts = countsOf(output);
        for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key];
      }
      const seen = { ...total, retriedGroups: report.retried, failures: report.failures.length };
      process.stdout.write(`random programs on ${BACKENDS}, seed ${SEED}: ${JSON.stringify(seen)}\n`);
    }
    expect(report.failures.slice(0, 3).join("\n\n")).toBe("");
    expect(total.programs).toBe(COUNT);
    expect(total.comparisons).toBeGreaterThan(COUNT);
  },
  300 + 20 * COUNT,
);
