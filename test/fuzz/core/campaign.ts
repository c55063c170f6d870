/** Runs cases of a generator, and writes those with a fault, each alone and shrunk, into a folder. */
import * as fc from "fast-check";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "./faults.js";
import type { Generator } from "./generator.js";
import { smallest } from "./shrink.js";
import type { Watch } from "./watch.js";

interface CampaignOptions {
  readonly seed: number;
  /** No case starts after this many milliseconds. */
  readonly milliseconds?: number;
  /** The most cases. */
  readonly count?: number;
  /** Where cases with a fault are written; absent: nowhere. */
  readonly folder?: string;
  /** Time for shrinking one case, in milliseconds; 0 does not shrink. */
  readonly shrinking?: number;
}

interface Found {
  readonly fault: Fault;
  readonly case: unknown;
  /** Number of cases with the same fault. */
  count: number;
  /** The file that was written. */
  readonly file?: string;
  /** The number of the first such case. */
  readonly index: number;
}

export interface Report {
  readonly generator: string;
  cases: number;
  /** Cases of a group with a known fault. */
  skipped: number;
  /** Faults that a case shows only after others in the same process. */
  unconfirmed: number;
  /** By the fault's key. */
  readonly found: Map<string, Found>;
}

const BATCH = 50;

/** The cases of a seed: the same for any time and count. */
function* casesOf(generator: Generator, seed: number): Iterable<unknown> {
  for (let batch = 0; ; batch++) {
    yield* fc.sample(generator.cases, { seed: (seed * 7919 + batch * 104_729) | 0, numRuns: BATCH });
  }
}

export async function campaign(generator: Generator, watch: Watch, options: CampaignOptions): Promise<Report> {
  const { seed, milliseconds = Infinity, count = Infinity } = options;
  const report: Report = { generator: generator.name, cases: 0, skipped: 0, unconfirmed: 0, found: new Map() };
  const end = performance.now() + milliseconds;
  const faulty = new Set<string>();
  for (const c of casesOf(generator, seed)) {
    if (report.cases + report.skipped >= count || performance.now() > end) break;
    const group = generator.group?.(c);
    if (group !== undefined && faulty.has(group)) {
      report.skipped++;
      continue;
    }
    const index = report.cases++;
    const seen = await watch.run(generator, c);
    if (!seen) continue;
    const known = report.found.get(keyOf(seen, group));
    if (known) known.count++;
    else if ((await note(generator, watch, c, index, report, options)) && group !== undefined) faulty.add(group);
  }
  return report;
}

const keyOf = (fault: Fault, group = ""): string => `${fault.key} ${group}`;

/** Runs a case again, alone; if it still has a fault, shrinks and writes it. Returns whether it has. */
async function note(
  generator: Generator,
  watch: Watch,
  c: unknown,
  index: number,
  report: Report,
  { folder, shrinking = 0 }: CampaignOptions,
): Promise<boolean> {
  const fault = await watch.runAlone(generator, c);
  if (!fault) {
    report.unconfirmed++;
    return false;
  }
  const key = keyOf(fault, generator.group?.(c));
  const known = report.found.get(key);
  if (known) {
    known.count++;
    return true;
  }
  const fails = async (smaller: unknown): Promise<boolean> => (await watch.run(generator, smaller))?.key === fault.key;
  const small = shrinking > 0 ? await smallest(c, (x) => generator.smaller(x), fails, shrinking) : c;
  const file = folder === undefined ? undefined : write(folder, generator, small, fault, report.found.size + 1);
  report.found.set(key, { fault, case: small, count: 1, index, ...(file !== undefined && { file }) });
  return true;
}

/** What a file of a case contains. */
export interface Saved {
  readonly generator: string;
  readonly fault: Fault;
  readonly case: unknown;
}

function write(folder: string, generator: Generator, c: unknown, fault: Fault, number: number): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${generator.name}-${number}.json`);
  const saved: Saved = { generator: generator.name, fault, case: c };
  writeFileSync(file, `${JSON.stringify(saved, undefined, 2)}\n`);
  const shown = generator.show?.(c);
  if (shown) writeFileSync(join(folder, `${generator.name}-${number}.${shown.ending}`), shown.text);
  return file;
}
