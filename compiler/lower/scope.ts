/** The scope of a sampler during lowering. */
import type { BuiltinCall, List, Local, Text } from "../check/tree.js";
import type { SourceFile } from "../source/source.js";
import type { About } from "./about.js";
import type { ChainLowering } from "./chainLowering.js";
import { clamp } from "../table/arith.js";
import { uniformValue, type Value } from "../table/value.js";
import * as I from "../graph/interval.js";
import type { Seed } from "../table/draws.js";

/** A set of tokens, by its number in the graph. */
export interface SetArgument {
  readonly kind: "set";
  readonly set: number;
}

/** A parameter that is a grammar. */
interface GrammarArgument {
  readonly kind: "grammar";
  readonly param: string;
}

export type Argument = Value | Seed | Text | List | SetArgument | GrammarArgument;

export interface Scope {
  /** The file of the sampler. */
  readonly source: SourceFile;
  /** Indices of the states that the sampler has declared so far. */
  readonly states: Map<Local, number>;
  /** The values of parameters, of what the body of a function declares, and of what changes in the present rounds of loops. */
  readonly values: ReadonlyMap<Local, Argument>;
  /** What each `let` so far is about. */
  readonly abouts: Map<Local, About>;
  /** The draws of this stage, by kind, seed, stream and index. */
  readonly draws: Map<string, number>;
  /** The streams of the calls that draw; those without one draw from llama.cpp's stream of their seed. */
  readonly streams: ReadonlyMap<BuiltinCall, number>;
}

export const newScope = (source: SourceFile, values: Scope["values"]): Scope => ({
  source,
  values,
  states: new Map(),
  abouts: new Map(),
  draws: new Map(),
  streams: new Map(),
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

/** The scope with more values. */
export const withValues = (scope: Scope, values: Iterable<readonly [Local, Argument]>): Scope => ({
  ...scope,
  values: new Map([...scope.values, ...values]),
});
