/** Chains: their stages, the stages' arguments and their order. */
import type { Chain, Expr, StageCall } from "../syntax/ast.js";
import type { Diagnostic, Sink } from "../diagnostics/diagnostic.js";
import { chainTooLong, containsItself, notAStage, unknownStage } from "../diagnostics/names.js";
import { sizeMissing } from "../diagnostics/sets.js";
import { stageAfterTail, stageAfterPick } from "../diagnostics/statements.js";
import { mustBeScalar, mustBeWhole, staticNeedsStatic, typeMismatch } from "../diagnostics/types.js";
import type { Limits } from "../limits/limits.js";
import { typedTailStage } from "./tailStages.js";
import type { Extent, Extents } from "./extents.js";
import { checkOrder } from "./order.js";
import { STD_NAMES } from "../std/library.js";
import { TAIL_SAMPLERS } from "../llama/samplers.js";
import { noteUse, topLevel } from "./names.js";
import {
  argumentFor,
  boundArguments,
  checkConstant,
  checkUnused,
  isNumeric,
  namesOf,
  noteArguments,
  uniformsOf,
} from "./params.js";
import { bindingOf } from "./program.js";
import { ERROR, kindOf, uniformsIn, visit, type Scope } from "./scope.js";
import type * as T from "./tree.js";
import { paramsOf, typed, TYPING } from "./types.js";

/** What the chains of a program are checked with. */
export interface ChainCheck {
  readonly extents: Extents;
  readonly limits: Limits;
  readonly diagnostics: Sink;
}

/** The nesting limit of chains: lowering is recursive. */
const MAX_DEPTH = 64;

export function checkChain({ extents, limits, diagnostics }: ChainCheck, binding: T.ChainBinding): void {
  const { declaration: chain } = binding;
  for (const one of paramsOf(binding).diagnostics) diagnostics.push(one);
  for (const { type, isStatic, size, name, span } of chain.params)
    if (type === "tokens" && !isStatic && !size) diagnostics.push(sizeMissing(span, name.text));
  const { value: stages, diagnostics: faults } = stagesOf(binding);
  for (const one of faults) diagnostics.push(one);
  let picker: string | undefined;
  let isInTail = false;
  const isTooLong = ({ stages: length, depth }: Extent): boolean => length > limits.stages || depth > MAX_DEPTH;
  for (const stage of stages) {
    const { name, span, isHost } = stage.call;
    const callee = stage.kind === "stage" ? stage.callee : undefined;
    const part = callee && extents.of(callee);
    const isPicker = isHost ? stage.kind === "tail" && TAIL_SAMPLERS[name.text]!.picks : part?.picks;
    if (callee && extents.isCycle(binding, callee))
      diagnostics.push(containsItself(name.span, chain.name.text, name.text));
    if (!isHost && isInTail) diagnostics.push(stageAfterTail(span, name.text));
    isInTail ||= isHost || part?.hasTail === true;
    if (picker !== undefined) diagnostics.push(stageAfterPick(span, name.text, picker));
    if (isPicker) picker ??= name.text;
  }
  checkOrder(stages, diagnostics);
  const isLongItself = stages.every((s) => s.kind !== "stage" || !isTooLong(extents.of(s.callee)));
  if (isTooLong(extents.of(binding)) && isLongItself)
    diagnostics.push(chainTooLong(chain.name.span, chain.name.text, limits.stages, MAX_DEPTH));
}

/** A chain in the scope of a file: one that it declares or imports, or a chain of a caller's making, such as that of a test. */
export function chainIn(module: T.Module, chain: Chain): T.ChainBinding {
  const binding = module.scope.get(chain.name.text);
  return binding?.kind === "chain" && binding.declaration === chain ? binding : bindingOf(chain, module);
}

/** The stages of a chain, which are checked once. */
export function stagesOf(binding: T.ChainBinding): T.Found<readonly T.Stage[]> {
  if (binding.stages) return binding.stages;
  const { declaration: chain, module } = binding;
  const diagnostics: Diagnostic[] = [];
  const scope: Scope = {
    module,
    names: namesOf(paramsOf(binding).value),
    uniforms: uniformsOf(chain.params),
    hasRows: false,
    isAfterPick: false,
    canUsePicked: false,
    diagnostics,
    used: new Set(),
    uses: module.uses,
  };
  const value = chain.stages.map((call) => typedStage(scope, call));
  checkUnused(chain.params, scope.used, diagnostics);
  return (binding.stages = { value, diagnostics });
}

/** What a name is that is no stage. */
const WHAT = { const: "a constant", input: "an input", fn: "a function" } as const;

function typedStage(scope: Scope, call: StageCall): T.Stage {
  if (call.isHost) return typedTailStage(scope, call);
  const { module, diagnostics, uses } = scope;
  const { text, span } = call.name;
  noteUse(uses, call.name, topLevel(module, text), { stage: call });
  const callee = module.scope.get(text);
  if (callee?.kind === "sampler" || callee?.kind === "chain") return callOf(scope, callee, call);
  for (const { value } of call.args) visit(TYPING, scope, value);
  if (callee) {
    if (callee.kind === "fn") noteArguments(scope, callee.declaration.params, call.args);
    diagnostics.push(notAStage(span, text, WHAT[callee.kind]));
  } else if (!module.broken.has(text)) {
    const stages = [...module.scope].filter(([, { kind }]) => kind === "sampler" || kind === "chain");
    const names = [...stages.map(([name]) => name), ...STD_NAMES];
    diagnostics.push(unknownStage(span, text, names, STD_NAMES.includes(text)));
  }
  return { kind: "error", call };
}

function callOf(scope: Scope, callee: T.StageBinding, call: StageCall): T.Stage {
  const { params } = callee.declaration;
  const { name } = call;
  const { bound } = boundArguments(TYPING, scope, params, call.args, { name: name.text, span: name.span });
  const args = paramsOf(callee).value.map((param): T.Expr => {
    const arg = bound.get(param.declaration.name.text);
    return arg ? typedArgument(scope, callee, param, arg) : (param.default ?? ERROR);
  });
  return { kind: "stage", call, callee, args };
}

function typedArgument(scope: Scope, callee: T.StageBinding, param: T.Param, given: Expr): T.Expr {
  const { diagnostics } = scope;
  const { declaration } = param;
  const { type: wanted, isStatic } = declaration;
  const name = declaration.name.text;
  const { span } = given;
  const needsStatic = (): Diagnostic =>
    staticNeedsStatic(span, name, callee.declaration.name.text, uniformsIn(scope, given));
  // the literal is the fault, not that it is an argument
  const isLiteral = given.kind === "string" || given.kind === "list";
  const isOther = wanted === "seed" || !isNumeric(declaration) || isLiteral;
  const value = isOther ? argumentFor(TYPING, scope, declaration, given) : typed(scope, given);
  if (value.type === "error") return value;
  if (wanted === "seed") checkConstant(scope, param, value);
  if (wanted === "tokens" && isStatic && value.rate !== "static") diagnostics.push(needsStatic());
  if (isOther) return value;
  const isCondition = value.type === "bool";
  if (isCondition !== (wanted === "bool") || value.type === "text" || value.type === "list") {
    diagnostics.push(typeMismatch(span, wanted === "bool" ? "a condition" : "a number", kindOf(value)));
  } else if (value.shape === "column") {
    diagnostics.push(mustBeScalar(span, `\`${name}\``, isCondition));
  } else if (isStatic && value.rate !== "static") {
    diagnostics.push(needsStatic());
  } else if (wanted === "i32" && value.type === "f32" && value.constant === undefined) {
    const what = `\`${name}\` of \`${callee.declaration.name.text}\``;
    diagnostics.push(mustBeWhole(span, what, "a value of type f32"));
  } else {
    checkConstant(scope, param, value);
  }
  return value;
}
