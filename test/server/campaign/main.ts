/** `npm run campaign:server`: see tools/campaign-server.ts. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "../../../runtime/core/table.js";
import { DEMO_MODEL, writeExactModel } from "../../model/file.js";
import { METRICS_KEY, startServer, templateOptions, type Child } from "./child.js";
import { byAddress, hostile, type Goal } from "./hostile.js";
import { load } from "./load.js";
import { seeds } from "./seeds.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    clients: { type: "string", default: "64" },
    minutes: { type: "string", default: "15" },
    requests: { type: "string", default: "10000" },
    quiet: { type: "string", default: "30" },
    honest: { type: "string", default: "16" },
    seeds: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    kinds: { type: "string" },
    only: { type: "string", default: "load,hostile,seeds" },
  },
});
const number = (name: Exclude<keyof typeof values, "only" | "kinds">): number => Number(values[name]);
const clients = number("clients");

/** Growth of memory after a sixth of the time, in megabytes. */
const TOLERANCE = 16;
/** Texts in a thousand that may differ: no setting makes logits equal to the last bit. */
const DIFFERING = 5;

const EXACT = ["--cache-type-k", "f32", "--cache-type-v", "f32", "--flash-attn", "off"];
const folder = mkdtempSync(join(tmpdir(), "ggsl-campaign-"));
const faults: string[] = [];
const pair = ([a, b]: readonly [number, number]): string => `${a.toFixed(1)} and ${b.toFixed(1)}`;

try {
  const parts = values.only.split(",");
  if (parts.includes("load"))
    await run("load", clients, [DEMO_MODEL, "--ctx-size", "128"], async (server) => {
      const report = await load(server, { clients, seconds: number("seconds"), tokens: 32 });
      const { requests, tokens, seconds, first, next, memory, cpu } = report;
      const growth = memory[1] - memory[0];
      console.log(`${clients} clients with ${clients} samplers, ${seconds.toFixed(0)} s: ${requests} requests, ${(requests / seconds).toFixed(1)} a second, ${(tokens / seconds).toFixed(0)} tokens a second
first token, median and p99: ${pair(first)} ms; between tokens: ${pair(next)} ms
memory after a sixth and at the end: ${pair(memory)} MB; processor: ${cpu.toFixed(1)} s`);
      if (growth > TOLERANCE) faults.push(`load: memory grew by ${growth.toFixed(1)} MB`);
      return report.faults;
    });
  if (parts.includes("hostile") || parts.includes("seeds")) {
    const exact = writeExactModel(folder);
    const key = "sk-honest-1";
    const file = join(folder, "keys.txt");
    writeFileSync(file, `${key} honest\n${METRICS_KEY} metrics\n`);
    const options: [string, ...string[]] = [exact, "--ctx-size", "256", ...EXACT];
    if (parts.includes("hostile"))
      await run(
        "hostile",
        32,
        [...options, "--lenient", "--log-prompts", ...templateOptions(folder)],
        async (server) => {
          console.log(`hostile: seed ${number("seed")}`);
          const report = await hostile(server, {
            requests: number("requests"),
            seconds: 60 * number("minutes"),
            quiet: number("quiet"),
            atOnce: 32,
            honest: number("honest"),
            seed: number("seed"),
            ...byAddress(() => server.url),
            kinds: values.kinds?.split(","),
          });
          const { requests, seconds, outcomes, goals } = report;
          console.log(`${requests} hostile requests in ${seconds.toFixed(0)} s`);
          for (const [kind, counts] of outcomes)
            console.log(`  ${kind}: ${[...counts].map(([outcome, n]) => `${n} x ${outcome}`).join(", ")}`);
          print(goals);
          return [
            ...report.faults,
            ...goals.filter(({ isMet }) => !isMet).map(({ name, found }) => `${name}: ${found}`),
          ];
        },
      );
    if (parts.includes("seeds"))
      await run("seeds", clients, [...options, "--api-keys", file], async (server) => {
        const report = await seeds(server, number("seeds"), clients, key);
        const { texts, differing, seconds } = report;
        console.log(
          `${texts} texts with seeds, alone and ${clients} at once, in ${seconds.toFixed(0)} s: ${differing.length} differ`,
        );
        for (const one of differing.slice(0, 5)) console.log(`  ${one}`);
        if (differing.length * 1000 > texts * DIFFERING) faults.push(`seeds: ${differing.length} texts differ`);
        return report.faults;
      });
  }
} finally {
  rmSync(folder, { recursive: true });
}
for (const fault of faults) console.error(`campaign: ${fault}`);
console.log(faults.length === 0 ? "campaign: ok" : `campaign: ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

function print(goals: readonly Goal[]): void {
  const rows = goals.map(({ name, found, wanted, isMet }) => [name, found, wanted, isMet ? "met" : "MISSED"]);
  console.log(formatTable(["goal", "found", "at most", ""], rows));
}

async function run(
  name: string,
  sequences: number,
  [model, ...options]: readonly [model: string, ...options: string[]],
  part: (server: Child) => Promise<readonly string[]>,
): Promise<void> {
  const server = await startServer(model, "--sequences", String(sequences), ...options);
  const found = await part(server);
  const status = server.isAlive() ? await server.end() : "none, it had ended";
  const all = [...found, ...(status === 0 ? [] : [`the server's status is ${status}: ${server.errors()}`])];
  faults.push(...all.slice(0, 20).map((fault) => `${name}: ${fault}`));
  if (all.length > 20) faults.push(`${name}: and ${all.length - 20} more`);
}
