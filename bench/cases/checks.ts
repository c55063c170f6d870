/**
 * Cases with expected outputs from the reference interpreter: standard samplers, parameters and many kinds of logits. A device
 * has to give the same results.
 */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { STD_SAMPLERS } from "@ggsl/compiler/std/samplers.js";
import { compilePipeline, type Chain } from "ggsl/chain/chain.js";
import { drawF64, mt19937, type Mt19937 } from "ggsl/core/mt19937.js";
import { interpret, type Outputs } from "ggsl/backends/reference/interpret.js";
import { acceptPrompt, featureInputs, startSequence, uniformsOf, type UniformValues } from "ggsl/sequence/sequence.js";
import { CHAINS, compileFor, uniformsFor } from "../chains.js";
import type { Case, CaseRow } from "./caseFile.js";

/** Stages with other parameters than the examples, and chains. Without a pick, the rows are checked. */
const MORE_STAGES = [
  ...["temp(0.3) |> dist(1)", "temp(1.5) |> dist(2)", "temp(0)"],
  ...["temp_ext(1, 0.3, 2) |> dist(3)", "top_k(1)", "top_k(40) |> dist(4)", "top_k(5000)", "top_k(0)"],
  ...["top_p(0.5)", "top_p(0.9, 5) |> dist(5)", "top_p(1)"],
  ...["min_p(0.3)", "min_p(0.5, 4) |> dist(6)", "min_p(0)"],
  ...["typical(0.5)", "typical(0.95) |> dist(7)", "top_n_sigma(2) |> dist(8)"],
  ...["xtc(1, 0.05)", "xtc(0.5, 0.1, 2, 9) |> dist(10)", "xtc(1, 0.3, 0, 11)"],
  ...["mirostat(3, 0.1, 100, 12)", "mirostat_v2(2, 0.1, 13)", "mirostat_v2(5, 0.3, 14)"],
  ...["adaptive_p(-1, 0.9, 16)", "penalties(8, 1.1) |> top_k(20) |> dist(17)", "logit_bias() |> dist(18)"],
  ...["dry(0.8, 1.75, 2, 64, [3])", "dry(1, 2, 1, 32, []) |> dist(19)", "no_repeat_ngram(3) |> dist(20)"],
  "entropy_temp(0.8, 1, 0.8) |> dist(21)",
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(22)",
  "penalties(64, 1.1, 0.1, 0.1) |> top_k(40) |> top_p(0.9) |> temp(0.7) |> dist(23)",
  "top_n_sigma(1.5) |> xtc(0.6, 0.1, 1, 24) |> typical(0.9) |> temp(1.2) |> dist(25)",
];

/** All stages; the names are unique. */
const STAGES = [
  ...STD_SAMPLERS.filter(({ takesGrammar }) => !takesGrammar).map(({ example }) => example),
  ...MORE_STAGES,
];

/** The distribution of logits over the vocabulary. */
type Spread = (random: Mt19937, size: number) => Float32Array;
const SPREADS: Readonly<Record<string, Spread>> = {
  peaked: (random, size) => fill(size, (i) => normal(random) * 2 + (i % 7 === 3 && i < 40 ? 12 : 0)),
  flat: (random, size) => fill(size, () => normal(random)),
  masked: (random, size) => fill(size, (i) => (i % 3 === 1 ? -Infinity : normal(random) * 3)),
  far: (random, size) => fill(size, () => normal(random) * 40 - 500),
};

/** The strictest first: a chain may amplify rounding errors of its logits. */
const TOLERANCES = [1e-4, 1e-3, 1e-2];
const VOCAB = 1000;
const ROWS = 3;

interface CheckPlan {
  readonly stages: readonly string[];
  readonly spreads: readonly string[];
}

export const FULL_CHECKS: CheckPlan = { stages: STAGES, spreads: Object.keys(SPREADS) };

export const checkCases = ({ stages, spreads }: CheckPlan): Case[] =>
  stages.flatMap((text) => spreads.map((spread) => constantCase(text, spread, VOCAB)));

/** Chains with different uniforms per sequence, and the default chain at the vocabulary size of a large model. */
export const uniformCases = (): Case[] => [
  ...CHAINS.map((chain) =>
    checkCase(
      `${chain.name} with uniforms`,
      compileFor(chain, 4),
      "peaked",
      VOCAB,
      (row) => uniformsFor(chain, row),
      4,
    ),
  ),
  constantCase(
    STAGES.find((text) => text.startsWith("top_k(40) |> top_p"))!,
    "peaked",
    128256,
  ),
];

/** Logits far below the best may be sensitive to rounding; then only the best rows are checked. */
function constantCase(text: string, spread: string, vocabSize: number): Case {
  const chain = compilePipeline(text);
  const found = findCase(text, chain, spread, vocabSize, () => ({}), ROWS);
  if (found) return found;
  if (chain.rowsGraph.outputs.sampled !== undefined) throw unstable(text, spread);
  const best = `${text} |> top_k(10)`;
  return checkCase(best, compilePipeline(best), spread, vocabSize, () => ({}), ROWS);
}

function checkCase(...of: Parameters<typeof findCase>): Case {
  const found = findCase(...of);
  if (!found) throw unstable(of[0], of[2]);
  return found;
}

const unstable = (name: string, spread: string): Error =>
  new Error(`${name}, ${spread}: for all logits the result depends on rounding`);

function findCase(
  name: string,
  chain: Chain,
  spread: string,
  vocabSize: number,
  uniforms: (row: number) => UniformValues,
  count: number,
): Case | undefined {
  const fullName = `${name}, ${spread}, V=${vocabSize}`;
  for (const tolerance of TOLERANCES) {
    const rows = Array.from({ length: count }, (_, row) =>
      stableRow(chain.rowsGraph, SPREADS[spread]!, vocabSize, uniforms(row), row, tolerance),
    );
    if (rows.every((row) => row !== undefined)) {
      return { name: fullName, graph: chain.rowsGraph, vocabSize, rows, tolerance };
    }
  }
  return undefined;
}

/** A row whose result is insensitive to a device's rounding. */
function stableRow(
  graph: Graph,
  spread: Spread,
  vocabSize: number,
  uniforms: UniformValues,
  row: number,
  tolerance: number,
): CaseRow | undefined {
  for (let attempt = 0; attempt < 30; attempt++) {
    const seed = 7919 * row + attempt;
    const tried = tryRow(graph, spread(mt19937(seed), vocabSize), uniforms, seed, tolerance);
    if (tried) return tried;
  }
  return undefined;
}

function tryRow(
  graph: Graph,
  logits: Float32Array,
  uniforms: UniformValues,
  seed: number,
  tolerance: number,
): CaseRow | undefined {
  const random = mt19937(seed + 1);
  const history = Array.from({ length: 48 }, () => Math.floor(drawF64(random) * 24));
  const sequence = acceptPrompt(
    startSequence(graph, logits.length, {
      uniforms,
      feed: { bias: BIAS, inputs: guidesFor(graph, random, logits.length) },
    }),
    history,
  );
  const inputs = featureInputs(sequence);
  const values = uniformsOf(sequence);
  const run = (of: Float32Array): Outputs => interpret(graph, [of, ...inputs], values);
  const expected = run(logits);
  const nudge = (x: number): number => x * (1 + 4e-6 * (drawF64(random) - 0.5));
  const isStable = [1, 2, 3].every(() => isSame(expected, run(logits.map(nudge)), tolerance / 5));
  return isStable ? { logits, uniforms: values, inputs, expected, history } : undefined;
}

/** Logits of other sequences. */
const guidesFor = (graph: Graph, random: Mt19937, size: number): Record<string, Float32Array> =>
  Object.fromEntries(guidesOf(graph).map(({ name }) => [name, fill(size, () => normal(random) * 2)]));

const BIAS = new Map([
  [3, 5],
  [10, -4],
  [17, 2.5],
]);

/** The same token, the same rows, and numbers within the tolerance. */
function isSame(a: Outputs, b: Outputs, tolerance: number): boolean {
  const [left, right] = [rowsOf(a), rowsOf(b)];
  const isNear = (x: number, y: number): boolean => Math.abs(x - y) <= tolerance * Math.max(1, Math.abs(x));
  return (
    a.sampled === b.sampled &&
    left.size === right.size &&
    [...left].every(([token, logit]) => right.has(token) && isNear(logit, right.get(token)!)) &&
    a.states.every((state, i) => isNear(state, b.states[i]!))
  );
}

const rowsOf = ({ candidates, logits }: Outputs): Map<number, number> =>
  new Map(
    Array.from(logits ?? [], (logit, i) => [candidates?.[i] ?? i, logit] as const).filter(([, x]) => x !== -Infinity),
  );

const fill = (size: number, value: (i: number) => number): Float32Array =>
  Float32Array.from({ length: size }, (_, i) => value(i));

/** The Box-Muller transform. */
const normal = (random: Mt19937): number =>
  Math.sqrt(-2 * Math.log(1 - drawF64(random))) * Math.cos(2 * Math.PI * drawF64(random));
