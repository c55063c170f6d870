/**
 * `npm run record -- FOLDER`: writes case files for a machine without Node.js: cases with the reference interpreter's outputs,
 * and cases for timing. docs/performance.md says how to run them.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { encodeCases, type Case } from "./cases/caseFile.js";
import { checkCases, FULL_CHECKS, uniformCases } from "./cases/checks.js";
import { FULL_PLAN, timingCases } from "./cases/timings.js";
import { runMain, UsageError } from "./main.js";
import { writeWhole } from "./results.js";

const USAGE = "usage: npm run record -- FOLDER\n";

await runMain(USAGE, async (signal) => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) {
    throw new UsageError(`expected one FOLDER, found ${positionals.length}`);
  }
  const checks: Case[] = [];
  for (const [i, stages] of FULL_CHECKS.stages.entries()) {
    process.stderr.write(`[${i + 1}/${FULL_CHECKS.stages.length}] ${stages}\n`);
    checks.push(...checkCases({ ...FULL_CHECKS, stages: [stages] }));
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  checks.push(...uniformCases());
  const timings = timingCases(FULL_PLAN);
  writeWhole(join(folder, "check.cases"), encodeCases(checks));
  writeWhole(join(folder, "timing.cases"), encodeCases(timings));
  process.stdout.write(`${folder}: check.cases (${checks.length} cases), timing.cases (${timings.length} cases)\n`);
});
