/** Random programs in the C library: for each token the same uniforms and inputs as in TypeScript, to the bit. */
import * as fc from "fast-check";
import type { Graph } from "../../compiler/graph/graph.js";
import { readSpec, writeSpec } from "../../compiler/graph/json.js";
import { setsOf } from "../../compiler/graph/sets.js";
import { withSeed } from "../../compiler/graph/seeds.js";
import { columnsOf, varying } from "../../runtime/sequence/features/feed.js";
import {
  acceptPrompt,
  acceptToken,
  featureInputs,
  startSequence,
  uniformsOf,
  withUniforms,
  writtenToken,
  type SequenceState,
} from "../../runtime/sequence/sequence.js";
import type { Vector } from "../../runtime/backends/reference/kernels.js";
import { runOf } from "../parity/backends.js";
import { cases, describeCase, makeGiven, type Case, type Given } from "../random/cases.js";
import { compileIn, OPTIMIZED, Refused } from "../random/compile.js";
import { vocabularyOf } from "../random/vocabulary.js";
import { sequenceOf, type CSequence } from "./library.js";

interface Tally {
  programs: number;
  steps: number;
  numbers: number;
  /** Programs that exceed a limit of the compiler. */
  refused: number;
  /** Programs that need the JavaScript runtime. */
  unsupported: number;
  failures: string[];
}

const STEPS = 20;

/** Compares `count` cases of a seed. */
export function compareCases(count: number, seed: number, onProgress?: (tally: Tally) => void): Tally {
  const tally: Tally = { programs: 0, steps: 0, numbers: 0, refused: 0, unsupported: 0, failures: [] };
  for (const c of fc.sample(cases, { seed, numRuns: count })) {
    tally.programs++;
    try {
      compare(c, tally);
    } catch (error) {
      if (error instanceof Refused) tally.refused++;
      else tally.failures.push(`${(error as Error).stack ?? String(error)}\n${describeCase(c)}`);
    }
    if (tally.programs % 100 === 0) onProgress?.(tally);
  }
  return tally;
}

function compare(c: Case, tally: Tally): void {
  const given = { ...makeGiven(c), draws: undefined };
  const { vocabSize } = c.logits;
  const spec = writeSpec(withSeed(compileIn(c.program).graph(OPTIMIZED), c.logits.seed));
  // JSON has no -0
  const graph = readSpec(spec);
  const uniforms = Object.fromEntries(
    graph.params.flatMap(({ name }) => (name in given.uniforms ? [[name, given.uniforms[name]!]] : [])),
  );
  const vocabulary = vocabularyOf(vocabSize);
  let theirs: CSequence;
  try {
    theirs = sequenceOf(spec, vocabulary);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === "UNSUPPORTED" && message.includes("pattern")) {
      tally.unsupported++;
      return;
    }
    throw error;
  }
  let ours = startSequence(graph, vocabSize, { ...given, uniforms: { ...uniforms, ...setsAt(graph, given, 0) } });
  for (const [name, value] of Object.entries(uniforms)) theirs.set(name, Number(value));
  setAll(theirs, graph, given, 0);
  giveAll(theirs, given);
  ours = acceptPrompt(ours, given.history);
  theirs.acceptPrompt(Int32Array.from(given.history));
  const columns = columnsOf(graph, ours.features);
  same("columns", theirs.columns(), columns, tally);
  const run = runOf("reference", graph, vocabSize);
  for (let step = 0; step < STEPS; step++) {
    // what is written may change with what is set
    theirs.written();
    ours = withUniforms(ours, setsAt(graph, given, step));
    setAll(theirs, graph, given, step);
    const numbers = compareStep(`step ${step}`, ours, theirs, tally);
    const row = given.logits[step % given.logits.length]!;
    const { sampled, states = new Float32Array() } = run(row, numbers.uniforms, numbers.inputs);
    // without a pick, any token
    const written = writtenToken(ours);
    if (theirs.written() !== written)
      throw new Error(`step ${step}: ${theirs.written()} is written, expected ${written}`);
    const token = written ?? (typeof sampled === "object" ? sampled[0] : sampled) ?? (7 * step) % vocabSize;
    ours = acceptToken(ours, token, Float32Array.from(states));
    theirs.accept(token, Float32Array.from(states));
    same(`states after step ${step}`, [theirs.states()], [ours.states], tally);
    tally.steps++;
  }
}

function compareStep(
  where: string,
  ours: SequenceState,
  theirs: CSequence,
  tally: Tally,
): { uniforms: Float32Array; inputs: Vector[] } {
  const uniforms = uniformsOf(ours);
  const inputs = featureInputs(ours);
  same(`uniforms of ${where}`, [theirs.uniforms()], [uniforms], tally);
  same(`inputs of ${where}`, theirs.inputs(), varying(ours.graph, inputs), tally);
  return { uniforms, inputs };
}

function same(what: string, found: readonly Vector[], wanted: readonly Vector[], tally: Tally): void {
  if (found.length !== wanted.length) throw new Error(`${what}: ${found.length} vectors, expected ${wanted.length}`);
  wanted.forEach((vector, i) => {
    tally.numbers += vector.length;
    const other = found[i]!;
    const at = vector.findIndex((x: number, k: number) => !Object.is(x, other[k]));
    if (other.length !== vector.length || at >= 0)
      throw new Error(`${what}: number ${at} of vector ${i} is ${shown(other[at]!)}, expected ${shown(vector[at]!)}`);
  });
}

const setsAt = (graph: Graph, { sets }: Given, step: number): Record<string, readonly (number | string)[]> =>
  Object.fromEntries(
    setsOf(graph).flatMap(({ name }) =>
      name !== undefined && sets[name] ? [[name, sets[name][step % sets[name].length]!]] : [],
    ),
  );

function setAll(theirs: CSequence, graph: Graph, given: Given, step: number): void {
  for (const [name, items] of Object.entries(setsAt(graph, given, step))) theirs.setTokens(name, items);
}

function giveAll(theirs: CSequence, { feed }: Given): void {
  const give = (name: string, values: NonNullable<typeof feed.inputs>[string]): void => {
    if (values instanceof Map) theirs.give(name, Int32Array.from(values.keys()), Float32Array.from(values.values()));
    else theirs.give(name, Float32Array.from(values as ArrayLike<number>));
  };
  for (const [name, values] of Object.entries(feed.inputs ?? {})) give(name, values);
  if (feed.bias) give("bias", feed.bias);
}

const shown = (x: number): string => (Object.is(x, -0) ? "-0" : String(x));
