/**
 * `npm run bench`: compares GGSL's graphs with llama.cpp's own samplers in one process, as ratios.
 * Writes bench/results/timings.json and timings.svg, and updates docs/performance.md.
 */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "ggsl/core/table.js";
import { parseLine, runCases } from "./cases/run.js";
import { FULL_PLAN, timingCases, type Setting, type TimingCase, type TimingPlan } from "./cases/timings.js";
import { CHAINS } from "./chains.js";
import { countOf, runMain, UsageError } from "./main.js";
import { updatePage } from "./report/page.js";
import { plotRatios } from "./report/plot.js";
import { ofFirstVariant, timingTable, variantTable } from "./report/table.js";
import { circumstances, writeJson, writeWhole, type Measurement, type Profile, type Timings } from "./results.js";
import { ROOT } from "./tool.js";

/** The best of the processor, and one that rounds and vectorizes differently. */
const OTHER_VARIANT: Partial<Record<NodeJS.Architecture, string>> = { x64: "sse42", arm64: "armv8.0_1" };
const NATIVE = "native";
const VARIANTS = [NATIVE, ...(OTHER_VARIANT[process.arch] === undefined ? [] : [OTHER_VARIANT[process.arch]!])];

const ROUNDS = "9";
const USAGE = `usage: npm run bench -- [options]
  --quick          a few small cases, into build/bench
  --only CHAIN     one chain, into build/bench: ${CHAINS.map((c) => c.name).join(", ")}
  --out DIR        where the results go (default bench/results, or as above)
  --rounds N       rounds of each measurement (default ${ROUNDS}, quick 3)
  --threads LIST   (default 1,2)
  --variants LIST  of the CPU backend, one after the other; native is the processor's best (default ${VARIANTS.join(",")}, quick native)
  --device NAME    (default cpu)
  --from FILE      measures nothing, but makes table and picture of lines that ggsl_replay time printed, into build/bench
`;

const QUICK_PLAN: TimingPlan = {
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
      variants: { type: "string" },
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
  const tables = [timingTable(ofFirstVariant(timings.measurements)), variantTable(timings.measurements)];
  for (const table of tables) if (table) process.stdout.write(`${formatTable(table.head, table.rows)}\n`);
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

interface MeasureOptions {
  readonly quick: boolean;
  readonly device: string;
  readonly rounds?: string | undefined;
  readonly threads?: string | undefined;
  readonly variants?: string | undefined;
}

async function measured(
  cases: readonly TimingCase[],
  { quick, device, rounds, threads, variants }: MeasureOptions,
  signal: AbortSignal,
): Promise<Timings> {
  const shared = ["--device", device, "--rounds", String(countOf("--rounds", rounds ?? (quick ? "3" : ROUNDS)))];
  const timing = ["--threads", threads ?? (quick ? "1" : "1,2"), "--round-ms", quick ? "2" : "10"];
  const names = variants?.split(",") ?? (quick || device !== "cpu" ? [NATIVE] : VARIANTS);
  const measurements: Measurement[] = [];
  for (const [i, name] of names.entries()) {
    process.stderr.write(`variant ${name} (${i + 1} of ${names.length})\n`);
    const options = { signal, env: name === NATIVE ? {} : { GGSL_CPU_VARIANT: name } };
    measurements.push(...withSettings(cases, await runCases<Line>("time", cases, [...shared, ...timing], options)));
  }
  const profiled = cases.filter(({ setting }) => isProfiled(setting));
  const profiles = profiled.length === 0 ? [] : await runCases<Profile>("profile", profiled, shared, { signal });
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

/** One plot: the large vocabulary, peaked logits, one thread, the first variant. */
function plotOf(all: readonly Measurement[]): string {
  const measurements = ofFirstVariant(all);
  const largest = Math.max(...measurements.map((m) => m.vocab));
  const shown = measurements.filter((m) => m.vocab === largest && m.setting.shape === "peaked" && m.threads === 1);
  const title = `Sampling time on ${shown[0]?.device ?? "no device"}, vocabulary of ${largest}, peaked logits, 1 thread`;
  return plotRatios(title, shown);
}
