/** The scope of a sampler during lowering. */
import type { Module } from "../check/program.js";
import type { ListLit, StringLit } from "../syntax/ast.js";
import type { ChainLowering } from "./chainLowering.js";
import { uniformValue, type Value } from "./rows/value.js";
import * as I from "../graph/interval.js";
import type { Seed } from "./rows/draws.js";

export type Argument = Value | Seed | StringLit | ListLit;

export interface Scope {
  readonly module: Module;
  /** Indices of the states that the sampler has declared so far, by name. */
  readonly states: Map<string, number>;
  readonly args: ReadonlyMap<string, Argument>;
  /** The draws of this stage, by kind, seed and index. */
  readonly draws: Map<string, number>;
}

/** The value of a state: the one assigned after the pick, or the one kept by the sequence. */
export const stateValue = (cx: ChainLowering, state: number): Value =>
  cx.next.get(state) ?? uniformValue({ state }, I.FINITE);
