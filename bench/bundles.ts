/**
 * `npm run bench:bundles`: small ops in bundles (native/graph/bundles) and one by one, alternating in one process. Writes
 * bench/results/bundles.json, and updates docs/performance.md.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compilePipeline } from "ggsl/chain/chain.js";
import { loadModel, type Model } from "ggsl/models/model.js";
import { formatTable } from "ggsl/core/table.js";
import { runCases } from "./cases/run.js";
import { timingCases } from "./cases/timings.js";
import { CHAINS } from "./chains.js";
import { countOf, runMain } from "./main.js";
import { bundledTable, bundledTextsTable } from "./report/bundles.js";
import { updatePage } from "./report/page.js";
import {
  circumstances,
  spreadOf,
  writeJson,
  type BundledTexts,
  type BundleTimings,
  type Measurement,
} from "./results.js";
import { ROOT } from "./tool.js";

const ROUNDS = "15";
const USAGE = `usage: npm run bench:bundles -- [options]
  --rounds N      rounds of each comparison (default ${ROUNDS})
  --threads LIST  of the chains (default 1,2)
  --texts LIST    threads of the texts (default 1,2); with as many as processors these need a machine without other work
`;
const RESULTS = join(ROOT, "bench", "results", "bundles.json");
const DEMO = join(ROOT, "examples", "model", "demo-q8_0.gguf");
const STAGES = "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(seed: 42)";
const SEQUENCES = [1, 8, 64];
/** Of all sequences together in a round, and of each at least. */
const TOKENS = 128;
const LEAST = 16;

await runMain(USAGE, async (signal) => {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: ROUNDS },
      threads: { type: "string", default: "1,2" },
      texts: { type: "string", default: "1,2" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const rounds = countOf("--rounds", values.rounds);
  const counts = (name: "threads" | "texts"): number[] =>
    values[name].split(",").map((text) => countOf(`--${name}`, text));
  const plan = {
    chains: CHAINS.filter(({ name }) => name === "default"),
    vocabSizes: [512, 4096, 32000, 128256],
    rows: SEQUENCES,
    shapes: ["peaked"],
  } as const;
  const options = ["--rounds", String(rounds), "--round-ms", "5", "--threads", counts("threads").join(",")];
  const measurements = await runCases<Measurement>("time", timingCases(plan), options, { signal });
  const texts: BundledTexts[] = [];
  for (const count of counts("texts"))
    for (const sequences of SEQUENCES) texts.push(await textsOf(count, sequences, rounds, signal));
  const command = ["npm run bench:bundles", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(
    " ",
  );
  for (const { head, rows } of [bundledTable(measurements), bundledTextsTable(texts)])
    process.stdout.write(`${formatTable(head, rows)}\n\n`);
  const timings: BundleTimings = { ...circumstances(command), measurements, texts };
  writeJson(RESULTS, timings);
  updatePage();
});

/** Two batches of the demo model write the same texts in turn. */
async function textsOf(threads: number, sequences: number, rounds: number, signal: AbortSignal): Promise<BundledTexts> {
  process.stderr.write(`texts: ${sequences} sequences, ${threads} threads\n`);
  using model = await loadModel(DEMO, { backend: "cpu", threads, contextSize: 256 });
  const chain = compilePipeline(STAGES);
  const found: Record<"bundled" | "alone", number[]> = { bundled: [], alone: [] };
  using bundled = model.batch({ sequences });
  using alone = model.batch({ sequences, bundles: false });
  const write = async (batch: ReturnType<Model["batch"]>): Promise<number> => {
    const start = performance.now();
    let count = 0;
    const one = async (): Promise<void> => {
      const length = Math.max(LEAST, TOKENS / sequences);
      for await (const _ of batch.add("And God said", { chain, maxTokens: length, ignoreEnd: true })) count++;
    };
    await Promise.all(Array.from({ length: sequences }, one));
    return (1000 * count) / (performance.now() - start);
  };
  // two rounds warm up
  for (let round = -2; round < rounds; round++) {
    signal.throwIfAborted();
    const sides = [["bundled", bundled] as const, ["alone", alone] as const];
    for (const [name, batch] of round % 2 === 0 ? sides : sides.toReversed()) {
      const speed = await write(batch);
      if (round >= 0) found[name].push(speed);
    }
  }
  return {
    threads,
    sequences,
    bundled: spreadOf(found.bundled),
    alone: spreadOf(found.alone),
    ratio: spreadOf(found.bundled.map((speed, i) => speed / found.alone[i]!)),
  };
}
