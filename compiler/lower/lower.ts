/** A checked chain to a graph: its stages are inlined in order on one candidate table. */
import { resolveArgs } from "../check/arguments.js";
import { TAIL_SAMPLERS } from "../llama/samplers.js";
import { isError, type Diagnostic } from "../check/diagnostics.js";
import { limitDiagnostic } from "../check/diagnostics/limits.js";
import { noEffect } from "../check/diagnostics/statements.js";
import { formulaTooLarge } from "../check/diagnostics/types.js";
import { evaluateConstant } from "../check/constants.js";
import type { Module } from "../check/program.js";
import { fractionMeant } from "../graph/range.js";
import { exprOfFeature } from "../graph/uniform.js";
import { saturate } from "../graph/uniformOps.js";
import type { Graph, NodeId, Outputs } from "../graph/graph.js";
import type { Interval } from "../graph/interval.js";
import { LimitExceeded, type Meter } from "../limits/meter.js";
import type { Chain, Sampler, StageCall, Stmt } from "../syntax/ast.js";
import { lineColumn, textAt, type Span } from "../syntax/source.js";
import { allExpressions } from "../syntax/walk.js";
import { newChainLowering, type ChainLowering } from "./chainLowering.js";
import { lowerArgument } from "./expr.js";
import { keptStates } from "./liveStates.js";
import { lowerTailStage } from "./tail.js";
import { chainParams, grammarParams, paramValue, setArguments, textArguments, type Settings } from "./params.js";
import { newScope, stateValue, type Argument, type Scope } from "./scope.js";
import { withStreams } from "./streams.js";
import { lowerBody, setOrigin } from "./stmt.js";
import { scalarNode } from "./rows/arith.js";
import { askedFeatures } from "./rows/asked.js";
import { enterStage } from "./rows/changes.js";
import { outputLogits, probOf } from "./rows/columns.js";
import { constant, UniformTooLarge, isConstant, sizeOf } from "./rows/value.js";

/** What a graph gives: the picked token, or the rows that are left. */
export type OutputName = "sampled" | "candidates" | "logits" | "probs";

export interface LowerOptions {
  /** Values of the chain's static parameters and new defaults of its uniforms, by name. */
  readonly set?: Settings | undefined;
  /** The graph's outputs; by default the token if the chain picks one, else the rows. */
  readonly outputs?: readonly OutputName[] | undefined;
  /** Names of states that are kept even if nothing in the chain depends on them, for a test that expects their values. */
  readonly states?: ReadonlySet<string> | undefined;
  /** Names of disabled rules of the optimizer. */
  readonly disabled?: ReadonlySet<string> | undefined;
  /** Counts the steps and has the limits. */
  readonly meter?: Meter | undefined;
}

export interface Lowered {
  readonly graph?: Graph;
  /** Bounds of the values of the graph's nodes. */
  readonly ranges: readonly Interval[];
  /** The states that a sequence keeps: the same whatever the outputs are. */
  readonly states?: ReadonlySet<number>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Lowers a chain of a checked module. */
export function lower(module: Module, chain: Chain, options: LowerOptions = {}): Lowered {
  const cx = newChainLowering(chain.name.span, options.meter, options.disabled);
  const { diagnostics } = cx;
  const { ranges } = cx.builder;
  try {
    const graph = lowerGraph(cx, module, chain, options);
    return { ...(graph && { graph, states: keptStates(cx, graph, options.states ?? new Set()) }), ranges, diagnostics };
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    return { ranges, diagnostics: [...diagnostics, limitDiagnostic(cx.at, error)] };
  }
}

/** The graph; undefined after an error. */
function lowerGraph(cx: ChainLowering, module: Module, chain: Chain, options: LowerOptions): Graph | undefined {
  const { params, diagnostics } = chainParams(module, chain, options.set ?? {});
  for (const { isUniform, param } of params) if (isUniform) cx.params.push(param);
  for (const one of diagnostics) cx.diagnostics.push(one);
  const grammars = grammarParams(module, chain);
  cx.meter.check("params", cx.params.length + grammars.length);
  const sets = setArguments(cx, module, chain, options.set ?? {});
  if (cx.diagnostics.some(isError)) return undefined;
  const args = new Map<string, Argument>([
    ...params.map((p) => [p.param.name, paramValue(p)] as const),
    ...textArguments(module, chain),
    ...sets,
    ...grammars.map(({ name }) => [name, { kind: "grammar", param: name }] as const),
  ]);
  lowerChain(cx, newScope(module, args), chain);
  if (cx.diagnostics.some(isError)) return undefined;
  const outputs = makeOutputs(cx, options.outputs);
  const states = cx.states.map((s, i) => ({ ...s, next: nextState(cx, i) }));
  const { draws, uniforms } = cx;
  const features = askedFeatures(cx);
  const expressions = [
    ...[...uniforms.map((u) => u.expr), ...states.map((s) => s.init), ...draws.map((d) => d.at ?? 0)],
    ...features.map(exprOfFeature).filter((expr) => expr !== undefined),
  ];
  cx.meter.check(
    "uniformParts",
    expressions.map(sizeOf).reduce((a, b) => a + b, 0),
  );
  return {
    name: chain.name.text,
    nodes: cx.builder.nodes,
    params: cx.params,
    draws,
    states,
    measures: cx.measures,
    uniforms,
    inputs: cx.inputs,
    features,
    ...(cx.sets.length > 0 && { sets: cx.sets }),
    ...(grammars.length > 0 && { grammars }),
    stages: cx.stages,
    tail: cx.tail,
    outputs,
  };
}

function lowerChain(cx: ChainLowering, scope: Scope, chain: Chain): void {
  for (const stage of chain.stages) lowerStage(cx, scope, stage);
}

function lowerStage(cx: ChainLowering, scope: Scope, call: StageCall): void {
  // stages after the pick have no effect; a warning reports them
  if (cx.picked || cx.tail.some(({ name }) => TAIL_SAMPLERS[name]?.picks)) return;
  if (call.isHost) return lowerTailStage(cx, scope, call);
  const found = scope.module.scope.get(call.name.text);
  if (!found) throw new Error(`\`${call.name.text}\` was not resolved by the checker`);
  const callee = found.declaration as Sampler | Chain;
  try {
    const given = call.args.map(({ value }) => value);
    const args = bindArguments(cx, withStreams(cx, scope, given), callee, call, found.module);
    const inner = newScope(found.module, args);
    if (callee.kind === "chain") lowerChain(cx, inner, callee);
    else lowerSampler(cx, withStreams(cx, inner, allExpressions(callee.body)), callee, call);
  } catch (error) {
    if (!(error instanceof UniformTooLarge)) throw error;
    cx.diagnostics.push(formulaTooLarge(call.span, call.name.text, error.message));
  }
}

function lowerSampler(cx: ChainLowering, scope: Scope, sampler: Sampler, call: StageCall): void {
  const { source, start } = call.span;
  const stage = cx.stages.length;
  cx.stages.push({ name: textAt(call.span), origin: { file: source.name, ...lineColumn(source, start) } });
  setOrigin(cx, call.span);
  cx.call = call.span;
  cx.table.lets = new Map();
  cx.sortsOtherwise = false;
  enterStage(cx);
  const { version } = cx.table;
  const measured = cx.measures.length;
  const faults = cx.diagnostics.length;
  lowerBody(cx, scope, sampler);
  const drops = droppingIn(sampler.body);
  cx.stages[stage] = { ...cx.stages[stage]!, rows: cx.table.dim, ...(drops.length > 0 && { drops }) };
  if (cx.diagnostics.length > faults) return noteStage(cx, faults, call);
  const isChanged =
    cx.table.version !== version ||
    cx.picked !== undefined ||
    cx.measures.length > measured ||
    [...scope.states.values()].some((state) => isAssigned(cx, state));
  if (!isChanged) cx.diagnostics.push(noEffect(call.span, call.name.text, percentageIn(sampler, scope.module, call)));
}

/** An argument that looks like a percentage, of a parameter that is a fraction by default. */
function percentageIn(
  { params }: Sampler,
  module: Module,
  { args }: StageCall,
): { span: Span; meant: number } | undefined {
  const { bound } = resolveArgs(params, args);
  for (const { name, type, default: standard } of params) {
    const given = bound.get(name.text)?.value;
    const usual = standard && evaluateConstant(standard, module);
    if (type !== "f32" || given?.kind !== "number" || usual === undefined || usual > 1) continue;
    const meant = fractionMeant({ min: 0, max: 1 }, given.value);
    if (meant !== undefined) return { span: given.span, meant };
  }
  return undefined;
}

/** The statements that may drop rows. */
const droppingIn = (body: readonly Stmt[]): string[] =>
  body.flatMap((s) => {
    if (s.kind === "if") return droppingIn([...s.then, ...(s.else ?? [])]);
    return s.kind === "keep" || s.kind === "top" ? [textAt(s.span)] : [];
  });

/** Faults that depend on a stage's arguments get a note that names the stage. */
function noteStage(cx: ChainLowering, from: number, { span }: StageCall): void {
  const found = cx.diagnostics.splice(from);
  const note = { message: "in this stage", span };
  for (const d of found) cx.diagnostics.push({ ...d, notes: [...(d.notes ?? []), note] });
}

/** Arguments are evaluated in the scope of the call, defaults in the scope of the declaration. */
function bindArguments(
  cx: ChainLowering,
  scope: Scope,
  callee: Sampler | Chain,
  call: StageCall,
  module: Module,
): Map<string, Argument> {
  const declared = newScope(module, new Map());
  const given = resolveArgs(callee.params, call.args).bound;
  const bound = new Map<string, Argument>();
  for (const param of callee.params) {
    const arg = given.get(param.name.text);
    const isSeed = param.type === "seed";
    const value = arg?.value ?? param.default;
    if (!value) continue;
    const argument = lowerArgument(cx, arg ? scope : declared, value, isSeed);
    bound.set(param.name.text, param.type === "f32" ? asF32(argument) : argument);
  }
  return bound;
}

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

function makeOutputs(cx: ChainLowering, wanted: readonly OutputName[] | undefined): Outputs {
  const rows: OutputName[] = cx.tail.length > 0 ? ["candidates", "logits"] : ["candidates", "logits", "probs"];
  const names = new Set(wanted ?? (cx.picked ? ["sampled"] : rows));
  cx.builder.origin = undefined;
  return {
    ...(names.has("sampled") && cx.picked && { sampled: cx.picked.token }),
    ...(names.has("candidates") && cx.table.ids !== undefined && { candidates: cx.table.ids }),
    ...(names.has("logits") && { logits: outputLogits(cx) }),
    ...(names.has("probs") && { probs: probOf(cx).id }),
  };
}
