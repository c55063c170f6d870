/**
 * `npm run bench:rpc`: a model on a worker of this machine, behind a link that counts, delays and narrows. Writes
 * bench/results/rpc.json, and updates docs/performance.md.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compilePipeline } from "ggsl/chain/chain.js";
import { loadModel, type Model } from "ggsl/models/model.js";
import { formatTable } from "ggsl/core/table.js";
import { countOf, runMain } from "./main.js";
import { updatePage } from "./report/page.js";
import { loadTable, speedTable, trafficTable } from "./report/rpc.js";
import {
  circumstances,
  spreadOf,
  writeJson,
  type LoadTraffic,
  type RpcSpeed,
  type RpcTimings,
  type RpcTraffic,
} from "./results.js";
import { openLink, type Link, type LinkOptions } from "./rpc/link.js";
import { startProcess } from "./server/process.js";
import { ROOT } from "./tool.js";

const ROUNDS = "3";
const USAGE = `usage: npm run bench:rpc -- [options]
  --rounds N  rounds of each comparison over a slow link (default ${ROUNDS})
`;
const RESULTS = join(ROOT, "bench", "results", "rpc.json");
const MODELS = [join(ROOT, "examples", "model", "demo-q8_0.gguf"), join(ROOT, "build", "random-128256.gguf")];
const SEQUENCES = [1, 8, 32];
const STAGES = "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(seed: 42)";
const PLACEMENTS = ["graph", "host"] as const;
type Placement = (typeof PLACEMENTS)[number];

/** Decodes before the ones that count: prompts, and graphs that are sent once. */
const BEFORE = 4;
const COUNTED = 10;
const MILLISECONDS = 0.5;
const LINKS = [
  { name: "100 Mbit/s", bits: 1e8 },
  { name: "1 Gbit/s", bits: 1e9 },
];

await runMain(USAGE, async () => {
  const { values } = parseArgs({
    options: { rounds: { type: "string", default: ROUNDS }, help: { type: "boolean", default: false } },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const rounds = countOf("--rounds", values.rounds);
  const traffic: RpcTraffic[] = [];
  const speeds: RpcSpeed[] = [];
  for (const path of MODELS) {
    await onWorker([], {}, path, async (model, link) => {
      for (const sequences of SEQUENCES)
        for (const placement of PLACEMENTS) traffic.push(await trafficOf(model, link, sequences, placement));
    });
  }
  for (const { name, bits } of LINKS)
    await onWorker([], { milliseconds: MILLISECONDS, bits }, MODELS[1]!, async (model) => {
      for (const sequences of SEQUENCES) speeds.push(await speedOf(model, { sequences, name, rounds }));
    });
  const loads = await loadsOf(MODELS[1]!);
  for (const { head, rows } of [trafficTable(traffic), speedTable(speeds), loadTable(loads)])
    process.stdout.write(`${formatTable(head, rows)}\n\n`);
  const command = `npm run bench:rpc${values.rounds === ROUNDS ? "" : ` -- --rounds ${rounds}`}`;
  const timings: RpcTimings = { ...circumstances(command), milliseconds: MILLISECONDS, traffic, speeds, loads };
  writeJson(RESULTS, timings);
  updatePage();
});

/** Starts a worker and loads the model through a link. */
async function onWorker(
  args: readonly string[],
  options: Omit<LinkOptions, "port">,
  path: string,
  use: (model: Model, link: Link) => Promise<void>,
): Promise<void> {
  const port = 20_000 + (process.pid % 20_000);
  const command = [join(ROOT, "runtime", "dist", "cli", "main.js"), "worker", "--backend", "cpu", "--threads", "1"];
  const listen = ["--listen", `127.0.0.1:${port}`, ...args];
  const worker = await startProcess(process.execPath, [...command, ...listen], /a worker at (\S+) lends/);
  const link = await openLink({ ...options, port });
  try {
    using model = await loadModel(path, { servers: [`127.0.0.1:${link.port}=cpu`], threads: 1, contextSize: 64 });
    await use(model, link);
  } finally {
    await link.close();
    await worker.end();
  }
}

/** Writes texts in all sequences at once, and looks before and after the decodes that count. */
async function writeTexts<T>(
  model: Model,
  sequences: number,
  placement: Placement,
  look: () => T,
  count = COUNTED,
): Promise<readonly [before: T, after: T]> {
  const seen: T[] = [];
  let decodes = 0;
  const onDecode = (): void => {
    decodes++;
    if (decodes === BEFORE || decodes === BEFORE + count) seen.push(look());
  };
  using batch = model.batch({ sequences, contextSize: 64, placement, onDecode });
  const chain = compilePipeline(STAGES);
  await Promise.all(
    Array.from({ length: sequences }, async () => {
      const text = batch.add(Int32Array.of(5), { chain, maxTokens: BEFORE + count + 1, ignoreEnd: true });
      for await (const _ of text);
    }),
  );
  return seen as [T, T];
}

async function trafficOf(model: Model, link: Link, sequences: number, placement: Placement): Promise<RpcTraffic> {
  process.stderr.write(`traffic: V = ${model.info.vocabSize}, ${sequences} sequences, ${placement}\n`);
  const [before, after] = await writeTexts(model, sequences, placement, () => ({ ...link.traffic }));
  const per = (key: keyof Link["traffic"]): number => (after[key] - before[key]) / COUNTED;
  return { vocab: model.info.vocabSize, sequences, placement, up: per("up"), down: per("down"), turns: per("turns") };
}

interface SpeedCase {
  readonly sequences: number;
  readonly name: string;
  readonly rounds: number;
}

/** Graph and host alternate. */
async function speedOf(model: Model, { sequences, name, rounds }: SpeedCase): Promise<RpcSpeed> {
  const found: Record<Placement, number[]> = { graph: [], host: [] };
  for (let round = 0; round < rounds; round++)
    for (const placement of PLACEMENTS) {
      // a decode of 32 sequences on the host takes more than a second at 100 Mbit/s
      const count = placement === "host" ? 3 : COUNTED;
      process.stderr.write(`${name}: ${sequences} sequences, ${placement}\n`);
      const [before, after] = await writeTexts(model, sequences, placement, () => performance.now(), count);
      found[placement].push((1000 * count * sequences) / (after - before));
    }
  return {
    link: name,
    vocab: model.info.vocabSize,
    sequences,
    graph: spreadOf(found.graph),
    host: spreadOf(found.host),
    ratio: spreadOf(found.graph.map((speed, i) => speed / found.host[i]!)),
  };
}

/** Twice with the worker's cache, which is empty at first. */
async function loadsOf(path: string): Promise<LoadTraffic[]> {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-bench-rpc-"));
  const loads: LoadTraffic[] = [];
  try {
    for (const [name, args] of [
      ["without a cache", []],
      ["with a cache, the first time", ["--cache", folder]],
      ["with a cache, the second time", ["--cache", folder]],
    ] as const)
      await onWorker(args, {}, path, (_, { traffic: { up } }) => {
        loads.push({ name, up });
        return Promise.resolve();
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
  return loads;
}
