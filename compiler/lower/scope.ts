/** The scope of a sampler during lowering. */
import type { Module } from "../check/program.js";
import type { Call, ListLit, StringLit } from "../syntax/ast.js";
import type { About } from "./about.js";
import type { ChainLowering } from "./chainLowering.js";
import { clamp } from "./rows/arith.js";
import { uniformValue, type Value } from "./rows/value.js";
import * as I from "../graph/interval.js";
import type { Seed } from "./rows/draws.js";

/** A set of tokens, by its number in the graph. */
export interface SetArgument {
  readonly kind: "set";
  readonly set: number;
}

/** A parameter that is a grammar. */
export interface GrammarArgument {
  readonly kind: "grammar";
  readonly param: string;
}

export type Argument = Value | Seed | StringLit | ListLit | SetArgument | GrammarArgument;

export interface Scope {
  readonly module: Module;
  /** Indices of the states that the sampler has declared so far, by name. */
  readonly states: Map<string, number>;
  readonly args: ReadonlyMap<string, Argument>;
  /** What each `let` so far is about. */
  readonly abouts: Map<string, About>;
  /** The draws of this stage, by kind, seed, stream and index. */
  readonly draws: Map<string, number>;
  /** The streams of the calls that draw; those without one draw from llama.cpp's stream of their seed. */
  readonly streams: ReadonlyMap<Call, number>;
  /** The values of counters and of what `repeat` changes, in the present rounds. */
  readonly rounds: ReadonlyMap<string, Value>;
  /** The body of a function sees its arguments, not the `let`s and states of the sampler. */
  readonly isFunction?: true;
}

export const newScope = (module: Module, args: Scope["args"]): Scope => ({
  module,
  args,
  states: new Map(),
  abouts: new Map(),
  draws: new Map(),
  streams: new Map(),
  rounds: new Map(),
});

/** The integers that an f32 holds exactly, and the range of an i32 state. */
export const INTEGERS = I.interval(-I.MAX_INTEGER, I.MAX_INTEGER);

/** The value of a state: the one assigned after the pick, or the one kept by the sequence. */
export const stateValue = (cx: ChainLowering, state: number): Value =>
  cx.next.get(state) ?? uniformValue({ state }, cx.states[state]!.type === "i32" ? INTEGERS : I.FINITE);

/** The value of a state where the program reads it. The host keeps an i32 in its range, but only after the last assignment. */
export function readState(cx: ChainLowering, state: number): Value {
  const value = stateValue(cx, state);
  return cx.states[state]!.type === "i32" ? clamp(cx, value, INTEGERS.lo, INTEGERS.hi) : value;
}

/** The scope of a round of a loop, with the value of its counter or of what it changes. */
export const withRound = (scope: Scope, name: string, value: Value): Scope => ({
  ...scope,
  rounds: new Map(scope.rounds).set(name, value),
});
