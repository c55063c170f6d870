/** docs/performance.md: the part between two markers is generated from the files in bench/results/. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  readJson,
  writeWhole,
  type CompileTimings,
  type Machine,
  type Measurement,
  type ModelTimings,
  type Timings,
} from "../results.js";
import { ROOT } from "../tool.js";
import { modelTable } from "./models.js";
import { markdown, profileTable, spreadText, timingTable } from "./table.js";

const BEGIN = "<!-- measured: begin -->";
const END = "<!-- measured: end -->";
const PAGE = join(ROOT, "docs", "performance.md");
const RESULTS = join(ROOT, "bench", "results");

/** Rewrites the generated part. */
export function updatePage(): void {
  writeWhole(PAGE, currentPage());
}

/** The updated page. Throws if the markers are missing. */
export function currentPage(): string {
  const page = readFileSync(PAGE, "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE}: expected the lines ${BEGIN} and ${END}, which are missing`);
  return `${page.slice(0, begin)}${BEGIN}\n${measuredPart()}\n${page.slice(end)}`;
}

const results = <T>(name: string): T | undefined =>
  existsSync(join(RESULTS, name)) ? readJson<T>(join(RESULTS, name)) : undefined;

function measuredPart(): string {
  const timings = results<Timings>("timings.json");
  const compile = results<CompileTimings>("compile.json");
  const models = results<ModelTimings>("models.json");
  return [
    ...(timings ? [circumstancesOf(timings)] : []),
    ...(compile ? [circumstancesOf(compile)] : []),
    "### Targets\n",
    markdown(targetTable(timings?.measurements ?? [], compile)),
    ...(timings ? ["", timingPart(timings)] : []),
    ...(compile ? ["", compilePart(compile)] : []),
    ...(models ? ["", modelPart(models)] : []),
  ].join("\n");
}

const circumstancesOf = ({ command, date, machine }: { command: string; date: string; machine: Machine }): string =>
  `\`${command}\`, ${date}, on ${machine.processors} processors (${machine.arch}, ${machine.processor}).\n`;

// ---------------------------------------------------------------- targets

interface Target {
  readonly what: string;
  readonly most: number;
  readonly unit?: string;
  readonly found: number | undefined;
  readonly shown?: string | undefined;
}

function targetTable(
  measurements: readonly Measurement[],
  compile: CompileTimings | undefined,
): { head: readonly string[]; rows: readonly (readonly string[])[] } {
  const find = (rows: number, threads: number): Measurement | undefined =>
    measurements.find(
      ({ setting: s, threads: t }) =>
        s.chain === "default" && s.vocabSize === 128256 && s.shape === "peaked" && s.rows === rows && t === threads,
    );
  const [one, many] = [find(1, 1), find(64, 2)];
  const warm = compile?.compilations.find(({ name }) => name === "default chain")?.warmMs;
  const targets: Target[] = [
    { what: "default chain, 1 sequence: nodes without views", most: 22, found: one?.ggsl.nodesWithoutViews },
    {
      what: "default chain, 64 sequences, each with its own uniforms: nodes without views",
      most: 26,
      found: many?.ggsl.nodesWithoutViews,
    },
    {
      what: "time, V = 128256, 1 sequence, 1 thread, relative to llama.cpp's samplers on the device",
      ...{ most: 0.95, found: one?.ratioToLlama?.median, shown: spreadText(one?.ratioToLlama) },
    },
    {
      what: "the same, relative to llama.cpp's samplers on the CPU",
      ...{ most: 0.75, found: one?.ratioToHost.median, shown: spreadText(one?.ratioToHost) },
    },
    {
      what: "time, V = 128256, 64 sequences, 2 threads, relative to 64 llama.cpp chains on the device",
      ...{ most: 0.6, found: many?.ratioToLlama?.median, shown: spreadText(many?.ratioToLlama) },
    },
    { what: "compiling the default chain, warm", most: 5, unit: "ms", found: warm?.median, shown: spreadText(warm) },
    {
      what: "`ggsl check` of 100 lines, whole process",
      ...{ most: 300, unit: "ms", found: compile?.check.ms.median, shown: spreadText(compile?.check.ms) },
    },
  ];
  return {
    head: ["what", "at most", "measured", "met"],
    rows: targets.map(({ what, most, unit = "", found, shown }) => [
      what,
      `${most} ${unit}`.trim(),
      found === undefined ? "not measured" : `${shown ?? found} ${unit}`.trim(),
      found === undefined ? "-" : found <= most ? "yes" : "no",
    ]),
  };
}

// ---------------------------------------------------------------- details

function timingPart({ measurements, profiles }: Timings): string {
  const counts = measurements.map((m) => [m.sameAsHost, m.rows] as const);
  const same = counts.reduce((sum, [n]) => sum + n, 0);
  const all = counts.reduce((sum, [, n]) => sum + n, 0);
  const shown = profiles.filter((p) => p.case.includes(" 1 sequence"));
  return [
    "### Sampling time, as ratios\n",
    "![ratios of the large vocabulary](../bench/results/timings.svg)\n",
    `In the first run ${same} of ${all} sequences picked the token that llama.cpp's CPU chain picks from the same random number.\n`,
    markdown(timingTable(measurements.filter((m) => m.setting.shape === "peaked"))),
    "\nFlat logits are in timings.json.\n",
    "### Where the time goes\n",
    "One sequence, V = 128256, 1 thread: the six largest nodes of each graph.\n",
    ...shown.map((p) => `**${p.case.split(",")[0]!}, ${NAMES[p.side]}**\n\n${markdown(profileTable(p, 6))}\n`),
  ].join("\n");
}

const NAMES = { ggsl: "GGSL", llama: "llama.cpp" };

function compilePart({ compilations, check }: CompileTimings): string {
  const head = ["chain", "nodes", "warm, ms", "cold, ms", "loading the compiler, ms", "heap, MiB", "process, MiB"];
  const rows = compilations.map((c) => [
    ...[c.name, String(c.nodes), spreadText(c.warmMs), spreadText(c.coldMs), spreadText(c.loadMs)],
    ...[c.heapMiB.toFixed(1), c.rssMiB.toFixed(0)],
  ]);
  return [
    "### Compiling\n",
    markdown({ head, rows }),
    `\n\`ggsl check\` of ${check.lines} lines took ${spreadText(check.ms)} ms, an empty Node.js process ${spreadText(check.nodeMs)} ms.`,
  ].join("\n");
}

const modelPart = (timings: ModelTimings): string =>
  ["### Whole models\n", circumstancesOf(timings), markdown(modelTable(timings.measurements))].join("\n");
