/** Chains: their stages, the stages' arguments and their order. */
import type { Chain, Sampler, StageCall } from "../syntax/ast.js";
import { resolveArgs } from "./arguments.js";
import { evaluateConstant } from "./constants.js";
import type { Sink } from "./diagnostics.js";
import { chainTooLong, containsItself, notAStage, unknownStage } from "./diagnostics/names.js";
import { sizeMissing } from "./diagnostics/sets.js";
import { stageAfterTail, stageAfterPick } from "./diagnostics/statements.js";
import { mustBeScalar, mustBeWhole, staticNeedsStatic, typeMismatch } from "./diagnostics/types.js";
import type { Limits } from "../limits/limits.js";
import { checkTailStage } from "./tailStages.js";
import type { Extent, Extents } from "./extents.js";
import { checkOrder } from "./order.js";
import { STD_NAMES } from "../std/library.js";
import type { Binding, Module } from "./program.js";
import { checkConstantFor, checkParams, checkUnused, uniformsOf } from "./samplers.js";
import { grammarType, seedType, textType } from "./calls.js";
import {
  conditionType,
  kindOf,
  numberType,
  setType,
  typeOf,
  uniformsIn,
  type Local,
  type Scope,
  TYPING,
} from "./types.js";

/** What the chains of a program are checked with. */
export interface ChainCheck {
  readonly extents: Extents;
  readonly limits: Limits;
  readonly diagnostics: Sink;
}

/** The nesting limit of chains: lowering is recursive. */
const MAX_DEPTH = 64;

export function checkChain({ extents, limits, diagnostics }: ChainCheck, module: Module, chain: Chain): void {
  const names = new Map<string, Local>();
  checkParams(module, chain.params, names, diagnostics);
  for (const { type, isStatic, size, name, span } of chain.params)
    if (type === "tokens" && !isStatic && !size) diagnostics.push(sizeMissing(span, name.text));
  const scope: Scope = {
    module,
    names,
    uniforms: uniformsOf(chain.params),
    hasRows: false,
    isAfterPick: false,
    canUsePicked: false,
    diagnostics,
  };
  let picker: string | undefined;
  let isInTail = false;
  const isTooLong = ({ stages, depth }: Extent): boolean => stages > limits.stages || depth > MAX_DEPTH;
  const calls = chain.stages.map((stage) => (stage.isHost ? undefined : checkStage(scope, stage)));
  calls.forEach((binding, i) => {
    const stage = chain.stages[i]!;
    const { name, span, isHost } = stage;
    const callee = binding?.declaration as Sampler | Chain | undefined;
    const part = callee && extents.of(callee, binding!.module);
    const isPicker = isHost ? checkTailStage(scope, stage) : part?.picks;
    if (callee && extents.isCycle(chain, callee))
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
  const isLongItself = calls.every((b) => !b || !isTooLong(extents.of(b.declaration as Sampler | Chain, b.module)));
  if (isTooLong(extents.of(chain, module)) && isLongItself)
    diagnostics.push(chainTooLong(chain.name.span, chain.name.text, limits.stages, MAX_DEPTH));
}

/** What a name is that is no stage. */
const WHAT = { const: "a constant", input: "an input", fn: "a function" } as const;

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
    diagnostics.push(notAStage(span, text, WHAT[callee.kind]));
    return undefined;
  }
  const { bound, diagnostics: faults } = resolveArgs(callee.params, stage.args, { name: text, span });
  for (const one of faults) diagnostics.push(one);
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
    const type = seedType(TYPING, scope, value);
    if (type.type !== "error") checkConstantFor(declarer, param, scope.module, value, diagnostics);
    return;
  }
  if (param.type === "text" || param.type === "list") {
    textType(scope, value, param.type, param.type === "list");
    return;
  }
  if (param.type === "grammar") {
    grammarType(scope, value);
    return;
  }
  if (param.type === "tokens") {
    const { type, rate } = setType(scope, value);
    if (type !== "error" && param.isStatic && rate !== "static")
      diagnostics.push(staticNeedsStatic(value.span, name, callee.name.text, uniformsIn(scope, value)));
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
