/** The state of lowering a chain: its rows, parameters, states, stages and tail. */
import type { ChainBinding } from "../check/tree.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Meter } from "../limits/meter.js";
import type {
  GrammarRef,
  Measure,
  TailStage,
  Param,
  PhraseList,
  Stage,
  State,
  Stop,
  TokenSet,
  Write,
} from "../graph/graph.js";
import type { Name } from "../syntax/ast.js";
import type { Span } from "../source/source.js";
import { newLowering, type Lowering } from "../table/lowering.js";
import type { Table } from "../table/table.js";
import type { Value } from "../table/value.js";

/** A stop, and where it is: its stage, and its place in the source of the sampler. */
interface PlacedStop extends Stop {
  readonly stage: number;
  readonly start: number;
}

/** A statement that is lowered after the pick. */
interface Deferred {
  readonly span: Span;
  readonly lower: () => void;
}

/** A call that asks where a grammar stands. */
interface RuleCall {
  readonly callee: Name;
  readonly grammar: GrammarRef;
  /** The number of the rule. */
  readonly rule: number;
}

/** The rows as a stage leaves them; without a stage, as the model gives them. */
interface TracedRows {
  readonly stage: number | undefined;
  readonly table: Table;
}

export interface ChainLowering extends Lowering {
  /** The statement or stage that is being lowered. */
  at: Span;
  readonly params: Param[];
  readonly sets: TokenSet[];
  readonly phrases: PhraseList[];
  readonly states: Omit<State, "next">[];
  /** The names of the program's own states where they are declared, by state. */
  readonly stateNames: (Name | undefined)[];
  readonly measures: Measure[];
  readonly stops: PlacedStop[];
  readonly writes: Write[];
  /** What samplers that do not pick do after the chain's pick. */
  readonly deferred: Deferred[];
  /** The stage whose statements are lowered after the pick. */
  lateStage: number | undefined;
  /** The next values of the states that are assigned after the pick. */
  next: Map<number, Value>;
  /** Where grammars are asked about. */
  readonly ruleCalls: RuleCall[];
  readonly tail: TailStage[];
  readonly stages: Stage[];
  /** The number of places so far that draw, by stage. */
  readonly sites: number[];
  readonly diagnostics: Diagnostic[];
  /** Stages of a policy that come before the pick, until they are lowered. */
  beforePick: ChainBinding | undefined;
  /** The call of the present stage. */
  call: Span | undefined;
  /** The first statement that dropped rows, and the call of its stage. */
  dropped: { readonly statement: Span; readonly call: Span | undefined } | undefined;
  /** The condition of the runtime `if` that is being lowered. */
  blend: Span | undefined;
  /** The present sampler sorts the rows in a branch that its arguments do not take. */
  sortsOtherwise: boolean;
  /** The rows that each stage leaves, if the chain is traced. */
  traced: TracedRows[] | undefined;
}

export const newChainLowering = (at: Span, meter?: Meter, disabled?: ReadonlySet<string>): ChainLowering => ({
  ...newLowering(meter, disabled),
  at,
  params: [],
  sets: [],
  phrases: [],
  states: [],
  stateNames: [],
  measures: [],
  stops: [],
  writes: [],
  deferred: [],
  lateStage: undefined,
  next: new Map(),
  ruleCalls: [],
  tail: [],
  stages: [],
  sites: [],
  diagnostics: [],
  beforePick: undefined,
  call: undefined,
  dropped: undefined,
  blend: undefined,
  sortsOtherwise: false,
  traced: undefined,
});
