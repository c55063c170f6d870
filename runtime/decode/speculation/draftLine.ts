/** The sequence of a draft's own chain along a text that another chain writes. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import { keptCount } from "@ggsl/compiler/graph/liveness.js";
import { setsOf } from "@ggsl/compiler/graph/sets.js";
import { grammarsReady, releaseGrammars } from "../../sequence/features/followed.js";
import { SequenceLine } from "../../sequence/sequenceLine.js";
import { InputError } from "../../core/errors.js";
import {
  acceptPrompt,
  uniformsOf,
  withUniforms,
  type SequenceState,
  type UniformValues,
} from "../../sequence/sequence.js";
import { knownStates } from "./known.js";

/** Tokens that the draft's chain picked after a text of `base` tokens, and the next values of its states after each. */
interface Guess {
  readonly base: number;
  readonly tokens: readonly number[];
  readonly scalars: readonly Float32Array[];
}

const NO_GUESS: Guess = { base: 0, tokens: [], scalars: [] };

/** Values that are set when the text has `length` tokens. */
interface Setting {
  readonly length: number;
  readonly values: UniformValues;
}

/** The next values of a chain's states, from the logits after a text. */
type Look = (sequence: SequenceState, text: Int32Array) => Promise<Float32Array>;

const NONE = new Float32Array();

/**
 * The draft's chain reads the same prompt and the same generated tokens as the text's. Its next states are computed from uniforms where
 * they depend on nothing else. Otherwise they are those that its own pick at that place gives, which need not be the text's token.
 */
export class DraftLine {
  private readonly line: SequenceLine;
  /** Generated tokens that the line has accepted. */
  private count = 0;
  private readonly known: ReturnType<typeof knownStates>;
  private guess = NO_GUESS;
  /** What the line has not come to. */
  private settings: Setting[] = [];

  /** @param begin the sequence of the draft's chain before the prompt, which the generated tokens follow */
  constructor(
    begin: SequenceState,
    private readonly prompt: Int32Array,
  ) {
    this.known = keptCount(begin.graph) === 0 ? () => NONE : knownStates(begin.graph, begin.vocabSize);
    this.line = new SequenceLine(acceptPrompt(begin, prompt));
  }

  /** The sequence after the text; undefined if a grammar of the draft's chain did not allow it, or cannot be used. */
  async after(text: Int32Array, look: Look): Promise<SequenceState | undefined> {
    const { line, prompt } = this;
    for (;;) {
      const length = prompt.length + this.count;
      this.set(length);
      if (line.now.disallowed > 0 || !(await areReady(line.now))) return undefined;
      if (length === text.length) return line.now;
      const token = text[length]!;
      const place = length - this.guess.base;
      const states =
        this.known?.(uniformsOf(line.now)) ??
        this.guess.scalars[place] ??
        (await look(line.now, text.subarray(0, length)));
      if (this.guess.tokens[place] !== token) this.guess = NO_GUESS;
      line.accept(token, states);
      this.count++;
    }
  }

  /** Remembers what the chain picked after the text. */
  remember(guess: Guess): void {
    this.guess = guess;
  }

  /** Sets those of the values that the chain has parameters for, from the next token of the text on. Throws `InputError`. */
  setUniforms(values: UniformValues, text: Int32Array): void {
    const { now } = this.line;
    const own = shared(values, now.graph);
    withUniforms(now, own);
    this.settings.push({ length: text.length, values: own });
  }

  /** The text has only `length` tokens left. */
  rewind(length: number): void {
    this.count = Math.min(this.count, length - this.prompt.length);
    this.line.rewind(this.count);
    this.settings = this.settings.map((setting) => ({ ...setting, length: Math.min(setting.length, length) }));
    this.guess = NO_GUESS;
  }

  private set(length: number): void {
    while (this.settings[0] && this.settings[0].length <= length) this.line.setUniforms(this.settings.shift()!.values);
  }

  dispose(): void {
    releaseGrammars(this.line.now.features);
  }
}

/** Whether the grammars of a sequence are ready; they are not after an error of theirs, such as a limit. */
async function areReady({ features }: SequenceState): Promise<boolean> {
  try {
    await grammarsReady(features);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** The values of a text's parameters. */
export const valuesOf = ({ params, sets, grammars }: SequenceState): UniformValues => ({
  ...Object.fromEntries(params),
  ...Object.fromEntries(sets.flatMap(({ set: { name }, tokens }) => (name === undefined ? [] : [[name, [...tokens]]]))),
  ...Object.fromEntries(grammars),
});

/** A seed that the chain of a text leaves open. */
export function openSeedOf({ graph, streams, params }: SequenceState): number | undefined {
  const draw = graph.draws.findIndex(({ seed }) => seed === "random");
  if (draw >= 0) return streams[draw]!.seed;
  const param = graph.params.find((one) => one.default === "random");
  return param && params.get(param.name);
}

/** Whether two chains are computed and fed alike, whatever they are called. */
export const isSameChain = (a: Graph, b: Graph): boolean => a === b || shown(a) === shown(b);

const shown = (graph: Graph): string =>
  JSON.stringify({ ...graph, name: "", stages: [] }, (key, value: unknown) =>
    key === "origin" || key === "doc" ? undefined : typeof value === "number" ? String(value) : value,
  );

/** The values of those parameters that a chain has. */
export function shared(values: UniformValues, graph: Graph): UniformValues {
  const names = new Set([...graph.params, ...setsOf(graph), ...grammarsOf(graph)].map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}
