/**
 * `npm run bench:script`: the main thread's time for each token and sequence, see scriptOnce.ts. With `--with` it alternates with the
 * built runtime of another checkout, so that both are measured in one run.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "ggsl/core/table.js";
import { countOf, runMain, UsageError } from "./main.js";
import { spreadText } from "./report/table.js";
import { spreadOf } from "./results.js";
import { ROOT } from "./tool.js";

const USAGE = `usage: npm run bench:script -- [options]
  --processes N    fresh processes for each number (default 5)
  --rounds N       rounds in each process (default 5)
  --with FOLDER    another checkout, built, to compare with
`;

const IMPORT = 'import { penalties, top_k, top_p, min_p, temp, dist } from "std"\n';
const DEFAULT = "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(seed)";
const chainOf = (stages: string): string => `${IMPORT}chain measured(seed: seed = 1) = ${stages}`;
const CHAINS = [
  { name: "default", text: chainOf(DEFAULT) },
  { name: "penalties, default", text: chainOf(`penalties(last_n: 64, repeat: 1.1) |> ${DEFAULT}`) },
];
const SEQUENCES = [1, 32, 64];

const distOf = (folder: string): string => join(folder, "runtime", "dist");

await runMain(USAGE, async (signal) => {
  const { values } = parseArgs({
    options: {
      processes: { type: "string", default: "5" },
      rounds: { type: "string", default: "5" },
      with: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  if (!existsSync("/proc/self/schedstat")) throw new Error("the time of one thread needs Linux's /proc/self/schedstat");
  const processes = countOf("--processes", values.processes);
  const rounds = countOf("--rounds", values.rounds);
  const checkouts = [ROOT, ...(values.with === undefined ? [] : [resolve(values.with)])];
  for (const folder of checkouts)
    if (!existsSync(distOf(folder))) throw new UsageError(`--with: expected a built checkout, found ${folder}`);
  const rows: string[][] = [];
  for (const { name, text } of CHAINS)
    for (const sequences of SEQUENCES) {
      const found = checkouts.map((): number[] => []);
      for (let i = 0; i < processes; i++) {
        for (const [which, folder] of checkouts.entries()) found[which]!.push(...once(folder, text, sequences, rounds));
        await new Promise((resume) => setImmediate(resume));
        signal.throwIfAborted();
      }
      rows.push([name, String(sequences), ...found.map((us) => spreadText(spreadOf(us)))]);
    }
  process.stdout.write(
    `${formatTable(["chain", "sequences", ...checkouts], rows)}\nmicroseconds, median (quartiles)\n`,
  );
});

function once(folder: string, text: string, sequences: number, rounds: number): number[] {
  const demo = join(ROOT, "examples", "model", "demo-q8_0.gguf");
  const args = [join(ROOT, "bench", "dist", "scriptOnce.js"), distOf(folder), demo, text];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, String(sequences), String(rounds)], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`node ${args.join(" ")} failed: ${stderr}`);
  return JSON.parse(stdout) as number[];
}
