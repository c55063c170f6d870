/**
 * What one sequence of tokens carries from token to token: its parameters, its streams of draws, its states. All of it is
 * turned into the uniforms that the graph reads, and moves on only when a token is accepted: a rejected or replayed
 * token changes nothing, and a clone goes its own way.
 */
import { randomInt } from "node:crypto";
import { evaluateHost, type HostEnvironment } from "../compiler/graph/host.js";
import type { Draw, Graph, Param } from "../compiler/graph/graph.js";
import { describeRange, isInRange } from "../compiler/graph/range.js";
import { isSeed } from "../compiler/graph/verify.js";
import { InputError } from "./errors.js";
import { drawF32, drawF64, mt19937, type Mt19937 } from "./mt19937.js";

export type UniformValues = Readonly<Record<string, number | boolean>>;

interface Stream {
  /** The draw for the token that is being chosen. */
  readonly value: number;
  /** The stream one draw later. It is a copy, so that the stream as it was can still be gone back to. */
  readonly next: () => Stream;
}

export interface SequenceState {
  readonly graph: Graph;
  readonly params: ReadonlyMap<string, number>;
  readonly streams: readonly Stream[];
  readonly states: Float32Array;
  /** Tokens accepted so far. */
  readonly step: number;
}

/**
 * A sequence before its first token. `draws`, one a token and in turn, take the place of the chain's own.
 * Throws `InputError` for values that do not fit the chain's parameters.
 */
export function startSequence(graph: Graph, vocabSize: number, values: UniformValues = {}, draws?: readonly number[]): SequenceState {
  const params = setParams(new Map(graph.params.map((p) => [p.name, initial(p)])), graph, values);
  const streams = graph.draws.map(({ kind, seed }) => (draws ? givenStream(draws) : startStream(kind, seedOf(seed, params))));
  const before: SequenceState = { graph, params, streams, states: new Float32Array(graph.states.length), step: 0 };
  const env = environment(before, vocabSize);
  return { ...before, states: Float32Array.from(graph.states, (s) => evaluateHost(s.init, env)) };
}

/** The same sequence with other parameters, from the next token on. A seed starts its streams anew. */
export function withUniforms(sequence: SequenceState, values: UniformValues): SequenceState {
  const params = setParams(sequence.params, sequence.graph, values);
  const streams = sequence.graph.draws.map(({ kind, seed }, i) => {
    const isSetAnew = typeof seed === "object" && values[seed.param] !== undefined;
    return isSetAnew ? startStream(kind, seedOf(seed, params)) : sequence.streams[i]!;
  });
  return { ...sequence, params, streams };
}

/** The numbers that the graph reads for the next token, f32 in the order of the graph's uniforms. */
export function uniformsOf(sequence: SequenceState, vocabSize: number): Float32Array {
  const env = environment(sequence, vocabSize);
  return Float32Array.from(sequence.graph.uniforms, ({ expr }) => evaluateHost(expr, env));
}

/** The sequence after its next token was accepted. `states` are the next states that the graph gave. */
export function acceptToken(sequence: SequenceState, states: Float32Array): SequenceState {
  return { ...sequence, streams: sequence.streams.map((s) => s.next()), states: states.slice(), step: sequence.step + 1 };
}

function environment({ params, streams, states, step }: SequenceState, vocabSize: number): HostEnvironment {
  return {
    param: (name) => params.get(name)!,
    draw: (index) => streams[index]!.value,
    state: (index) => states[index]!,
    step,
    vocab: vocabSize,
  };
}

// ---------------------------------------------------------------- parameters

const randomSeed = (): number => randomInt(2 ** 32);
const initial = (p: Param): number => (p.default === "random" ? randomSeed() : rounded(p, p.default));
/** Parameters are f32 on every device, so the host computes with what they are there. */
const rounded = (p: Param, value: number): number => (p.type === "seed" ? value : Math.fround(value));

function setParams(present: ReadonlyMap<string, number>, graph: Graph, values: UniformValues): Map<string, number> {
  const result = new Map(present);
  for (const [name, value] of Object.entries(values)) {
    const param = graph.params.find((p) => p.name === name);
    if (!param) throw new InputError(unknownUniform(name, graph));
    result.set(name, rounded(param, checked(param, Number(value))));
  }
  return result;
}

function unknownUniform(name: string, graph: Graph): string {
  const names = graph.params.map((p) => `\`${p.name}\``);
  const known = names.length > 0 ? `its uniforms are ${names.join(", ")}` : "it has no uniforms";
  return `the chain \`${graph.name}\` has no uniform \`${name}\`: ${known}`;
}

function checked({ name, type, range }: Param, value: number): number {
  if (type === "seed" && !isSeed(value)) throw new InputError(`\`${name}\` is a seed, an integer from 0 to 4294967295; found ${value}`);
  if (!Number.isFinite(value)) throw new InputError(`\`${name}\` must be a finite number, found ${value}`);
  if (type === "i32" && !Number.isInteger(value)) throw new InputError(`\`${name}\` must be an integer, found ${value}`);
  if (!isInRange(range, value)) throw new InputError(`\`${name}\` must be ${describeRange(range)}, found ${value}`);
  return value;
}

// ---------------------------------------------------------------- draws

const seedOf = (seed: Draw["seed"], params: ReadonlyMap<string, number>): number =>
  seed === "random" ? randomSeed() : typeof seed === "object" ? params.get(seed.param)! : seed;

/** A draw of exactly 0 would pick a row of probability 0; this is below the smallest draw that can be told from 0. */
const SMALLEST_DRAW = 2 ** -54;

function startStream(kind: Draw["kind"], seed: number): Stream {
  const draw = kind === "f64" ? drawF64 : drawF32;
  const after = (rng: Mt19937): Stream => ({ value: Math.max(draw(rng), SMALLEST_DRAW), next: () => after(rng.clone()) });
  return after(mt19937(seed));
}

function givenStream(draws: readonly number[], index = 0): Stream {
  const value = draws[index % draws.length]!;
  if (!(value >= 0 && value <= 1)) throw new InputError(`a draw must be in [0, 1], found ${value}`);
  return { value: Math.max(value, SMALLEST_DRAW), next: () => givenStream(draws, index + 1) };
}
