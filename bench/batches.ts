/**
 * `npm run bench:batches`: texts written at the same time, from end to end: GGSL through its public interface, and a loop in C++ with
 * llama.cpp's own samplers on the CPU, alternating. Writes bench/results/batches.json, and updates docs/performance.md.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "ggsl/core/table.js";
import { countOf, runMain, UsageError } from "./main.js";
import { updatePage } from "./report/page.js";
import { ownChainsText, textsTable, threadsTable } from "./report/texts.js";
import {
  circumstances,
  quantile,
  spreadOf,
  writeJson,
  type OwnChains,
  type TextsMeasurement,
  type TextsTimings,
} from "./results.js";
import { ONE_CHAIN, OWN_CHAINS, TEXT_CHAINS, type TextChain } from "./texts/chains.js";
import { openGgsl, type GgslRound, type Round } from "./texts/ggsl.js";
import { openLlama, type LlamaRound } from "./texts/llama.js";
import { ROOT } from "./tool.js";

const ROUNDS = "9";
const USAGE = `usage: npm run bench:batches -- [options]
  --rounds N        rounds of each comparison (default ${ROUNDS})
  --only CHAIN      one chain: ${TEXT_CHAINS.map(({ name }) => name).join("; ")}. Writes nothing
  --sequences LIST  (default 1,8,32,64). Writes nothing
`;
const SEQUENCES = [1, 8, 32, 64];
/** Tokens that each side writes before the first round: V8 goes on compiling for some thousand tokens. */
const WARM_UP = 8192;
const MODEL = join(ROOT, "examples", "model", "demo-q8_0.gguf");
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
  const chains = TEXT_CHAINS.filter(({ name }) => values.only === undefined || name === values.only);
  if (chains.length === 0)
    throw new UsageError(`--only: expected ${TEXT_CHAINS.map((c) => c.name).join("; ")}, found ${values.only}`);
  const counts = values.sequences?.split(",").map((text) => countOf("--sequences", text)) ?? SEQUENCES;
  const cases = chains.flatMap((chain) => counts.map((sequences) => ({ chain, sequences })));
  const measurements: TextsMeasurement[] = [];
  for (const [i, { chain, sequences }] of cases.entries()) {
    process.stderr.write(
      `[${i + 1}/${cases.length}] ${chain.name}, ${sequences} sequence${sequences === 1 ? "" : "s"}\n`,
    );
    measurements.push(await measure(chain, sequences, rounds, signal));
  }
  const isWhole = values.only === undefined && values.sequences === undefined;
  const ownChains = isWhole ? await measureOwnChains(Math.max(...counts), rounds, signal) : undefined;
  for (const { head, rows } of [textsTable(measurements), threadsTable(measurements)])
    process.stdout.write(`${formatTable(head, rows)}\n\n`);
  if (!ownChains) return;
  process.stdout.write(`${ownChainsText(ownChains)}\n`);
  const command = `npm run bench:batches${values.rounds === ROUNDS ? "" : ` -- --rounds ${rounds}`}`;
  const timings: TextsTimings = { ...circumstances(command), measurements, ownChains };
  writeJson(RESULTS, timings);
  updatePage();
});

async function measureOwnChains(sequences: number, rounds: number, signal: AbortSignal): Promise<OwnChains> {
  process.stderr.write(`${sequences} chains, beside one\n`);
  const sides = await Promise.all([OWN_CHAINS, ONE_CHAIN].map((programs) => openGgsl(MODEL, programs, sequences)));
  try {
    const [own, one] = await inTurns(rounds, signal, sides);
    return { sequences, timeRatio: spreadOf(own!.map(({ us }, round) => us / one![round]!.us)) };
  } finally {
    await Promise.all(sides.map((side) => side.close()));
  }
}

interface Side<R extends Round> {
  write(): Promise<R>;
}

/** The rounds of each side, in rotating order, after `WARM_UP` tokens of each. */
async function inTurns<Rounds extends Round[]>(
  rounds: number,
  signal: AbortSignal,
  sides: { readonly [I in keyof Rounds]: Side<Rounds[I]> },
): Promise<{ [I in keyof Rounds]: Rounds[I][] }> {
  for (const side of sides)
    for (let tokens = 0; tokens < WARM_UP; tokens += countIn(await side.write())) signal.throwIfAborted();
  const written = sides.map((): Round[] => []);
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < sides.length; i++) {
      signal.throwIfAborted();
      const at = (i + round) % sides.length;
      written[at]!.push(await sides[at]!.write());
    }
  return written as { [I in keyof Rounds]: Rounds[I][] };
}

async function measure(
  chain: TextChain,
  sequences: number,
  rounds: number,
  signal: AbortSignal,
): Promise<TextsMeasurement> {
  const ggsl = await openGgsl(MODEL, chain, sequences);
  const llama = chain.ways.map((way) => openLlama(MODEL, chain, way, sequences));
  const sides: [Side<GgslRound>, ...Side<LlamaRound>[]] = [ggsl, ...llama];
  let written: [GgslRound[], ...LlamaRound[][]];
  try {
    written = await inTurns<[GgslRound, ...LlamaRound[]]>(rounds, signal, sides);
  } finally {
    await Promise.all([ggsl, ...llama].map((side) => side.close()));
  }
  const [ours, ...theirs] = written;
  const names = [...new Set(ours.flatMap(({ threads }) => [...threads.keys()]))];
  return {
    chain: chain.name,
    sequences,
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
      way: chain.ways[i]!.name,
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
