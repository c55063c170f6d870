/**
 * `npm run bench:runtimes`: the time for a token of the same chains in other runtimes, on plain logits, one thread each. Runtimes of
 * one process take turns in each round; processes take turns in each pass. Writes bench/results/runtimes.json, and updates
 * docs/performance.md.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compilePipeline } from "ggsl";
import { formatTable } from "ggsl/core/table.js";
import { normalLogits } from "./logits.js";
import { countOf, runMain } from "./main.js";
import { updatePage } from "./report/page.js";
import { runtimeTable } from "./report/runtimes.js";
import { circumstances, spreadOf, writeJson, type RuntimeMeasurement, type RuntimeTimings } from "./results.js";
import { CHROMIUM, openPage, type RuntimePage } from "./runtimes/browser.js";
import { CHAINS, VOCABULARY, type Rounds, type SideTimes } from "./runtimes/chains.js";
import { CPU, NATIVE, nodeTimes } from "./runtimes/node.js";
import type { Runtimes } from "./runtimes/page.js";
import { libraries, pythonTimes } from "./runtimes/python.js";
import { ROOT } from "./tool.js";

const USAGE = `usage: npm run bench:runtimes -- [options]
  --passes N    passes over all runtimes (default 3)
  --rounds N    rounds in each pass (default 31)
  --out FILE    where the results go (default bench/results/runtimes.json)
`;

const RESULTS = join(ROOT, "bench", "results", "runtimes.json");
/** Before V8 has optimized the hot functions, times are longer. */
const WARM_UP = 100;
const BUDGET_MS = 3000;
const LEAST = 5;

await runMain(USAGE, async (signal) => {
  const { values } = parseArgs({
    options: {
      passes: { type: "string", default: "3" },
      rounds: { type: "string", default: "31" },
      out: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const [passes, count] = [countOf("--passes", values.passes), countOf("--rounds", values.rounds)];
  const rounds: Rounds = { warmUp: WARM_UP, count, budgetMs: BUDGET_MS, least: LEAST };
  const installed = libraries();
  for (const name of ["numpy", "torch"] as const)
    if (!installed.includes(name)) process.stderr.write(`${name} is not installed, and not measured\n`);
  if (!existsSync(CHROMIUM)) process.stderr.write(`${CHROMIUM} is not there: nothing is measured in a browser\n`);
  await using opened = existsSync(CHROMIUM) ? await openPage() : undefined;
  const logits = normalLogits(VOCABULARY);
  const measured = new Map(Object.keys(CHAINS).map((chain) => [chain, [] as SideTimes[]]));
  for (let pass = 1; pass <= passes; pass++)
    for (const [chain, stages] of Object.entries(CHAINS)) {
      process.stderr.write(`pass ${pass} of ${passes}: ${stages}\n`);
      const { graph } = compilePipeline(stages);
      measured.get(chain)!.push(
        ...(await nodeTimes(graph, logits, rounds)),
        ...pythonTimes(graph, logits, { ...rounds, warmUp: LEAST }, installed),
        // WebGPU runs in software there
        ...(opened ? await pageTimes(opened, stages, { ...rounds, warmUp: LEAST }) : []),
      );
      signal.throwIfAborted();
    }
  const command = `npm run bench:runtimes -- --passes ${passes} --rounds ${count}`;
  const measurements = [...measured].map(([chain, times]) => measurementOf(chain, times));
  const timings: RuntimeTimings = { ...circumstances(command), vocab: VOCABULARY, measurements };
  writeJson(values.out ?? RESULTS, timings);
  const { head, rows } = runtimeTable(measurements);
  process.stdout.write(
    `${formatTable(
      head,
      rows.map((row) => [...row]),
    )}\n`,
  );
  if (values.out === undefined) updatePage();
});

function pageTimes({ page }: RuntimePage, stages: string, rounds: Rounds): Promise<SideTimes[]> {
  return page.evaluate(
    ([text, vocab, how]) => (globalThis as unknown as { runtimes: Runtimes }).runtimes.timesOf(text, vocab, how),
    [stages, VOCABULARY, rounds] as const,
  );
}

/** All passes of each side. */
function measurementOf(chain: string, times: readonly SideTimes[]): RuntimeMeasurement {
  const token = times.find(({ side }) => side === CPU)!.token;
  const sides = [...new Set(times.map(({ side }) => side))].map((side) => {
    const own = times.filter((one) => one.side === side);
    const us = own.flatMap((one) => one.us);
    return { side, us: spreadOf(us), rounds: us.length, isSame: own.every((one) => one.token === token) };
  });
  const usOf = (name: string): number[] => times.filter(({ side }) => side === name).flatMap(({ us }) => us);
  const [whole, native] = [usOf(CPU), usOf(NATIVE)];
  const evaluateRatio = spreadOf(whole.map((us, round) => us / native[round]!));
  return { chain, stages: CHAINS[chain]!, sides, evaluateRatio };
}
