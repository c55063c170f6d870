/** Chains: their stages, the stages' arguments and their order. */
import type { Chain, Sampler, StageCall } from "../syntax/ast.js";
import { resolveArgs } from "./arguments.js";
import { evaluateConstant } from "./constants.js";
import type { Diagnostic } from "./diagnostics.js";
import { chainTooLong, containsItself, notAStage, unknownStage } from "./diagnostics/names.js";
import { stageAfterTail, stageAfterPick } from "./diagnostics/statements.js";
import { mustBeScalar, mustBeWhole, staticNeedsStatic, typeMismatch } from "./diagnostics/types.js";
import { TAIL_SAMPLERS } from "../llama/samplers.js";
import { checkTailStage } from "./tailStages.js";
import { checkOrder } from "./order.js";
import { STD_NAMES } from "../std/library.js";
import type { Binding, Module } from "./program.js";
import { checkConstantFor, checkParams, checkUnused, picks, uniformsOf } from "./samplers.js";
import {
  conditionType,
  kindOf,
  numberType,
  seedType,
  textType,
  typeOf,
  uniformsIn,
  type Local,
  type Scope,
} from "./types.js";

export function checkChain(module: Module, chain: Chain, extents: Extents, diagnostics: Diagnostic[]): void {
  const names = new Map<string, Local>();
  checkParams(module, chain.params, names, diagnostics);
  const scope: Scope = {
    module,
    names,
    uniforms: uniformsOf(chain.params),
    isOrdered: false,
    isAfterPick: false,
    canUsePicked: false,
    diagnostics,
  };
  let picker: string | undefined;
  let isInTail = false;
  const extent = extentOf(extents, chain, module);
  const calls = chain.stages.map((stage) => (stage.isHost ? undefined : checkStage(scope, stage)));
  calls.forEach((binding, i) => {
    const stage = chain.stages[i]!;
    const { name, span, isHost } = stage;
    const part = binding && extentOf(extents, binding.declaration as Sampler | Chain, binding.module, [chain]);
    const isPicker = isHost ? checkTailStage(scope, stage) : part?.picks;
    if (part?.isCyclic && reaches(binding!, chain))
      diagnostics.push(containsItself(name.span, chain.name.text, name.text));
    if (!isHost && isInTail) diagnostics.push(stageAfterTail(span, name.text));
    isInTail ||= isHost || part?.hasTail === true;
    if (picker !== undefined) diagnostics.push(stageAfterPick(span, name.text, picker));
    if (isPicker) picker ??= name.text;
  });
  checkOrder(module, chain, diagnostics);
  checkUnused(
    chain.params,
    chain.stages.flatMap(({ args }) => args.map((a) => a.value)),
    diagnostics,
  );
  const isLongItself = calls.every(
    (b) => !b || extentOf(extents, b.declaration as Sampler | Chain, b.module).stages < Infinity,
  );
  if (extent.stages > MAX_STAGES && isLongItself)
    diagnostics.push(chainTooLong(chain.name.span, chain.name.text, MAX_STAGES, MAX_DEPTH));
}

/** Returns the sampler or chain that the stage calls, if known. */
function checkStage(scope: Scope, stage: StageCall): Binding | undefined {
  const { module, diagnostics } = scope;
  const { text, span } = stage.name;
  const found = module.scope.get(text);
  if (!found) {
    if (module.broken.has(text)) return undefined;
    const stages = [...module.scope].filter(
      ([, b]) => b.declaration.kind === "sampler" || b.declaration.kind === "chain",
    );
    diagnostics.push(
      unknownStage(span, text, [...stages.map(([name]) => name), ...STD_NAMES], STD_NAMES.includes(text)),
    );
    return undefined;
  }
  const callee = found.declaration;
  if (callee.kind !== "sampler" && callee.kind !== "chain") {
    diagnostics.push(notAStage(span, text, callee.kind === "const" ? "a constant" : "an input"));
    return undefined;
  }
  const { bound, diagnostics: faults } = resolveArgs(callee.params, stage.args, { name: text, span });
  diagnostics.push(...faults);
  for (const param of callee.params) {
    const arg = bound.get(param.name.text);
    if (arg) checkArgument(scope, callee, found.module, param, arg.value);
  }
  return found;
}

function checkArgument(
  scope: Scope,
  callee: Sampler | Chain,
  declarer: Module,
  param: Sampler["params"][number],
  value: Parameters<typeof typeOf>[1],
): void {
  const { diagnostics } = scope;
  const name = param.name.text;
  if (param.type === "seed") {
    const type = seedType(scope, value);
    if (type.type !== "error") checkConstantFor(declarer, param, scope.module, value, diagnostics);
    return;
  }
  if (param.type === "text" || param.type === "list") {
    textType(scope, value, param.type);
    return;
  }
  const isLiteral = value.kind === "string" || value.kind === "list";
  // the literal is the fault, not that it is an argument
  const type = !isLiteral
    ? typeOf(scope, value)
    : param.type === "bool"
      ? conditionType(scope, value)
      : numberType(scope, value);
  if (type.type === "error") return;
  const isCondition = type.type === "bool";
  if (isCondition !== (param.type === "bool") || type.type === "text" || type.type === "list") {
    diagnostics.push(typeMismatch(value.span, param.type === "bool" ? "a condition" : "a number", kindOf(type)));
  } else if (type.shape === "column") {
    diagnostics.push(mustBeScalar(value.span, `\`${name}\``, isCondition));
  } else if (param.isStatic && type.rate !== "static") {
    diagnostics.push(staticNeedsStatic(value.span, name, callee.name.text, uniformsIn(scope, value)));
  } else if (param.type === "i32" && type.type === "f32" && evaluateConstant(value, scope.module) === undefined) {
    diagnostics.push(mustBeWhole(value.span, `\`${name}\` of \`${callee.name.text}\``, "a value of type f32"));
  } else {
    checkConstantFor(declarer, param, scope.module, value, diagnostics);
  }
}

// ---------------------------------------------------------------- chains in chains

/** The size of a chain after inlining the chains among its stages. */
export interface Extent {
  readonly stages: number;
  readonly picks: boolean;
  /** Ends in the host tail, so that only tail stages can follow. */
  readonly hasTail: boolean;
  readonly isCyclic: boolean;
}

const MAX_STAGES = 256;
const MAX_DEPTH = 64;
const TOO_LONG: Extent = { stages: Infinity, picks: false, hasTail: false, isCyclic: false };
const CYCLIC: Extent = { stages: 0, picks: false, hasTail: false, isCyclic: true };

/** Extents by chain: each is computed once, so that nested chains do not multiply the work. */
export type Extents = Map<Chain, Extent>;

/** Whether a stage contains a chain, directly or indirectly. */
function reaches(from: Binding, goal: Chain): boolean {
  const seen = new Set<unknown>();
  const open = [from];
  for (let next = open.pop(); next; next = open.pop()) {
    const { declaration, module } = next;
    if (declaration === goal) return true;
    if (declaration.kind !== "chain" || seen.has(declaration)) continue;
    seen.add(declaration);
    open.push(...declaration.stages.flatMap(({ name }) => module.scope.get(name.text) ?? []));
  }
  return false;
}

function extentOf(extents: Extents, callee: Sampler | Chain, module: Module, path: readonly Chain[] = []): Extent {
  if (callee.kind === "sampler") return { stages: 1, picks: picks(callee.body), hasTail: false, isCyclic: false };
  if (path.includes(callee)) return CYCLIC;
  if (path.length > MAX_DEPTH) return TOO_LONG;
  const known = extents.get(callee);
  if (known) return known;
  const parts = callee.stages.map(({ name, isHost }): Extent => {
    const next = isHost ? undefined : module.scope.get(name.text);
    const isStage = next?.declaration.kind === "sampler" || next?.declaration.kind === "chain";
    return isStage
      ? extentOf(extents, next.declaration, next.module, [...path, callee])
      : { stages: 1, picks: isHost && TAIL_SAMPLERS[name.text]?.picks === true, hasTail: isHost, isCyclic: false };
  });
  const stages = parts.reduce((total, p) => total + p.stages, 0);
  const extent = {
    stages: stages > MAX_STAGES ? Infinity : stages,
    picks: parts.some((p) => p.picks),
    hasTail: parts.some((p) => p.hasTail),
    isCyclic: parts.some((p) => p.isCyclic),
  };
  extents.set(callee, extent);
  return extent;
}
