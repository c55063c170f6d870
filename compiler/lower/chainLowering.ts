/** The state of lowering a chain: its rows, parameters, states, stages and tail. */
import type { Diagnostic } from "../check/diagnostics.js";
import type { Meter } from "../limits/meter.js";
import type { TailStage, Param, Stage, State } from "../graph/graph.js";
import type { Span } from "../syntax/source.js";
import { newLowering, type Lowering } from "./rows/lowering.js";
import type { Value } from "./rows/value.js";

export interface ChainLowering extends Lowering {
  /** The statement or stage that is being lowered. */
  at: Span;
  readonly params: Param[];
  readonly states: Omit<State, "next">[];
  /** The next values of the states that are assigned after the pick. */
  next: Map<number, Value>;
  readonly tail: TailStage[];
  readonly stages: Stage[];
  readonly diagnostics: Diagnostic[];
  /** The condition of the runtime `if` that is being lowered. */
  blend: Span | undefined;
}

export const newChainLowering = (at: Span, meter?: Meter, disabled?: ReadonlySet<string>): ChainLowering => ({
  ...newLowering(meter, disabled),
  at,
  params: [],
  states: [],
  next: new Map(),
  tail: [],
  stages: [],
  diagnostics: [],
  blend: undefined,
});
