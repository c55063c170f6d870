/** What names mean inside a sampler while it is lowered. */
import type { Module } from "../check/program.js";
import type { ListLit, StringLit } from "../syntax/ast.js";
import type { Lowering } from "./rows/lowering.js";
import { host, type HostValue, type Value } from "./rows/value.js";
import * as I from "../graph/interval.js";
import type { Draw } from "../graph/graph.js";

/** Where a stream of draws starts. */
export interface Seed {
  readonly kind: "seed";
  readonly seed: Draw["seed"];
}

export type Argument = Value | Seed | StringLit | ListLit;

export interface Scope {
  readonly module: Module;
  /** Numbers of the states that the sampler has declared so far, by name. */
  readonly states: Map<string, number>;
  readonly args: ReadonlyMap<string, Argument>;
  /** Draws of this stage by kind and seed: the same `uniform(seed)` twice in a stage is one draw. */
  readonly draws: Map<string, number>;
}

/** The draw of a stage from a seed; a new stage starts a stream of its own. */
export function drawFrom(cx: Lowering, scope: Scope, kind: Draw["kind"], { seed }: Seed, at?: Value): HostValue {
  if (at?.kind === "node") throw new Error("the number of a draw is known on the host");
  const draw: Draw = { kind, seed, ...(at && { at: at.expr }) };
  const key = JSON.stringify(draw);
  const index = scope.draws.get(key) ?? cx.draws.push(draw) - 1;
  scope.draws.set(key, index);
  return host({ draw: index }, I.interval(2 ** -54, 1));
}

/** The value of a state: the one assigned after the pick, or what the sequence remembers. */
export const stateValue = (cx: Lowering, state: number): Value => cx.next.get(state) ?? host({ state }, I.FINITE);
