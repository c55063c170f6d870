/**
 * The state of a sequence at each of its tokens, to take tokens back. It is kept at every 32nd token; between them it is computed
 * again from the tokens and the states that the graph gave. Of tokens that something else has accepted already, it is computed when it is
 * asked for.
 */
import { keptCount } from "@ggsl/compiler/graph/liveness.js";
import type { GrammarMove } from "./features/grammars.js";
import { acceptToken, movesOf, toldMovesOf, withUniforms, type SequenceState, type UniformValues } from "./sequence.js";

const EVERY = 32;

const NONE = new Float32Array();

/** What was accepted. */
interface Accepted {
  readonly token: number;
  /** What is kept of it: the next values of the states, then the values for the windows. */
  readonly states: Float32Array;
  /** What the grammars did with it: their earlier positions are not ready for good. */
  readonly moves: readonly GrammarMove[];
  /** What the grammars read in its place, if that is something else. */
  readonly read: readonly number[] | undefined;
}

/** Uniforms that were set when there were `count` tokens. */
interface Setting {
  readonly count: number;
  readonly values: UniformValues;
}

/** Tokens that are accepted elsewhere, and not here yet: a list of each fact, as there may be many of them for long. */
class Told {
  readonly tokens: number[] = [];
  readonly states: Float32Array[] = [];
  readonly areRefused: (boolean | undefined)[] = [];

  add(token: number, states: Float32Array, isRefused: boolean | undefined): void {
    this.tokens.push(token);
    this.states.push(states);
    this.areRefused.push(isRefused);
  }
}

export class SequenceLine {
  private latest: SequenceState;
  private told = new Told();
  /** Of those that are told. */
  private refused = 0;
  private accepted: Accepted[] = [];
  private settings: Setting[] = [];
  /** At 0, 32, 64 ... tokens, before settings at that place. */
  private readonly kept: SequenceState[];

  /** @param first the sequence after the prompt */
  constructor(first: SequenceState) {
    this.latest = first;
    this.kept = [first];
  }

  /** The sequence after the latest token. */
  get now(): SequenceState {
    if (this.told.tokens.length === 0) return this.latest;
    const { tokens, states, areRefused } = this.told;
    this.told = new Told();
    for (const [i, token] of tokens.entries())
      this.add(token, states[i]!, toldMovesOf(this.latest, token, areRefused[i]));
    this.refused = 0;
    return this.latest;
  }

  /** The sequence at the latest token or before it. */
  get known(): SequenceState {
    return this.latest;
  }

  get count(): number {
    return this.accepted.length + this.told.tokens.length;
  }

  /** Tokens of the text so far, before it too. */
  get step(): number {
    return this.kept[0]!.step + this.count;
  }

  /** Tokens that a grammar was asked about and did not allow. */
  get disallowed(): number {
    return this.latest.disallowed + this.refused;
  }

  /**
   * @param scalars the scalars of the graph, the next values of the states first
   * @param read what grammars read in place of the token, if that is something else
   */
  accept(token: number, scalars: Float32Array, read?: readonly number[]): void {
    this.add(token, this.statesIn(scalars), movesOf(this.now, token, read), read);
  }

  /**
   * A token that is accepted elsewhere.
   * @param isRefused a grammar that was asked did not allow it; undefined: that is not known
   */
  tell(token: number, scalars: Float32Array, isRefused: boolean | undefined): void {
    if (isRefused) this.refused++;
    this.told.add(token, this.statesIn(scalars), isRefused);
  }

  private statesIn(scalars: Float32Array): Float32Array {
    const length = keptCount(this.latest.graph);
    return length === 0 ? NONE : scalars.slice(0, length);
  }

  private add(token: number, states: Float32Array, moves: readonly GrammarMove[], read?: readonly number[]): void {
    this.latest = acceptToken(this.latest, token, states, moves, read);
    this.accepted.push({ token, states, moves, read });
    if (this.accepted.length % EVERY === 0) this.kept.push(this.latest);
  }

  setUniforms(values: UniformValues): void {
    this.latest = withUniforms(this.now, values);
    this.settings.push({ count: this.count, values });
  }

  /** As it was when there were `count` tokens, with the present values of uniforms. */
  at(count: number): SequenceState {
    const { now } = this;
    if (count === this.count) return now;
    const from = Math.floor(count / EVERY);
    let state = this.kept[from]!;
    const setAt = (place: number, last = place): void => {
      for (const setting of this.settings)
        if (setting.count >= place && setting.count <= last) state = withUniforms(state, setting.values);
    };
    for (let i = from * EVERY; i < count; i++) {
      setAt(i);
      const { token, states, moves, read } = this.accepted[i]!;
      state = acceptToken(state, token, states, moves, read);
    }
    setAt(count, Infinity);
    return state;
  }

  /** Takes all tokens after the first `count` back. */
  rewind(count: number): void {
    this.latest = this.at(count);
    this.accepted.length = count;
    this.kept.length = Math.floor(count / EVERY) + 1;
    this.settings = this.settings.map((setting) => ({ ...setting, count: Math.min(setting.count, count) }));
  }
}
