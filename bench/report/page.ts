/** docs/performance.md: the part between two markers is generated from the files in bench/results/. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  readJson,
  writeWhole,
  type BundleTimings,
  type CompileTimings,
  type Machine,
  type ModelTimings,
  type RpcTimings,
  type RuntimeTimings,
  type ServerTimings,
  type TextsTimings,
  type Timings,
  type WorkCount,
} from "../results.js";
import { ROOT } from "../tool.js";
import { bundledTable, bundledTextsTable } from "./bundles.js";
import { launchTable, MODEL } from "./launches.js";
import { modelTable } from "./models.js";
import { loadTable, speedTable, trafficTable } from "./rpc.js";
import { evaluateTargets, runtimeTable } from "./runtimes.js";
import { serverTable, serverTargets } from "./server.js";
import { markdown, ofFirstVariant, profileTable, spreadText, timingTable, variantTable } from "./table.js";
import { compileTargets, samplingTargets, targetTable, textTargets } from "./targets.js";
import { ownChainsText, textsTable, threadsTable } from "./texts.js";

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
  const bundles = results<BundleTimings>("bundles.json");
  const models = results<ModelTimings>("models.json");
  const texts = results<TextsTimings>("batches.json");
  const server = results<ServerTimings>("server.json");
  const rpc = results<RpcTimings>("rpc.json");
  const runtimes = results<RuntimeTimings>("runtimes.json");
  const launches = results<readonly WorkCount[]>("launches.json");
  return [
    ...(timings ? [circumstancesOf(timings)] : []),
    ...(compile ? [circumstancesOf(compile)] : []),
    "### Targets\n",
    markdown(
      targetTable([...samplingTargets(timings?.measurements ?? []), ...compileTargets(compile), ...textTargets(texts)]),
    ),
    ...(timings ? ["", timingPart(timings)] : []),
    ...(bundles ? ["", bundlePart(bundles)] : []),
    ...(compile ? ["", compilePart(compile)] : []),
    ...(texts ? ["", textsPart(texts)] : []),
    ...(models ? ["", modelPart(models)] : []),
    ...(server ? ["", serverPart(server)] : []),
    ...(rpc ? ["", rpcPart(rpc)] : []),
    ...(runtimes ? ["", runtimePart(runtimes)] : []),
    ...(launches ? ["", launchPart(launches)] : []),
  ].join("\n");
}

const circumstancesOf = ({ command, date, machine }: { command: string; date: string; machine: Machine }): string =>
  `\`${command}\`, ${date}, on ${machine.processors} processors (${machine.arch}, ${machine.processor}).\n`;

// ---------------------------------------------------------------- details

function timingPart({ measurements, profiles }: Timings): string {
  const counts = measurements.map((m) => [m.sameAsHost, m.rows] as const);
  const same = counts.reduce((sum, [n]) => sum + n, 0);
  const all = counts.reduce((sum, [, n]) => sum + n, 0);
  const shown = profiles.filter((p) => p.case.includes(" 1 sequence"));
  const peaked = measurements.filter((m) => m.setting.shape === "peaked");
  const variants = variantTable(peaked.filter((m) => m.vocab === 128256));
  return [
    "### Sampling time, as ratios\n",
    "![ratios of the large vocabulary](../bench/results/timings.svg)\n",
    `In the first run ${same} of ${all} sequences picked the token that llama.cpp's CPU chain picks from the same random number.\n`,
    markdown(timingTable(ofFirstVariant(peaked))),
    "\nFlat logits are in timings.json.\n",
    ...(variants
      ? ["### On variants of the CPU backend\n", "In one run, V = 128256, peaked logits.\n", `${markdown(variants)}\n`]
      : []),
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

const bundlePart = (timings: BundleTimings): string =>
  [
    "### Small ops in bundles\n",
    circumstancesOf(timings),
    "The default chain with plain logits, microseconds for a token of a sequence:\n",
    `${markdown(bundledTable(timings.measurements))}\n`,
    "Texts with the demo model:\n",
    markdown(bundledTextsTable(timings.texts)),
  ].join("\n");

const modelPart = (timings: ModelTimings): string =>
  ["### Whole models\n", circumstancesOf(timings), markdown(modelTable(timings.measurements))].join("\n");

const textsPart = (timings: TextsTimings): string =>
  [
    "### Texts at the same time\n",
    circumstancesOf(timings),
    `${markdown(textsTable(timings.measurements))}\n`,
    "GGSL's processor time for a token in microseconds, by thread:\n",
    markdown(threadsTable(timings.measurements)),
    ...(timings.ownChains ? [`\n${ownChainsText(timings.ownChains)}`] : []),
  ].join("\n");

const serverPart = (timings: ServerTimings): string =>
  [
    "### Servers\n",
    circumstancesOf(timings),
    `${markdown(serverTargets(timings.measurements))}\n`,
    markdown(serverTable(timings.measurements)),
  ].join("\n");

function rpcPart(timings: RpcTimings): string {
  const { milliseconds, traffic, speeds, loads } = timings;
  return [
    "### Workers\n",
    circumstancesOf(timings),
    "What goes over the link to one worker for a decode of all sequences, with llama.cpp's default chain. These numbers are counted.\n",
    markdown(trafficTable(traffic)),
    `\nTokens a second of all sequences over a link that delays by ${milliseconds} ms each way: medians and quartiles, graph and host alternating.\n`,
    markdown(speedTable(speeds)),
    "\nLoading the model of this vocabulary. The cache keeps tensors above 10 MiB.\n",
    markdown(loadTable(loads)),
  ].join("\n");
}

const runtimePart = (timings: RuntimeTimings): string =>
  [
    "### Other runtimes\n",
    circumstancesOf(timings),
    `Microseconds for a token with plain logits, V = ${timings.vocab}, one thread: medians and quartiles. A star marks another token than that of GGSL's CPU backend. WebGPU runs in software here (SwiftShader), so its times say nothing of a GPU.\n`,
    `${markdown(runtimeTable(timings.measurements))}\n`,
    "`evaluate` checks the logits and works out draws and uniforms around the native call:\n",
    markdown(evaluateTargets(timings.measurements)),
  ].join("\n");

const launchPart = (counts: readonly WorkCount[]): string =>
  [
    "### On GPUs, by a model\n",
    `\`npm run bench:launches\`: the launches and the bytes of the graphs for one token of each sequence, V = ${counts[0]!.vocab}, and the time that would take with ${MODEL}. Not measured.\n`,
    "**CUDA**\n",
    `${markdown(launchTable(counts, "cuda"))}\n`,
    "**Vulkan**\n",
    markdown(launchTable(counts, "vulkan")),
  ].join("\n");
