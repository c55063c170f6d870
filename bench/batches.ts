/**
 * `npm run bench:batches`: texts written at the same time, from end to end: GGSL through its public interface, and a loop in C++ with
 * llama.cpp's own samplers on the CPU, alternating. Writes bench/results/batches.json, and updates docs/performance.md.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "ggsl/core/table.js";
import { countOf, runMain, UsageError } from "./main.js";
import { updatePage } from "./report/page.js";
import { ownChainsText, textsTable, threadsTable } from "./report/texts.js";
import {
  circumstances,
  quantile,
  readJson,
  spreadOf,
  writeJson,
  type OwnChains,
  type TextsMeasurement,
  type TextsTimings,
} from "./results.js";
import { ONE_CHAIN, OWN_CHAINS } from "./texts/chains.js";
import { openGgsl, type GgslRound, type Round } from "./texts/ggsl.js";
import { openLlama, type LlamaRound } from "./texts/llama.js";
import { DEMO, PARTS, type Part } from "./texts/parts.js";
import { ROOT } from "./tool.js";

const ROUNDS = "9";
const WHOLE = PARTS.filter(({ threads, model, lengths }) => threads === 1 && model === DEMO.model && !lengths);
const OWN = "own chains";
const USAGE = `usage: npm run bench:batches -- [options]
  --rounds N        rounds of each comparison (default ${ROUNDS})
  --only LIST       names of parts, with / between: what the file has of others stays (default: those of the demo model with one thread)
${[...PARTS.map(({ name }) => name), OWN].map((name) => `                      ${name}`).join("\n")}
  --sequences LIST  in place of those of the parts; others than theirs write nothing
`;
const RESULTS = join(ROOT, "bench", "results", "batches.json");

await runMain(USAGE, async (signal) => {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: ROUNDS },
      only: { type: "string" },
      sequences: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const rounds = countOf("--rounds", values.rounds);
  const names = values.only?.split("/") ?? [...WHOLE.map(({ name }) => name), OWN];
  const unknown = names.find((name) => name !== OWN && !PARTS.some((part) => part.name === name));
  if (unknown !== undefined)
    throw new UsageError(`--only: expected ${[...PARTS.map((part) => part.name), OWN].join("; ")}, found ${unknown}`);
  const counts = values.sequences?.split(",").map((text) => countOf("--sequences", text));
  const cases = PARTS.filter(({ name }) => names.includes(name)).flatMap((part) =>
    (counts ?? part.sequences).map((sequences) => ({ part, sequences })),
  );
  const measurements: TextsMeasurement[] = [];
  for (const [i, { part, sequences }] of cases.entries()) {
    process.stderr.write(
      `[${i + 1}/${cases.length}] ${part.name}, ${sequences} sequence${sequences === 1 ? "" : "s"}\n`,
    );
    measurements.push(await measure(part, sequences, rounds, signal));
  }
  const ownChains = names.includes(OWN) ? await measureOwnChains(64, rounds, signal) : undefined;
  for (const { head, rows } of [textsTable(measurements), threadsTable(measurements)])
    process.stdout.write(`${formatTable(head, rows)}\n\n`);
  if (ownChains) process.stdout.write(`${ownChainsText(ownChains)}\n`);
  if (cases.some(({ part, sequences }) => !part.sequences.includes(sequences))) return;
  const command = `npm run bench:batches${values.rounds === ROUNDS ? "" : ` -- --rounds ${rounds}`}`;
  writeJson(RESULTS, {
    ...circumstances(command),
    ...merged(values.only !== undefined || counts !== undefined, measurements, ownChains),
  });
  updatePage();
});

/** The results in the order of the parts, with those that the file has of parts that were not measured. */
function merged(
  isPart: boolean,
  measurements: readonly TextsMeasurement[],
  ownChains: OwnChains | undefined,
): Pick<TextsTimings, "measurements" | "ownChains"> {
  const before = isPart && existsSync(RESULTS) ? readJson<TextsTimings>(RESULTS) : undefined;
  const all = [...(before?.measurements ?? []), ...measurements];
  const own = ownChains ?? before?.ownChains;
  return {
    measurements: PARTS.flatMap(({ name, sequences }) =>
      sequences.flatMap((count) => all.findLast((m) => m.chain === name && m.sequences === count) ?? []),
    ),
    ...(own && { ownChains: own }),
  };
}

async function measureOwnChains(sequences: number, rounds: number, signal: AbortSignal): Promise<OwnChains> {
  process.stderr.write(`${sequences} chains, beside one\n`);
  const sides = await Promise.all([OWN_CHAINS, ONE_CHAIN].map((programs) => openGgsl(DEMO.model, programs, sequences)));
  try {
    const [own, one] = await inTurns(rounds, DEMO.warmUp, signal, sides);
    return { sequences, timeRatio: spreadOf(own!.map(({ us }, round) => us / one![round]!.us)) };
  } finally {
    await Promise.all(sides.map((side) => side.close()));
  }
}

interface Side<R extends Round> {
  write(): Promise<R>;
}

/** The rounds of each side, in rotating order, after `warmUp` tokens of each. */
async function inTurns<Rounds extends Round[]>(
  rounds: number,
  warmUp: number,
  signal: AbortSignal,
  sides: { readonly [I in keyof Rounds]: Side<Rounds[I]> },
): Promise<{ [I in keyof Rounds]: Rounds[I][] }> {
  for (const side of sides)
    for (let tokens = 0; tokens < warmUp; tokens += countIn(await side.write())) signal.throwIfAborted();
  const written = sides.map((): Round[] => []);
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < sides.length; i++) {
      signal.throwIfAborted();
      const at = (i + round) % sides.length;
      written[at]!.push(await sides[at]!.write());
    }
  return written as { [I in keyof Rounds]: Rounds[I][] };
}

async function measure(part: Part, sequences: number, rounds: number, signal: AbortSignal): Promise<TextsMeasurement> {
  const { chain, ways, model, warmUp } = part;
  const ggsl = await openGgsl(model, chain, sequences, part);
  const llama = ways.map((way) => openLlama(model, chain, way, sequences, part));
  const sides: [Side<GgslRound>, ...Side<LlamaRound>[]] = [ggsl, ...llama];
  let written: [GgslRound[], ...LlamaRound[][]];
  try {
    written = await inTurns<[GgslRound, ...LlamaRound[]]>(rounds, warmUp, signal, sides);
  } finally {
    await Promise.all([ggsl, ...llama].map((side) => side.close()));
  }
  const [ours, ...theirs] = written;
  const names = [...new Set(ours.flatMap(({ threads }) => [...threads.keys()]))];
  return {
    chain: part.name,
    sequences,
    ...(part.lengths && { texts: part.lengths.length }),
    rounds,
    tokens: countIn(ours[0]!),
    tokensPerSecond: spreadOf(ours.map(rateOf)),
    cpuUs: spreadOf(ours.map((r) => r.cpuUs / countIn(r))),
    threads: Object.fromEntries(
      names.map((name) => [
        name,
        quantile(
          ours.map((r) => (r.threads.get(name) ?? 0) / countIn(r)),
          0.5,
        ),
      ]),
    ),
    llama: theirs.map((list, i) => ({
      way: ways[i]!.name,
      tokensPerSecond: spreadOf(list.map(rateOf)),
      cpuUs: spreadOf(list.map((r) => r.cpuUs / countIn(r))),
      samplingUs: spreadOf(list.map((r) => r.samplingUs / countIn(r))),
      ratio: spreadOf(list.map((r, round) => rateOf(ours[round]!) / rateOf(r))),
      tokens: countIn(list[0]!),
      sameTexts: list[0]!.tokens.filter((text, at) => text.join() === ours[0]!.tokens[at]!.join()).length,
    })),
  };
}

function countIn({ tokens }: Round): number {
  return tokens.reduce((sum, text) => sum + text.length, 0);
}

/** Tokens a second. */
function rateOf(round: Round): number {
  return (countIn(round) / round.us) * 1e6;
}
