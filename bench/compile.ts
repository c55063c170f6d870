/**
 * `npm run bench:compile`: measures time, cold and warm, and memory of compiling, and the time of the whole `ggsl check` process
 * for a file of 100 lines. Writes bench/results/compile.json, and updates docs/performance.md.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "ggsl/core/table.js";
import { CHAINS, constantText } from "./chains.js";
import { countOf, runMain } from "./main.js";
import { updatePage } from "./report/page.js";
import { spreadText } from "./report/table.js";
import { circumstances, spreadOf, writeJson, type CompileMeasurement, type CompileTimings } from "./results.js";
import { ROOT } from "./tool.js";

const USAGE = `usage: npm run bench:compile -- [options]
  --processes N    fresh processes for each number (default 11)
  --out FILE       where the results go (default bench/results/compile.json)
`;

const RESULTS = join(ROOT, "bench", "results", "compile.json");
const PROGRAM = join(ROOT, "bench", "hundred-lines.ggsl");

/** Distinct stages that keep most rows, so that chains of any length make sense. */
const CYCLE = [
  (i: number): string => `temp(${1 - i / 1000})`,
  (i: number): string => `min_p(${0.001 + i / 1e5})`,
  (i: number): string => `top_p(${0.99 - i / 1e4})`,
  (i: number): string => `top_a(${i / 1e5})`,
];
const longChain = (count: number): string =>
  [...Array.from({ length: count - 1 }, (_, i) => CYCLE[i % CYCLE.length]!(i)), "dist(1)"].join(" |> ");

const COMPILED = [
  { name: "1 stage", text: longChain(1) },
  { name: "10 stages", text: longChain(10) },
  { name: "100 stages", text: longChain(100) },
  { name: "default chain", text: constantText(CHAINS[0]!) },
];

interface Once {
  readonly loadMs: number;
  readonly coldMs: number;
  readonly warmMs: number;
  readonly heapMiB: number;
  readonly rssMiB: number;
  readonly nodes: number;
  readonly stages: number;
}

await runMain(USAGE, async (signal) => {
  const { values } = parseArgs({
    options: {
      processes: { type: "string", default: "11" },
      out: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const processes = countOf("--processes", values.processes);
  const runs = await inTurn(processes, signal);
  const compilations = COMPILED.map(({ name }): CompileMeasurement => summary(name, runs.compiled.get(name)!));
  const lines = readFileSync(PROGRAM, "utf8").trimEnd().split("\n").length;
  const check = { lines, ms: spreadOf(runs.check), nodeMs: spreadOf(runs.node) };
  const command = `npm run bench:compile${processes === 11 ? "" : ` -- --processes ${processes}`}`;
  const timings: CompileTimings = { ...circumstances(command), compilations, check };
  writeJson(values.out ?? RESULTS, timings);
  process.stdout.write(`${textOf(timings)}\n`);
  if (values.out === undefined) updatePage();
});

/** Interleaves all measurements in rounds, so that noise affects all of them equally. */
async function inTurn(
  rounds: number,
  signal: AbortSignal,
): Promise<{ compiled: Map<string, Once[]>; check: number[]; node: number[] }> {
  const compiled = new Map<string, Once[]>(COMPILED.map(({ name }) => [name, []]));
  const check: number[] = [];
  const node: number[] = [];
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    for (const { name, text } of COMPILED) {
      const output = run(["--expose-gc", join(ROOT, "bench", "dist", "compileOnce.js"), text]).stdout;
      compiled.get(name)!.push(JSON.parse(output) as Once);
    }
    check.push(run([join(ROOT, "runtime", "dist", "cli", "main.js"), "check", PROGRAM]).ms);
    node.push(run(["-e", "0"]).ms);
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  return { compiled, check, node };
}

function run(args: readonly string[]): { ms: number; stdout: string } {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} failed: ${stderr}`);
  return { ms: performance.now() - start, stdout };
}

function summary(name: string, runs: readonly Once[]): CompileMeasurement {
  const of = (key: keyof Once): number[] => runs.map((once) => once[key]);
  const { stages, nodes } = runs[0]!;
  return {
    name,
    stages,
    nodes,
    warmMs: spreadOf(of("warmMs")),
    coldMs: spreadOf(of("coldMs")),
    loadMs: spreadOf(of("loadMs")),
    heapMiB: spreadOf(of("heapMiB")).median,
    rssMiB: spreadOf(of("rssMiB")).median,
  };
}

function textOf({ compilations, check }: CompileTimings): string {
  const head = ["chain", "nodes", "warm ms", "cold ms", "loading ms", "heap MiB", "process MiB"];
  const rows = compilations.map((c) => [
    ...[c.name, String(c.nodes), spreadText(c.warmMs), spreadText(c.coldMs), spreadText(c.loadMs)],
    ...[c.heapMiB.toFixed(1), c.rssMiB.toFixed(0)],
  ]);
  const line = `ggsl check, ${check.lines} lines: ${spreadText(check.ms)} ms; Node doing nothing: ${spreadText(check.nodeMs)} ms`;
  return `${formatTable(head, rows)}\n${line}\nmedian (quartiles)`;
}
