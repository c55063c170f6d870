/** Chains: their stages, what these are given, and their order. */
import type { Chain, Sampler, StageCall } from "../syntax/ast.js";
import { resolveArgs } from "./arguments.js";
import type { Diagnostic } from "./diagnostics.js";
import { importsItself, notAStage, notAvailable, unknownStage } from "./diagnostics/names.js";
import { stageAfterPick } from "./diagnostics/statements.js";
import { mustBeScalar, staticNeedsStatic, typeMismatch } from "./diagnostics/types.js";
import { STD_NAMES } from "./modules.js";
import type { Module } from "./program.js";
import { checkConstantFor, checkParams, picks } from "./samplers.js";
import { seedType, typeOf, type Scope, type Type } from "./types.js";

export function checkChain(module: Module, chain: Chain, diagnostics: Diagnostic[]): void {
  const names = new Map<string, Type>();
  checkParams(module, chain.params, names, diagnostics);
  const scope: Scope = { module, names, isOrdered: false, diagnostics };
  let picker: string | undefined;
  for (const stage of chain.stages) {
    if (picker !== undefined) diagnostics.push(stageAfterPick(stage.span, stage.name.text, picker));
    if (checkStage(scope, chain, stage)) picker ??= stage.name.text;
  }
}

/** Returns whether the stage picks the token. */
function checkStage(scope: Scope, chain: Chain, stage: StageCall): boolean {
  const { module, diagnostics } = scope;
  const { text, span } = stage.name;
  if (stage.isHost) {
    diagnostics.push(notAvailable(stage.span, "the host tail"));
    return false;
  }
  const found = module.scope.get(text);
  if (!found) {
    const stages = [...module.scope].filter(([, b]) => b.declaration.kind === "sampler" || b.declaration.kind === "chain");
    diagnostics.push(unknownStage(span, text, [...stages.map(([name]) => name), ...STD_NAMES], STD_NAMES.includes(text)));
    return false;
  }
  const callee = found.declaration;
  if (callee.kind !== "sampler" && callee.kind !== "chain") {
    diagnostics.push(notAStage(span, text, callee.kind === "const" ? "a constant" : "an input"));
    return false;
  }
  if (reaches(callee, found.module, chain, new Set())) {
    diagnostics.push(importsItself(span, text));
    return false;
  }
  const { bound, diagnostics: faults } = resolveArgs(callee.params, stage.args, { name: text, span });
  diagnostics.push(...faults);
  for (const param of callee.params) {
    const arg = bound.get(param.name.text);
    if (arg) checkArgument(scope, callee, found.module, param, arg.value);
  }
  return picksSomething(callee, found.module);
}

function checkArgument(scope: Scope, callee: Sampler | Chain, declarer: Module, param: Sampler["params"][number], value: Parameters<typeof typeOf>[1]): void {
  const { diagnostics } = scope;
  const name = param.name.text;
  if (param.type === "seed") {
    const type = seedType(scope, value);
    if (type.type !== "error") checkConstantFor(declarer, param, scope.module, value, diagnostics, false);
    return;
  }
  const type = typeOf(scope, value);
  if (type.type === "error") return;
  const isCondition = type.type === "bool";
  if (isCondition !== (param.type === "bool")) {
    diagnostics.push(typeMismatch(value.span, param.type === "bool" ? "a condition" : "a number", isCondition ? "a condition" : type.type === "seed" ? "a seed" : "a number"));
  } else if (type.shape === "column") {
    diagnostics.push(mustBeScalar(value.span, `\`${name}\``, isCondition));
  } else if (param.isStatic && type.rate !== "static") {
    diagnostics.push(staticNeedsStatic(value.span, name, callee.name.text, value.kind === "name" ? value.text : undefined));
  } else {
    checkConstantFor(declarer, param, scope.module, value, diagnostics, false);
  }
}

/** Whether a chain is a stage of what it calls. */
function reaches(callee: Sampler | Chain, module: Module, chain: Chain, seen: Set<Chain>): boolean {
  if (callee.kind === "sampler") return false;
  if (callee === chain) return true;
  if (seen.has(callee)) return false;
  seen.add(callee);
  return callee.stages.some(({ name }) => {
    const next = module.scope.get(name.text);
    const isStage = next?.declaration.kind === "sampler" || next?.declaration.kind === "chain";
    return isStage && reaches(next.declaration as Sampler | Chain, next.module, chain, seen);
  });
}

function picksSomething(callee: Sampler | Chain, module: Module): boolean {
  if (callee.kind === "sampler") return picks(callee.body);
  return callee.stages.some(({ name }) => {
    const next = module.scope.get(name.text);
    return next !== undefined && "params" in next.declaration && picksSomething(next.declaration, next.module);
  });
}
