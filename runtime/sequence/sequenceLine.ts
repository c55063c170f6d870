/**
 * The state of a sequence at each of its tokens, to take tokens back. It is kept at every 32nd token; between them it is computed
 * again from the tokens and the states that the graph gave.
 */
import type { GrammarMove } from "./features/grammars.js";
import { acceptToken, movesOf, withUniforms, type SequenceState, type UniformValues } from "./sequence.js";

const EVERY = 32;

const NONE = new Float32Array();

/** What was accepted. */
interface Accepted {
  readonly token: number;
  /** The next values of the states. */
  readonly states: Float32Array;
  /** What the grammars did with it: their earlier positions are not ready for good. */
  readonly moves: readonly GrammarMove[];
}

/** Uniforms that were set when there were `count` tokens. */
interface Setting {
  readonly count: number;
  readonly values: UniformValues;
}

export class SequenceLine {
  private accepted: Accepted[] = [];
  private settings: Setting[] = [];
  /** At 0, 32, 64 ... tokens, before settings at that place. */
  private readonly kept: SequenceState[];

  /** @param now the sequence after the prompt */
  constructor(public now: SequenceState) {
    this.kept = [now];
  }

  get count(): number {
    return this.accepted.length;
  }

  /** @param scalars the next values of the states, then the measures, from the graph */
  accept(token: number, scalars: Float32Array): void {
    const { length } = this.now.graph.states;
    const states = length === 0 ? NONE : scalars.slice(0, length);
    const moves = movesOf(this.now, token);
    this.now = acceptToken(this.now, token, states, moves);
    this.accepted.push({ token, states, moves });
    if (this.count % EVERY === 0) this.kept.push(this.now);
  }

  setUniforms(values: UniformValues): void {
    this.now = withUniforms(this.now, values);
    this.settings.push({ count: this.count, values });
  }

  /** As it was when there were `count` tokens, with the present values of uniforms. */
  at(count: number): SequenceState {
    if (count === this.count) return this.now;
    const from = Math.floor(count / EVERY);
    let state = this.kept[from]!;
    const setAt = (place: number, last = place): void => {
      for (const setting of this.settings)
        if (setting.count >= place && setting.count <= last) state = withUniforms(state, setting.values);
    };
    for (let i = from * EVERY; i < count; i++) {
      setAt(i);
      const { token, states, moves } = this.accepted[i]!;
      state = acceptToken(state, token, states, moves);
    }
    setAt(count, Infinity);
    return state;
  }

  /** Takes all tokens after the first `count` back. */
  rewind(count: number): void {
    this.now = this.at(count);
    this.accepted.length = count;
    this.kept.length = Math.floor(count / EVERY) + 1;
    this.settings = this.settings.map((setting) => ({ ...setting, count: Math.min(setting.count, count) }));
  }
}
