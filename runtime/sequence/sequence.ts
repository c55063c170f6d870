/**
 * The state of one sequence: its parameters, streams of draws, states and history. The uniforms and inputs of the graph are
 * computed from it. It advances only when a token is accepted, so rejecting or replaying a token changes nothing. It is
 * immutable plain data: a reference to it is a snapshot.
 */
import { evaluateUniform, leavesOf, type UniformEnvironment } from "@ggsl/compiler/graph/uniform.js";
import type { Draw, Ending, Graph, UniformExpr, WindowFold } from "@ggsl/compiler/graph/graph.js";
import { keptCount } from "@ggsl/compiler/graph/liveness.js";
import { MAX_INTEGER } from "@ggsl/compiler/graph/interval.js";
import { invalid } from "../core/errors.js";
import { acceptWatches, keyOf, openWatches, type Watch } from "./features/endings.js";
import { grammarValues, type GrammarMove, type GrammarValues } from "./features/grammars.js";
import { append } from "./features/history.js";
import {
  historyNeeded,
  inputsOf,
  openFeatures,
  placeOf,
  promptNeeded,
  type Feed,
  type OpenFeature,
} from "./features/feed.js";
import { isInRule } from "./features/rules.js";
import { acceptFeatures, grammarMoves, toldMoves, withGrammars } from "./features/followed.js";
import { phraseValues, withoutRejected, type PhraseValues } from "./phrases/values.js";
import { openSets, withSets, type OpenSet } from "./features/sets.js";
import type { Vector } from "../backends/reference/kernels.js";
import { initialParams, randomSeed, setParams, setValues, type UniformValues } from "./params.js";
import { acceptWindows, foldOf } from "./windows.js";
import { afterWritten, writingAt, writtenTexts, type Writing, type WrittenTexts } from "./written.js";
import { measured } from "./trace.js";
import { givenStream, isReplaced, startStream, type Stream } from "./streams.js";

export type { UniformValues } from "./params.js";

export interface SequenceState {
  readonly graph: Graph;
  readonly vocabSize: number;
  readonly params: ReadonlyMap<string, number>;
  /** By number in the graph. */
  readonly sets: readonly OpenSet[];
  /** The phrases that must not be written, by the name of their list. */
  readonly phrases: PhraseValues;
  /** The grammars of the parameters. */
  readonly grammars: GrammarValues;
  readonly streams: readonly Stream[];
  readonly states: Float32Array;
  /** The last values of each window, oldest first. */
  readonly windows: readonly Float32Array[];
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
  /** The texts that the chain writes, and the one that is being written. */
  readonly written: WrittenTexts;
  readonly writing: Writing | undefined;
  /** Tokens that a grammar of the chain was asked about and did not allow, since the sequence was started or restored. */
  readonly disallowed: number;
  readonly feed: Feed;
}

interface SequenceOptions {
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
  const params = setParams(initialParams(graph), graph, uniforms);
  const streams = graph.draws.map((draw) =>
    draws && isReplaced(draw) ? givenStream(draws) : startStream(draw, seedOf(draw.seed, params)),
  );
  const place = placeOf(feed, vocabSize);
  const sets = withSets(openSets(graph, place), setValues(graph, uniforms), place);
  const phrases = phraseValues(graph, uniforms);
  const grammars = grammarValues(graph, uniforms);
  const features = openFeatures(graph, feed, { sets, grammars }, vocabSize);
  const before = {
    graph,
    vocabSize,
    params,
    sets,
    phrases,
    grammars,
    streams,
    states: new Float32Array(graph.states.length),
    windows: (graph.windows ?? []).map(() => new Float32Array()),
    step: 0,
    promptLength: 0,
    history: new Int32Array(),
    historyNeeded: historyNeeded(graph, features),
    prompt: new Int32Array(),
    watches: openWatches(graph, () => feed.vocabulary),
    features,
    written: writtenTexts(graph, feed),
    writing: undefined,
    disallowed: 0,
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
export const readsText = (expr: UniformExpr): boolean =>
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
  const place = placeOf(sequence.feed, sequence.vocabSize);
  const grammars = grammarValues(sequence.graph, values, sequence.grammars);
  const isSet = (name: string): boolean => Object.hasOwn(values, name);
  return {
    ...sequence,
    params,
    phrases: phraseValues(sequence.graph, values, sequence.phrases),
    grammars,
    streams,
    sets: withSets(sequence.sets, setValues(sequence.graph, values), place),
    features: withGrammars(sequence.graph, sequence.features, grammars, isSet, sequence.feed),
  };
}

/** The values of the graph's uniforms for the next token, f32. */
export function uniformsOf(sequence: SequenceState): Float32Array {
  const { uniforms } = sequence.graph;
  const env = environment(sequence);
  const values = new Float32Array(uniforms.length);
  for (let i = 0; i < uniforms.length; i++) values[i] = evaluateUniform(uniforms[i]!.expr, env);
  return values;
}

/** A vector for each input of the graph except the logits. Throws `InputError` for an input that was not set. */
export function featureInputs(sequence: SequenceState): Vector[] {
  const { graph, features, history, prompt, step, feed, vocabSize, sets } = sequence;
  const window = (last: UniformExpr): number =>
    typeof last === "number" ? last : Math.trunc(evaluateUniform(last, environment(sequence)));
  return inputsOf(graph, { features, text: { history, prompt, step, window }, feed, vocabSize, sets });
}

/** The sequence after the tokens of a prompt. Grammars begin after the prompt. */
export function acceptPrompt(sequence: SequenceState, tokens: Int32Array | readonly number[]): SequenceState {
  const promptLength = sequence.promptLength + tokens.length;
  const needed = promptNeeded(sequence.graph);
  const prompt = needed === 0 ? sequence.prompt : append(sequence.prompt, tokens, needed);
  return withInitialStates({ ...sequence, ...textAfter(sequence, tokens), prompt, promptLength }, readsText);
}

/**
 * What the grammars do with the next token, by feature. They are ready.
 * @param read what they read in its place, if that is something else
 */
export function movesOf(sequence: SequenceState, token: number, read?: readonly number[]): readonly GrammarMove[] {
  let env: ReturnType<typeof environment> | undefined;
  const isAsked = (when: UniformExpr): boolean => evaluateUniform(when, (env ??= environment(sequence))) !== 0;
  return grammarMoves(sequence.features, token, isAsked, read);
}

/** The same for a token that was accepted elsewhere: see `toldMoves`. */
export function toldMovesOf(
  sequence: SequenceState,
  token: number,
  isRefused: boolean | undefined,
): readonly GrammarMove[] {
  const env = environment(sequence);
  return toldMoves(sequence.features, token, isRefused, (when) => evaluateUniform(when, env) !== 0);
}

/**
 * The sequence after its next token is accepted. `scalars` are those of the graph: what it keeps, the measures, the stops.
 * @param moves of the token here, if its grammars may not be ready
 * @param read what grammars read in its place, if that is something else
 */
export function acceptToken(
  sequence: SequenceState,
  token: number,
  scalars: Float32Array,
  moves: readonly GrammarMove[] = movesOf(sequence, token),
  read?: readonly number[],
): SequenceState {
  const { graph } = sequence;
  const { history, watches } = textAfter(sequence, [token]);
  // one spread: V8 adds the members of a second one by one
  return {
    ...sequence,
    streams: sequence.streams.map((s, i) =>
      graph.draws[i]!.at === undefined ? s.at(s.count + 1) : presentStream(sequence, i),
    ),
    states: graph.states.length === 0 ? sequence.states : keptStates(graph, scalars.subarray(0, graph.states.length)),
    windows: acceptWindows(sequence.windows, graph, scalars),
    step: sequence.step + 1,
    sets: withoutRejected(sequence),
    history,
    watches,
    writing: afterWritten(sequence.written, writingOf(sequence), token),
    features: acceptFeatures(sequence.features, token, moves, read),
    disallowed: moves.includes("refuses") ? sequence.disallowed + 1 : sequence.disallowed,
  };
}

/** What the chain writes next; undefined where it picks. Its grammars are ready. */
function writingOf(sequence: SequenceState): Writing | undefined {
  const { graph, written, writing } = sequence;
  if (written.length === 0) return undefined;
  const env = environment(sequence);
  return writingAt(graph, written, writing, (when) => evaluateUniform(when, env) !== 0);
}

/** The token that comes next whatever the chain picks; undefined: the pick. Its grammars are ready. */
export function writtenToken(sequence: SequenceState): number | undefined {
  const writing = writingOf(sequence);
  return writing && sequence.written[writing.write]![writing.at];
}

/** The values of the states as a sequence keeps them: those of type i32 are integers in their range. */
export const keptStates = (graph: Graph, values: ArrayLike<number>): Float32Array =>
  Float32Array.from(values, (x, i) =>
    graph.states[i]?.type === "i32" ? Math.min(Math.max(x, -MAX_INTEGER), MAX_INTEGER) : x,
  );

/** The values of the states by name. */
export const statesOf = ({ graph, states }: SequenceState): Record<string, number> => namedStates(graph, states);

/** The same after a token; `scalars` as for `acceptToken`. */
export const statesIn = (graph: Graph, scalars: Float32Array): Record<string, number> =>
  namedStates(graph, keptStates(graph, scalars.subarray(0, graph.states.length)));

const namedStates = ({ states }: Graph, values: Float32Array): Record<string, number> =>
  Object.fromEntries(states.map(({ name }, i) => [name, values[i]!]));

/** The values of the measures by name, and the trace; each is absent if the chain has none. `scalars` as for `acceptToken`. */
export const measuresOf = (graph: Graph, scalars: Float32Array): ReturnType<typeof measured> =>
  graph.measures.length === 0 ? {} : measured(graph, scalars.subarray(keptCount(graph)));

/** The name of the stop that ends the text with this token, if one does. `scalars` as for `acceptToken`. */
export function stopOf(graph: Graph, scalars: Float32Array): string | undefined {
  const first = keptCount(graph) + graph.measures.length;
  return graph.stops?.find((_, i) => scalars[first + i] !== 0)?.name;
}

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

const environment = (sequence: SequenceState): UniformEnvironment => new Environment(sequence);

/** The leaves of uniform expressions at the present token. Each stream is computed once. A class: it has no closures to allocate. */
class Environment implements UniformEnvironment {
  private readonly streams: Stream[] = [];

  constructor(private readonly sequence: SequenceState) {}

  get step(): number {
    return this.sequence.step;
  }

  get vocab(): number {
    return this.sequence.vocabSize;
  }

  get promptLength(): number {
    return this.sequence.promptLength;
  }

  param(name: string): number {
    return this.sequence.params.get(name)!;
  }

  draw(index: number): number {
    return (this.streams[index] ??= presentStream(this.sequence, index)).value;
  }

  state(index: number): number {
    return this.sequence.states[index]!;
  }

  window(index: number, of: WindowFold): number {
    return foldOf(this.sequence.windows[index]!, of);
  }

  last(k: number): number {
    const { history } = this.sequence;
    return history[history.length - k] ?? -1;
  }

  since(ending: Ending): number {
    return this.sequence.watches.get(keyOf(ending))!.since;
  }

  isInRule(rule: number): boolean {
    return isInRule(this.sequence, rule);
  }

  isMember(token: number, set: number): boolean {
    return this.sequence.sets[set]!.tokens.has(token);
  }
}

// ---------------------------------------------------------------- draws

const seedOf = (seed: Draw["seed"], params: ReadonlyMap<string, number>): number =>
  seed === "random" ? randomSeed() : typeof seed === "object" ? params.get(seed.param)! : seed;

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
    throw invalid(
      `draw ${index} requests number ${count} of its stream after number ${stream.count}: expected a later number, at most ${MAX_DRAWS} per token, so ${most} here`,
    );
  }
  return count === stream.count ? stream : stream.at(count);
}
