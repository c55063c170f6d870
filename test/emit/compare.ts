/** Chains in another runtime beside the reference, token by token, several sequences at once. */
import { expect } from "@jest/globals";
import type { Graph } from "../../compiler/graph/graph.js";
import { interpret, type Outputs } from "../../runtime/backends/reference/interpret.js";
import type { UniformValues } from "../../runtime/sequence/sequence.js";
import { openSteps, type Given, type Steps } from "../../runtime/chain/openSteps.js";
import { makeLogits, ORDINARY_SHAPES, type LogitsSpec } from "../parity/logits.js";
import { random } from "../parity/random.js";
import { rowsOfGraph } from "../parity/rows.js";
import { PROBABILITY_TOLERANCE } from "../parity/settings.js";

interface Plan {
  readonly vocabSize: number;
  /** How many sequences. */
  readonly rows: number;
  readonly steps: number;
  readonly uniforms?: UniformValues;
  readonly seed?: number;
  /** The logits, in turn. */
  readonly shapes?: LogitsSpec["shape"][];
}

/** Largest difference of two values of a state or measure, relative to the larger one. */
const SCALAR_TOLERANCE = 1e-5;

/**
 * Runs a graph on random logits, `run` beside the reference. Both go on with the reference's token, each with its own states.
 * Returns the differences, in words.
 */
function differencesOf(graph: Graph, plan: Plan, run: (given: readonly Given[]) => Outputs[]): string[] {
  const { rows, steps } = plan;
  const sequences = Array.from({ length: rows }, (_, row) => ({
    wanted: open(graph, plan, row),
    found: open(graph, plan, row),
  }));
  const differences: string[] = [];
  for (let step = 0; step < steps; step++) {
    const logits = sequences.map((_, row) => logitsFor(plan, step, row));
    const outputs = run(sequences.map(({ found }, row) => found.begin(logits[row]!)));
    sequences.forEach(({ wanted, found }, row) => {
      const given = wanted.begin(logits[row]!);
      const reference = interpret(graph, [given.logits, ...given.inputs], given.uniforms);
      differences.push(...differencesIn(outputs[row]!, reference).map((d) => `step ${step}, sequence ${row}: ${d}`));
      const { token, candidates } = wanted.end(reference);
      found.end(outputs[row]!);
      const next = token ?? candidates[0]?.token ?? 0;
      wanted.accept(next);
      found.accept(next);
    });
  }
  return differences;
}

function open(graph: Graph, { vocabSize, uniforms, seed = 0 }: Plan, row: number): Steps {
  const r = random(1000 * seed + row);
  const column = (): Float32Array => Float32Array.from({ length: vocabSize }, () => 3 * r.normal());
  const inputs: Record<string, Float32Array | number[] | Map<number, number>> = {};
  for (const { from, form } of graph.features) {
    if ("in" in from && typeof from.in === "object") inputs[from.in.input] = [1, 2, 3];
    if (from.kind === "guide" || from.kind === "input")
      inputs[from.name] = form.kind === "sparse" ? new Map([[r.below(vocabSize), 1]]) : column();
  }
  const bias = new Map(Array.from({ length: 5 }, (_, i) => [r.below(vocabSize), i === 0 ? -Infinity : i - 2]));
  const history = Array.from({ length: 30 }, () => r.below(Math.min(10, vocabSize)));
  return openSteps(graph, vocabSize, {
    history,
    uniforms,
    feed: { bias, inputs, vocabulary: textsFor(vocabSize) },
  });
}

/** One for each size, as the runtime keeps what it finds in one. */
const vocabularies = new Map<number, readonly string[]>();

/** Every letter is a token, so that every text is a list of tokens. */
function textsFor(vocabSize: number): readonly string[] {
  const texts =
    vocabularies.get(vocabSize) ??
    Array.from({ length: vocabSize }, (_, token) => (token < 128 ? String.fromCharCode(token) : `_${token}`));
  vocabularies.set(vocabSize, texts);
  return texts;
}

/** Of all ordinary shapes in turn; in some sequences a part is -inf. */
function logitsFor({ vocabSize, seed = 0, shapes = ORDINARY_SHAPES }: Plan, step: number, row: number): Float32Array {
  const shape = shapes[(step + row) % shapes.length]!;
  return makeLogits({ shape, vocabSize, seed: 7919 * seed + 101 * step + row, dropped: row % 4 === 3 ? 0.3 : 0 });
}

function differencesIn(found: Outputs, wanted: Outputs): string[] {
  const differences: string[] = [];
  if (found.sampled !== wanted.sampled) differences.push(`token ${found.sampled}, expected ${wanted.sampled}`);
  if (wanted.logits && wanted.probs) {
    const [here, there] = [rowsOfGraph(found), rowsOfGraph(wanted)];
    const probs = new Map(there.tokens.map((token, i) => [token, there.probs[i]!]));
    const strays = here.tokens.filter((token) => !probs.has(token)).length;
    if (strays > 0 || here.tokens.length !== probs.size)
      differences.push(`${here.tokens.length} rows, ${strays} of them others, expected ${probs.size}`);
    const worst = here.tokens.reduce((most, t, i) => Math.max(most, Math.abs(here.probs[i]! - (probs.get(t) ?? 0))), 0);
    if (!(worst <= PROBABILITY_TOLERANCE)) differences.push(`a probability is off by ${worst}`);
  }
  wanted.states.forEach((value, i) => {
    const other = found.states[i]!;
    const distance = Math.abs(value - other) / Math.max(1, Math.abs(value), Math.abs(other));
    if (!(distance <= SCALAR_TOLERANCE)) differences.push(`scalar ${i} is ${other}, expected ${value}`);
  });
  return differences;
}

/** Expects no difference; returns the number of tokens. */
export function expectSame(...of: Parameters<typeof differencesOf>): number {
  expect(differencesOf(...of).slice(0, 5)).toEqual([]);
  const [, { rows, steps }] = of;
  return rows * steps;
}
