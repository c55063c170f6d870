/**
 * `npm run bench`: compares GGSL's graphs with llama.cpp's own samplers in one process, as ratios.
 * Writes bench/results/timings.json and timings.svg, and updates docs/performance.md.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "ggsl/table.js";
import { encodeCases } from "./cases/caseFile.js";
import { FULL_PLAN, timingCases, type Setting, type TimingCase, type TimingPlan } from "./cases/timings.js";
import { CHAINS } from "./chains.js";
import { countOf, runMain, UsageError } from "./main.js";
import { updatePage } from "./report/page.js";
import { plotRatios } from "./report/plot.js";
import { timingTable } from "./report/table.js";
import { circumstances, writeJson, writeWhole, type Measurement, type Profile, type Timings } from "./results.js";
import { ROOT, runTool } from "./tool.js";

const USAGE = `usage: npm run bench -- [options]
  --quick          a few small cases, into build/bench
  --only CHAIN     one chain, into build/bench: ${CHAINS.map((c) => c.name).join(", ")}
  --out DIR        where the results go (default bench/results, or as above)
  --rounds N       rounds of each measurement (default 15, quick 3)
  --threads LIST   (default 1,2)
  --device NAME    (default cpu)
  --from FILE      measures nothing, but makes table and picture of lines that ggsl_replay time printed, into build/bench
`;

export const QUICK_PLAN: TimingPlan = {
  chains: CHAINS.filter(({ name }) => ["default", "typical", "greedy"].includes(name)),
  vocabSizes: [32000],
  rows: [1, 4],
  shapes: ["peaked"],
};

const RESULTS = join(ROOT, "bench", "results");
const SCRATCH = join(ROOT, "build", "bench");

/** Whether the nodes are also timed one by one. */
const isProfiled = ({ vocabSize, rows, shape }: Setting): boolean =>
  shape === "peaked" && vocabSize === 128256 && (rows === 1 || rows === 64);

await runMain(USAGE, async (signal) => {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      out: { type: "string" },
      rounds: { type: "string" },
      threads: { type: "string" },
      device: { type: "string", default: "cpu" },
      from: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const isWhole = !values.quick && values.only === undefined && values.from === undefined;
  const cases = timingCases(planOf(values.quick, values.only));
  const timings =
    values.from === undefined
      ? await measured(cases, values, signal)
      : recorded(cases, readFileSync(values.from, "utf8"));

  const folder = values.out ?? (isWhole ? RESULTS : SCRATCH);
  writeJson(join(folder, "timings.json"), timings);
  writeWhole(join(folder, "timings.svg"), plotOf(timings.measurements));
  const { head, rows } = timingTable(timings.measurements);
  process.stdout.write(`${formatTable(head, rows)}\n`);
  process.stdout.write("time of GGSL relative to llama.cpp: median (quartiles)\n");
  process.stdout.write(`written to ${relative(".", folder) || "."}: timings.json, timings.svg\n`);
  if (isWhole && values.out === undefined) updatePage();
});

function commandOf(): string {
  return ["npm run bench", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");
}

function planOf(isQuick: boolean, only: string | undefined): TimingPlan {
  const plan = isQuick ? QUICK_PLAN : FULL_PLAN;
  if (only === undefined) return plan;
  const chains = CHAINS.filter((chain) => chain.name === only);
  if (chains.length === 0)
    throw new UsageError(`--only: expected ${CHAINS.map((c) => c.name).join(", ")}, found ${only}`);
  return { ...plan, chains };
}

/** Runs the tool on cases and reads an object from each line. An error of a case ends it, because every device can run all cases. */
async function runCases<T>(
  command: string,
  cases: readonly TimingCase[],
  args: readonly string[],
  signal: AbortSignal,
): Promise<T[]> {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-bench-"));
  try {
    const file = join(folder, "timing.cases");
    writeFileSync(file, encodeCases(cases));
    const { status, lines } = await runTool([command, file, ...args], { signal });
    const results = lines.map(parseLine<T>);
    if (status !== 0) throw new Error(`ggsl_replay ended with status ${status}`);
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface MeasureOptions {
  readonly quick: boolean;
  readonly device: string;
  readonly rounds?: string | undefined;
  readonly threads?: string | undefined;
}

async function measured(
  cases: readonly TimingCase[],
  { quick, device, rounds, threads }: MeasureOptions,
  signal: AbortSignal,
): Promise<Timings> {
  const shared = ["--device", device, "--rounds", String(countOf("--rounds", rounds ?? (quick ? "3" : "15")))];
  const timing = ["--threads", threads ?? (quick ? "1" : "1,2"), "--round-ms", quick ? "2" : "20"];
  const measurements = withSettings(cases, await runCases<Line>("time", cases, [...shared, ...timing], signal));
  const profiled = cases.filter(({ setting }) => isProfiled(setting));
  const profiles = profiled.length === 0 ? [] : await runCases<Profile>("profile", profiled, shared, signal);
  return { ...circumstances(commandOf()), measurements, profiles };
}

/** Reads the tool's output from another machine; a failed case is an error. */
function recorded(cases: readonly TimingCase[], text: string): Timings {
  const lines = text.trimEnd().split("\n");
  return { ...circumstances(commandOf()), measurements: withSettings(cases, lines.map(parseLine<Line>)), profiles: [] };
}

/** A measurement as printed by the tool. */
type Line = Omit<Measurement, "setting">;

function withSettings(cases: readonly TimingCase[], lines: readonly Line[]): Measurement[] {
  const settings = new Map(cases.map(({ name, setting }) => [name, setting]));
  return lines.map((line) => {
    const setting = settings.get(line.case);
    if (!setting)
      throw new Error(`expected measurements of this version's cases, found "${line.case}": record them again`);
    return { ...line, setting };
  });
}

function parseLine<T>(text: string): T {
  const line = JSON.parse(text) as T & { case?: string; error?: string };
  if (line.error !== undefined) throw new Error(`${line.case ?? "a case"}: ${line.error}`);
  return line;
}

/** One plot: the large vocabulary, peaked logits, one thread. */
function plotOf(measurements: readonly Measurement[]): string {
  const largest = Math.max(...measurements.map((m) => m.vocab));
  const shown = measurements.filter((m) => m.vocab === largest && m.setting.shape === "peaked" && m.threads === 1);
  const title = `Sampling time on ${shown[0]?.device ?? "no device"}, vocabulary of ${largest}, peaked logits, 1 thread`;
  return plotRatios(title, shown);
}
