/**
 * The state of one sequence: its parameters, streams of draws, states and history. The uniforms and inputs of the graph are
 * computed from it. It advances only when a token is accepted, so rejecting or replaying a token changes nothing. It is
 * immutable plain data: a reference to it is a snapshot.
 */
import {
  evaluateUniform,
  leavesOf,
  NEVER,
  uniformExprsOf,
  type UniformEnvironment,
} from "@ggsl/compiler/graph/uniform.js";
import type { Draw, Graph, Param, UniformExpr } from "@ggsl/compiler/graph/graph.js";
import { expectedValue } from "@ggsl/compiler/graph/param.js";
import { streamSeed } from "@ggsl/compiler/graph/streams.js";
import { InputError } from "./errors.js";
import {
  acceptWatches,
  keyOf,
  openWatches,
  restoreWatches,
  saveWatches,
  type SavedWatch,
  type Watch,
} from "./features/endings.js";
import { append } from "./features/history.js";
import {
  acceptFeatures,
  historyNeeded,
  inputsOf,
  openFeatures,
  promptNeeded,
  type Feed,
  type OpenFeature,
} from "./features/feed.js";
import * as is from "./check.js";
import { LIMITS } from "@ggsl/compiler/limits/format.js";
import { MAX_CONTEXT } from "@ggsl/compiler/llama/contexts.js";
import { finite, tokenList } from "./optionChecks.js";
import { drawF32, drawF64, mt19937, type Mt19937 } from "./mt19937.js";
import type { Vector } from "./reference/kernels.js";

/** Values of a chain's parameters by name. An omitted parameter keeps its value, at first its default. */
export type UniformValues = Readonly<Record<string, number | boolean>>;

interface Stream {
  /** The seed as it was given, before the number of the stream is mixed in. */
  readonly seed: number;
  /** The number of draws before this one. */
  readonly count: number;
  /** The draw for the present token. */
  readonly value: number;
  /** The stream at a later draw. */
  readonly at: (count: number) => Stream;
}

export interface SequenceState {
  readonly graph: Graph;
  readonly vocabSize: number;
  readonly params: ReadonlyMap<string, number>;
  readonly streams: readonly Stream[];
  readonly states: Float32Array;
  /** Tokens generated so far. */
  readonly step: number;
  /** Tokens of the prompt. */
  readonly promptLength: number;
  /** The last tokens of prompt and generated text, as many as the graph needs. */
  readonly history: Int32Array;
  readonly historyNeeded: number;
  /** The last tokens of the prompt, as many as the graph needs. */
  readonly prompt: Int32Array;
  /** The endings that the graph asks for. */
  readonly watches: ReadonlyMap<string, Watch>;
  readonly features: readonly OpenFeature[];
  readonly feed: Feed;
}

export interface SequenceOptions {
  readonly uniforms?: UniformValues | undefined;
  /** Draws in [0, 1], one per token, repeated cyclically, that replace the chain's own. */
  readonly draws?: readonly number[] | undefined;
  readonly feed?: Feed | undefined;
}

/** A sequence before its first token. Throws `InputError` for values that do not match the chain. */
export function startSequence(
  graph: Graph,
  vocabSize: number,
  { uniforms = {}, draws, feed = {} }: SequenceOptions = {},
): SequenceState {
  const params = setParams(new Map(graph.params.map((p) => [p.name, initial(p)])), graph, uniforms);
  const streams = graph.draws.map((draw) =>
    draws && draw.kind !== "seed" ? givenStream(draws) : startStream(draw, seedOf(draw.seed, params)),
  );
  const features = openFeatures(graph, feed, vocabSize);
  const before = {
    graph,
    vocabSize,
    params,
    streams,
    states: new Float32Array(graph.states.length),
    step: 0,
    promptLength: 0,
    history: new Int32Array(),
    historyNeeded: historyNeeded(graph, features),
    prompt: new Int32Array(),
    watches: openWatches(graph, () => feed.vocabulary),
    features,
    feed,
  };
  return withInitialStates(before, () => true);
}

/** The sequence with the initial values of those states whose expression is `wanted`. */
function withInitialStates(sequence: SequenceState, wanted: (init: UniformExpr) => boolean): SequenceState {
  const { graph, states } = sequence;
  if (!graph.states.some(({ init }) => wanted(init))) return sequence;
  const env = environment(sequence);
  const values = graph.states.map(({ init }, i) => (wanted(init) ? evaluateUniform(init, env) : states[i]!));
  return { ...sequence, states: keptStates(graph, values) };
}

/** Whether an expression depends on the text so far. */
const readsText = (expr: UniformExpr): boolean =>
  leavesOf(expr).some(
    (leaf) =>
      leaf === "prompt_length" ||
      (typeof leaf === "object" && ("last" in leaf || "ends_with" in leaf || "since" in leaf)),
  );

/** The same sequence with other parameters, from the next token on. A seed restarts its streams. */
export function withUniforms(sequence: SequenceState, values: UniformValues): SequenceState {
  const params = setParams(sequence.params, sequence.graph, values);
  const streams = sequence.graph.draws.map((draw, i) => {
    const { seed } = draw;
    const isSetAgain = typeof seed === "object" && Object.hasOwn(values, seed.param);
    return isSetAgain ? startStream(draw, seedOf(seed, params)) : sequence.streams[i]!;
  });
  return { ...sequence, params, streams };
}

/** The values of the graph's uniforms for the next token, f32. */
export function uniformsOf(sequence: SequenceState): Float32Array {
  const env = environment(sequence);
  return Float32Array.from(sequence.graph.uniforms, ({ expr }) => evaluateUniform(expr, env));
}

/** A vector for each input of the graph except the logits. Throws `InputError` for an input that was not set. */
export function featureInputs(sequence: SequenceState): Vector[] {
  const { graph, features, history, prompt, step, feed, vocabSize } = sequence;
  const window = (last: UniformExpr): number =>
    typeof last === "number" ? last : Math.trunc(evaluateUniform(last, environment(sequence)));
  return inputsOf(graph, features, { history, prompt, step, window }, feed, vocabSize);
}

/** The sequence after the tokens of a prompt. Grammars begin after the prompt. */
export function acceptPrompt(sequence: SequenceState, tokens: Int32Array | readonly number[]): SequenceState {
  const promptLength = sequence.promptLength + tokens.length;
  const needed = promptNeeded(sequence.graph);
  const prompt = needed === 0 ? sequence.prompt : append(sequence.prompt, tokens, needed);
  return withInitialStates({ ...sequence, ...textAfter(sequence, tokens), prompt, promptLength }, readsText);
}

/** The sequence after its next token is accepted. `scalars` are the next values of the states, then the measures, from the graph. */
export function acceptToken(sequence: SequenceState, token: number, scalars: Float32Array): SequenceState {
  return {
    ...sequence,
    streams: sequence.streams.map((s, i) =>
      sequence.graph.draws[i]!.at === undefined ? s.at(s.count + 1) : presentStream(sequence, i),
    ),
    states: keptStates(sequence.graph, scalars.subarray(0, sequence.graph.states.length)),
    step: sequence.step + 1,
    ...textAfter(sequence, [token]),
    features: acceptFeatures(sequence.features, token),
  };
}

/** Every integer up to this is an f32; larger ones may not be, and a counter would stop at one that is. */
const MAX_INTEGER = 2 ** 24;

/** The values of the states as a sequence keeps them: those of type i32 are integers in their range. */
const keptStates = (graph: Graph, values: ArrayLike<number>): Float32Array =>
  Float32Array.from(values, (x, i) =>
    graph.states[i]?.type === "i32" ? Math.min(Math.max(x, -MAX_INTEGER), MAX_INTEGER) : x,
  );

/** The values of the states by name. */
export const statesOf = ({ graph, states }: SequenceState): Record<string, number> =>
  Object.fromEntries(graph.states.map(({ name }, i) => [name, states[i]!]));

/** The values of the measures by name; absent if the chain has none. `scalars` as for `acceptToken`. */
export const measuresOf = (
  { states, measures }: Graph,
  scalars: Float32Array,
): { readonly measures?: Readonly<Record<string, number>> } =>
  measures.length === 0
    ? {}
    : { measures: Object.fromEntries(measures.map(({ name }, i) => [name, scalars[states.length + i]!])) };

/** What is kept of the text, after more tokens. */
function textAfter(
  { history, historyNeeded: needed, watches, feed }: SequenceState,
  tokens: Int32Array | readonly number[],
): Pick<SequenceState, "history" | "watches"> {
  return {
    history: needed === 0 ? history : append(history, tokens, needed),
    watches: acceptWatches(watches, tokens, () => feed.vocabulary),
  };
}

/** The leaves of uniform expressions at the present token. Each stream is computed once. */
function environment(sequence: SequenceState): UniformEnvironment {
  const { params, states, step, vocabSize, promptLength, history, watches } = sequence;
  const streams: Stream[] = [];
  return {
    param: (name) => params.get(name)!,
    draw: (index) => (streams[index] ??= presentStream(sequence, index)).value,
    state: (index) => states[index]!,
    step,
    vocab: vocabSize,
    promptLength,
    last: (k) => history[history.length - k] ?? -1,
    since: (ending) => watches.get(keyOf(ending))!.since,
  };
}

// ---------------------------------------------------------------- parameters

const randomSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]!;
const initial = (p: Param): number => (p.default === "random" ? randomSeed() : rounded(p, p.default));
/** Parameters are f32 on every device, so uniform expressions use the rounded value too. */
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

function checked(param: Param, value: number): number {
  const expected = expectedValue(param, value);
  if (expected !== undefined) throw new InputError(`\`${param.name}\` must be ${expected}, found ${value}`);
  return value;
}

// ---------------------------------------------------------------- draws

const seedOf = (seed: Draw["seed"], params: ReadonlyMap<string, number>): number =>
  seed === "random" ? randomSeed() : typeof seed === "object" ? params.get(seed.param)! : seed;

/** Replaces a draw of 0, which would pick a row of probability 0; it is below any draw distinguishable from 0. */
const SMALLEST_DRAW = 2 ** -54;

function startStream({ kind, stream }: Draw, seed: number): Stream {
  if (kind === "seed") return constantStream(seed);
  const draw = kind === "f64" ? drawF64 : drawF32;
  const streamAt = (rng: Mt19937, drawn: number, count: number): Stream => {
    for (let i = drawn; i < count; i++) draw(rng);
    const value = Math.max(draw(rng), SMALLEST_DRAW);
    // the generator is copied, so that the earlier stream stays valid
    return { seed, count, value, at: (later) => streamAt(rng.clone(), count + 1, later) };
  };
  return streamAt(mt19937(streamSeed(seed, stream)), 0, 0);
}

/** A seed that is read as a number. */
const constantStream = (seed: number, count = 0): Stream => ({
  ...{ seed, count, value: seed },
  at: (later) => constantStream(seed, later),
});

function givenStream(draws: readonly number[], count = 0): Stream {
  const value = draws[count % draws.length];
  if (value === undefined || !(value >= 0 && value <= 1))
    throw new InputError(`a draw must be in [0, 1], found ${value}`);
  return { seed: 0, count, value: Math.max(value, SMALLEST_DRAW), at: (later) => givenStream(draws, later) };
}

/** The most draws of a stream per token, so that an untrusted graph cannot keep the CPU busy. */
const MAX_DRAWS = 1000;

/** The stream at the draw of the present token. A reseeded stream first catches up with the text. */
function presentStream(sequence: SequenceState, index: number): Stream {
  const { at } = sequence.graph.draws[index]!;
  const stream = sequence.streams[index]!;
  if (at === undefined) return stream;
  const count = Math.round(evaluateUniform(at, environment(sequence)));
  const most = MAX_DRAWS * (sequence.step + 1);
  if (!(count >= stream.count && count <= most)) {
    throw new InputError(
      `draw ${index} requests number ${count} of its stream after number ${stream.count}: expected a later number, at most ${MAX_DRAWS} per token, so ${most} here`,
    );
  }
  return count === stream.count ? stream : stream.at(count);
}

// ---------------------------------------------------------------- saving

/** A sequence as JSON, complete enough to continue the text. */
export interface SavedSequence<States extends readonly number[] = readonly number[]> {
  readonly ggsl: 1;
  readonly chain: string;
  readonly params: Readonly<Record<string, number>>;
  readonly streams: readonly { readonly seed: number; readonly count: number }[];
  readonly states: States;
  readonly step: number;
  readonly history: readonly number[];
  readonly promptLength?: number;
  readonly prompt?: readonly number[];
  readonly watches?: readonly SavedWatch[];
}

const WATCH: is.Checks<SavedWatch> = {
  ending: is.either("a text or a list of tokens", is.text, tokenList()),
  matched: is.integer(0, LIMITS.ending * 4),
  since: is.integer(0, NEVER),
};
const STREAM = is.object({ seed: is.integer(0, 2 ** 32 - 1), count: is.integer(0, 1e7) });
const SAVED: is.Checks<SavedSequence> = {
  ggsl: is.oneOf(1),
  chain: is.text,
  params: is.recordOf("an object of numbers by name", finite),
  streams: is.listOf("a list of streams", STREAM),
  states: is.listOf("a list of numbers", finite),
  step: is.integer(0, MAX_CONTEXT),
  history: tokenList(),
  promptLength: is.integer(0, MAX_CONTEXT),
  prompt: tokenList(),
  watches: is.listOf("a list of endings", is.complete(WATCH)),
};
/** Parts that sequences saved by earlier versions do not have. */
const ADDED: readonly string[] = ["promptLength", "prompt", "watches"] satisfies (keyof SavedSequence)[];
/** A result of `save`; whether it belongs to the chain is checked later. */
export const savedSequence: is.Check = (value, name) => {
  is.object(SAVED)(value, name);
  for (const part of Object.keys(SAVED))
    if (!ADDED.includes(part) && (value as Readonly<Record<string, unknown>>)[part] === undefined)
      is.refuse(`${name}.${part}`, "part of a saved sequence", undefined);
};

export function saveSequence(s: SequenceState): SavedSequence {
  if (s.features.some((f) => f.grammar))
    throw new InputError(
      "a sequence with a grammar cannot be saved: the saved form does not include the grammar's state",
    );
  return {
    ggsl: 1,
    chain: s.graph.name,
    params: Object.fromEntries(s.params),
    streams: s.streams.map(({ seed, count }) => ({ seed, count })),
    states: [...s.states],
    step: s.step,
    history: [...s.history],
    promptLength: s.promptLength,
    prompt: [...s.prompt],
    watches: saveWatches(s.watches),
  };
}

/** Restores a saved sequence. Throws `InputError` if it does not match the chain. */
export function restoreSequence(graph: Graph, vocabSize: number, saved: SavedSequence, feed: Feed = {}): SequenceState {
  savedSequence(saved, "resume");
  const fits =
    saved.chain === graph.name &&
    saved.streams.length === graph.draws.length &&
    saved.states.length === graph.states.length;
  const refused = new InputError(`this is not a saved sequence of the chain \`${graph.name}\``);
  if (!fits) throw refused;
  const stray = [...saved.history, ...(saved.prompt ?? [])].find((token) => token >= vocabSize);
  if (stray !== undefined)
    throw new InputError(`the saved sequence contains token ${stray}; the vocabulary has ${vocabSize} tokens`);
  const fresh = startSequence(graph, vocabSize, { feed, uniforms: saved.params });
  const watches = restoreWatches(fresh.watches, saved.watches ?? []);
  const needsPrompt = promptNeeded(graph) > 0 || uniformExprsOf(graph).some(readsText);
  const isTextSaved = !needsPrompt || (saved.promptLength !== undefined && saved.prompt !== undefined);
  if (!watches || !isTextSaved) throw refused;
  const streams = saved.streams.map(({ seed, count }, i) => {
    const stream = startStream(graph.draws[i]!, seed);
    return count === 0 ? stream : stream.at(count);
  });
  return {
    ...fresh,
    streams,
    states: keptStates(graph, saved.states),
    step: saved.step,
    history: Int32Array.from(saved.history),
    promptLength: saved.promptLength ?? 0,
    prompt: Int32Array.from(saved.prompt ?? []),
    watches,
  };
}
