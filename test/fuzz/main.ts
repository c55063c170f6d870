/** `npm run fuzz`: see tools/fuzz.ts. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { campaign, type Report, type Saved } from "./core/campaign.js";
import { Watch } from "./core/watch.js";
import { CAMPAIGN } from "./generators/index.js";

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    cases: { type: "string" },
    seed: { type: "string" },
    only: { type: "string" },
    case: { type: "string" },
  },
});

const FOLDER = "build/fuzz";
/** Time for shrinking one case, in milliseconds. */
const SHRINKING = 30_000;

/** Control characters of a case must not reach the terminal. */
const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, (c) => JSON.stringify(c).slice(1, -1));

const chosen = values.only?.split(",") ?? CAMPAIGN.map(({ name }) => name);
const stray = chosen.find((name) => !CAMPAIGN.some((g) => g.name === name));
if (stray !== undefined) {
  console.error(`there is no generator "${stray}"; there are:`);
  for (const { name, doc } of CAMPAIGN) console.error(`  ${name.padEnd(12)}${doc}`);
  process.exitCode = 2;
} else if (values.case === undefined) {
  await run();
} else {
  await repeat(values.case);
}

async function run(): Promise<void> {
  const generators = CAMPAIGN.filter(({ name }) => chosen.includes(name));
  const seed = Number(values.seed);
  const share = (Number(values.minutes) * 60_000) / generators.length;
  await using watch = new Watch();
  let faults = 0;
  for (const generator of generators) {
    const options = { seed, milliseconds: share, folder: FOLDER, shrinking: Math.min(SHRINKING, share) };
    const count = values.cases === undefined ? {} : { count: Number(values.cases) };
    const report = await campaign(generator, watch, { ...options, ...count });
    faults += report.found.size;
    print(report);
  }
  console.log(
    `seed ${seed}: ${faults === 0 ? "no faults" : `${faults} faults; \`npm run fuzz -- --case FILE\` repeats one`}`,
  );
  process.exitCode = faults === 0 ? 0 : 1;
}

function print({ generator, cases, skipped, unconfirmed, found }: Report): void {
  const more = { skipped, unconfirmed };
  const rest = Object.entries(more)
    .flatMap(([what, n]) => (n > 0 ? [`, ${n} ${what}`] : []))
    .join("");
  console.log(`${generator}: ${cases} cases, ${found.size} faults${rest}`);
  for (const { fault, count, file, index } of found.values()) {
    const [first = ""] = fault.message.split("\n");
    console.log(`  ${fault.kind}, ${count} cases, first ${index}: ${printable(first).slice(0, 160)}\n    ${file}`);
  }
}

/** Runs the case of a file again. */
async function repeat(file: string): Promise<void> {
  const saved = JSON.parse(readFileSync(file, "utf8")) as Saved;
  const generator = CAMPAIGN.find(({ name }) => name === saved.generator)!;
  await using watch = new Watch();
  const fault = await watch.runAlone(generator, saved.case);
  console.log(fault ? `${fault.kind}: ${fault.message}` : "no fault");
  process.exitCode = fault ? 1 : 0;
}
