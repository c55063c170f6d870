/** A checked chain to a graph: its stages are inlined in order on one candidate table. */
import type { Policy } from "../check/policies.js";
import { hostBeforePolicy } from "../diagnostics/policies.js";
import { isError, type Diagnostic } from "../diagnostics/diagnostic.js";
import { limitDiagnostic } from "../diagnostics/limits.js";
import { noEffect, pickedOnTail } from "../diagnostics/statements.js";
import { formulaTooLarge } from "../diagnostics/types.js";
import { stagesOf } from "../check/chains.js";
import { bodyOf } from "../check/samplers.js";
import type { ChainBinding, Expr, Local, Param, Stage, Stmt } from "../check/tree.js";
import { paramsOf } from "../check/types.js";
import { allExpressions, statementsIn } from "../check/walk.js";
import { fractionMeant } from "../core/range.js";
import { exprOfFeature } from "../graph/features.js";
import type { KeptParts } from "../graph/liveness.js";
import { isPick } from "../graph/tail.js";
import { saturate } from "../graph/uniformOps.js";
import type { Graph, NodeId, Outputs, Stop } from "../graph/graph.js";
import { LimitExceeded, type Meter } from "../limits/meter.js";
import type { StageCall } from "../syntax/ast.js";
import { lineColumn, textAt, type Span } from "../source/source.js";
import { newChainLowering, type ChainLowering } from "./chainLowering.js";
import { lowerArgument } from "./expr.js";
import { checkRuleCalls } from "./grammarRules.js";
import { keptParts } from "./liveStates.js";
import type { Whole } from "./outputs.js";
import { beginPolicy, endPolicy, policyBefore } from "./policy.js";
import { lowerTailStage } from "./tail.js";
import { lowerTrace, refuseHost, traceRows } from "./trace.js";
import {
  chainParams,
  grammarParams,
  paramValue,
  phraseArguments,
  setArguments,
  textArguments,
  type Settings,
} from "./params.js";
import { newScope, stateValue, type Argument, type Scope } from "./scope.js";
import { withStreams } from "./streams.js";
import { lowerBody, setOrigin } from "./stmt.js";
import { scalarNode } from "../table/arith.js";
import { askedFeatures } from "../table/asked.js";
import { enterStage } from "../rows/changes.js";
import { outputLogits, probOf } from "../table/columns.js";
import { unchecked } from "../table/unchecked.js";
import { constant, UniformTooLarge, isConstant, sizeOf } from "../table/value.js";

interface LowerOptions {
  /** Values of the chain's static parameters and new defaults of its uniforms, by name. */
  readonly set?: Settings | undefined;
  /** Names of states that are kept even if nothing in the chain depends on them, for a test that expects their values. */
  readonly states?: ReadonlySet<string> | undefined;
  /** Stages before those of the chain, and before its pick. */
  readonly policy?: Policy | undefined;
  /** Measures what each stage does. */
  readonly trace?: boolean | undefined;
  /** Names of disabled rules of the optimizer. */
  readonly disabled?: ReadonlySet<string> | undefined;
  /** Counts the steps and has the limits. */
  readonly meter?: Meter | undefined;
}

export interface Lowered {
  /** Absent when there are errors. */
  readonly whole?: Whole & {
    /** What a sequence keeps. */
    readonly kept: KeptParts;
  };
  readonly diagnostics: readonly Diagnostic[];
}

/** Lowers a checked chain. */
export function lower(chain: ChainBinding, options: LowerOptions = {}): Lowered {
  const name = chain.declaration.name.span;
  let cx: ChainLowering | undefined;
  try {
    // takes steps, which the chains before may have used up
    cx = newChainLowering(name, options.meter, options.disabled);
    const whole = lowerWhole(cx, chain, options);
    const kept = whole && keptParts(cx, whole.graph, options.states ?? new Set());
    return { ...(whole && kept && { whole: { ...whole, kept } }), diagnostics: cx.diagnostics };
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    return { diagnostics: [...(cx?.diagnostics ?? []), limitDiagnostic(cx?.at ?? name, error)] };
  }
}

/** The graph with all outputs; undefined after an error. */
function lowerWhole(cx: ChainLowering, chain: ChainBinding, options: LowerOptions): Whole | undefined {
  const { params, diagnostics } = chainParams(chain, options.set ?? {});
  for (const { isUniform, param } of params) if (isUniform) cx.params.push(param);
  for (const one of diagnostics) cx.diagnostics.push(one);
  const grammars = grammarParams(chain);
  cx.meter.check("params", cx.params.length + grammars.length);
  const sets = setArguments(cx, chain, options.set ?? {});
  const phrases = phraseArguments(cx, chain, options.set ?? {});
  const texts = textArguments(cx, chain);
  if (cx.diagnostics.some(isError)) return undefined;
  const values = new Map<Local, Argument>([
    ...params.map((p) => [p.local, paramValue(p)] as const),
    ...texts,
    ...sets,
    ...phrases,
    ...grammars.map(({ local, param }) => [local, { kind: "grammar", param: param.name }] as const),
  ]);
  const name = chain.declaration.name.span;
  if (options.trace) cx.traced = [];
  traceRows(cx, undefined);
  if (options.policy) beginPolicy(cx, options.policy, name, lowerPart(cx));
  lowerChain(cx, newScope(chain.module.source, values), chain);
  endPolicy(cx, name, lowerPart(cx));
  lowerDeferred(cx);
  lowerTrace(cx, name, chain.declaration.name.text);
  checkRuleCalls(cx);
  if (cx.diagnostics.some(isError)) return undefined;
  const staged = cx.builder.nodes.length;
  cx.builder.origin = undefined;
  const outputs = makeOutputs(cx);
  const states = cx.states.map((s, i) => ({ ...s, next: nextState(cx, i) }));
  const { draws, uniforms } = cx;
  const features = askedFeatures(cx);
  const expressions = [
    ...[...uniforms.map((u) => u.expr), ...states.map((s) => s.init), ...draws.map((d) => d.at ?? 0)],
    ...features.map(exprOfFeature).filter((expr) => expr !== undefined),
    ...cx.writes.map(({ when }) => when),
  ];
  cx.meter.check(
    "uniformParts",
    expressions.map(sizeOf).reduce((a, b) => a + b, 0),
  );
  const graph: Graph = {
    name: chain.declaration.name.text,
    nodes: cx.builder.nodes,
    params: cx.params,
    draws,
    states,
    ...(cx.windows.length > 0 && { windows: cx.windows }),
    measures: cx.measures,
    ...(cx.stops.length > 0 && { stops: stopsOf(cx) }),
    ...(cx.writes.length > 0 && { writes: cx.writes }),
    uniforms,
    inputs: cx.inputs,
    features,
    ...(cx.sets.length > 0 && { sets: cx.sets }),
    ...(cx.phrases.length > 0 && { phrases: cx.phrases }),
    ...(grammars.length > 0 && { grammars: grammars.map(({ param }) => param) }),
    ...(cx.rules.length > 0 && { rules: cx.rules }),
    stages: cx.stages,
    tail: cx.tail,
    outputs,
  };
  return { graph, ranges: cx.builder.ranges, staged };
}

/** What samplers do after the chain's pick, if it has one. */
function lowerDeferred(cx: ChainLowering): void {
  const picksOnTail = cx.tail.some(isPick);
  for (const { span, lower: lowerNow } of cx.deferred) {
    if (cx.picked) lowerNow();
    else if (picksOnTail) cx.diagnostics.push(pickedOnTail(span));
  }
}

/** The stops in the order of the program. */
const stopsOf = ({ stops }: ChainLowering): Stop[] =>
  stops.toSorted((a, b) => a.stage - b.stage || a.start - b.start).map(({ name, node }): Stop => ({ name, node }));

/** Lowers the stages of a chain of a policy. */
const lowerPart =
  (cx: ChainLowering) =>
  (chain: ChainBinding): void =>
    lowerChain(cx, newScope(chain.module.source, new Map()), chain);

function lowerChain(cx: ChainLowering, scope: Scope, chain: ChainBinding): void {
  for (const stage of stagesOf(chain).value) lowerStage(cx, scope, stage);
}

function lowerStage(cx: ChainLowering, scope: Scope, stage: Stage): void {
  // stages after the pick have no effect; a warning reports them
  if (cx.picked || cx.tail.some(isPick)) return;
  if (stage.kind === "tail") {
    if (cx.beforePick) return void cx.diagnostics.push(hostBeforePolicy(stage.call.span, stage.call.name.text));
    refuseHost(cx, stage.call.span, stage.call.name.text);
    return lowerTailStage(cx, scope, stage);
  }
  if (stage.kind === "error") return unchecked("a stage that is none");
  const { callee, call } = stage;
  if (callee.kind === "sampler") policyBefore(cx, call, bodyOf(callee).value, lowerPart(cx));
  try {
    const inner = newScope(callee.module.source, bindArguments(cx, withStreams(cx, scope, stage.args), stage));
    if (callee.kind === "chain") lowerChain(cx, inner, callee);
    else lowerSampler(cx, inner, stage, bodyOf(callee).value);
  } catch (error) {
    if (!(error instanceof UniformTooLarge)) throw error;
    cx.diagnostics.push(formulaTooLarge(call.span, call.name.text, error.message));
  }
}

type Call = Extract<Stage, { kind: "stage" }>;

function lowerSampler(cx: ChainLowering, outer: Scope, { call, callee, args }: Call, body: readonly Stmt[]): void {
  const scope = withStreams(cx, outer, allExpressions(body));
  const { source, start } = call.span;
  const stage = cx.stages.length;
  cx.stages.push({ name: textAt(call.span), origin: { file: source.name, ...lineColumn(source, start) } });
  setOrigin(cx, call.span);
  cx.call = call.span;
  cx.table.lets = new Map();
  cx.sortsOtherwise = false;
  enterStage(cx);
  const { version } = cx.table;
  const reported = reportedCount(cx);
  const faults = cx.diagnostics.length;
  lowerBody(cx, scope, body);
  traceRows(cx, stage);
  const drops = droppingIn(body);
  cx.stages[stage] = { ...cx.stages[stage]!, rows: cx.table.dim, ...(drops.length > 0 && { drops }) };
  if (cx.diagnostics.length > faults) return noteStage(cx, faults, call);
  const isChanged =
    cx.table.version !== version ||
    cx.picked !== undefined ||
    reportedCount(cx) > reported ||
    [...scope.states.values()].some((state) => isAssigned(cx, state));
  if (!isChanged) cx.diagnostics.push(noEffect(call.span, call.name.text, percentageIn(paramsOf(callee).value, args)));
}

const reportedCount = ({ measures, stops, writes, deferred }: ChainLowering): number =>
  measures.length + stops.length + writes.length + deferred.length;

/** An argument that looks like a percentage, of a parameter that is a fraction by default. */
function percentageIn(params: readonly Param[], args: readonly Expr[]): { span: Span; meant: number } | undefined {
  for (const [i, { declaration, default: standard }] of params.entries()) {
    const given = args[i]!;
    const usual = standard?.constant;
    const isFraction = declaration.type === "f32" && usual !== undefined && usual <= 1;
    if (!isFraction || given === standard || given.kind !== "number") continue;
    const meant = fractionMeant({ min: 0, max: 1 }, given.value);
    if (meant !== undefined) return { span: given.span, meant };
  }
  return undefined;
}

/** The statements that may drop rows. */
const droppingIn = (body: readonly Stmt[]): string[] =>
  body.flatMap((s) => {
    if (s.kind === "if") return droppingIn(statementsIn(s));
    return s.kind === "keep" || s.kind === "top" ? [textAt(s.span)] : [];
  });

/** Faults that depend on a stage's arguments get a note that names the stage. */
function noteStage(cx: ChainLowering, from: number, { span }: StageCall): void {
  const found = cx.diagnostics.splice(from);
  const note = { message: "in this stage", span };
  for (const d of found) cx.diagnostics.push({ ...d, notes: [...(d.notes ?? []), note] });
}

/** The arguments by parameter; a default is constant. */
const bindArguments = (cx: ChainLowering, scope: Scope, { callee, args }: Call): Map<Local, Argument> =>
  new Map(
    paramsOf(callee).value.map(({ local, declaration }, i) => {
      const argument = lowerArgument(cx, scope, args[i]!, declaration.type);
      return [local, declaration.type === "f32" ? asF32(argument) : argument];
    }),
  );

/** Rounds a constant for an f32 parameter to f32, like a uniform. */
const asF32 = (given: Argument): Argument =>
  given.kind === "uniform" && isConstant(given) ? constant(saturate(Math.fround(given.expr))) : given;

/** Whether a state ever changes. */
function isAssigned(cx: ChainLowering, state: number): boolean {
  const next = stateValue(cx, state);
  return next.kind === "node" || JSON.stringify(next.expr) !== JSON.stringify({ state });
}

/** The value of a state after the token is accepted. */
const nextState = (cx: ChainLowering, state: number): NodeId => scalarNode(cx, stateValue(cx, state));

/** All outputs of the chain. */
const makeOutputs = (cx: ChainLowering): Outputs => ({
  ...(cx.picked && { sampled: cx.picked.token }),
  ...(cx.table.ids !== undefined && { candidates: cx.table.ids }),
  logits: outputLogits(cx),
  probs: probOf(cx).id,
});
