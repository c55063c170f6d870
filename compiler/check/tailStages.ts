/** Stages of the host tail; their arguments are known at compile time. */
import type { Range } from "../graph/graph.js";
import { isSeed, SEED_RANGE } from "../graph/param.js";
import { describeRange, fractionMeant, isInRange } from "../graph/range.js";
import type { Expr, StageCall } from "../syntax/ast.js";
import { evaluateConstant } from "./constants.js";
import { unknownTailStage } from "./diagnostics/names.js";
import { outOfRange } from "./diagnostics/params.js";
import { mustBeScalar, mustBeWhole, staticNeedsStatic } from "./diagnostics/types.js";
import { TAIL_SAMPLERS, type TailParam } from "../llama/samplers.js";
import { resolveTailArgs } from "./tailArguments.js";
import { seedType, textType } from "./calls.js";
import { numberType, uniformsIn, type Scope, TYPING } from "./types.js";

/** Returns whether the stage picks the token. */
export function checkTailStage(scope: Scope, stage: StageCall): boolean {
  const { text, span } = stage.name;
  const sampler = Object.hasOwn(TAIL_SAMPLERS, text) ? TAIL_SAMPLERS[text] : undefined;
  if (!sampler) {
    scope.diagnostics.push(unknownTailStage(span, text, Object.keys(TAIL_SAMPLERS)));
    return false;
  }
  const { bound, diagnostics } = resolveTailArgs(stage);
  for (const one of diagnostics) scope.diagnostics.push(one);
  for (const [name, value] of bound) checkTailArgument(scope, text, name, sampler.params[name]!, value);
  return sampler.picks === true;
}

function checkTailArgument(scope: Scope, callee: string, name: string, param: TailParam, value: Expr): void {
  switch (param.type) {
    case "seed":
      seedType(TYPING, scope, value);
      return checkTailSeed(scope, name, value);
    case "text":
      textType(scope, value, "text");
      return;
    case "list":
      textType(scope, value, "list");
      return;
    default:
      return checkTailNumber(scope, callee, name, param, value);
  }
}

function checkTailSeed(scope: Scope, name: string, value: Expr): void {
  const constant = evaluateConstant(value, scope.module);
  if (constant !== undefined && !isSeed(constant))
    scope.diagnostics.push(outOfRange(value.span, name, SEED_RANGE, String(constant)));
}

/** The values that llama.cpp's samplers accept without a narrower range. */
const I32: Range = { min: -(2 ** 31), max: 2 ** 31 - 1 };

function checkTailNumber(
  scope: Scope,
  callee: string,
  name: string,
  { type, range: own = {} }: TailParam,
  value: Expr,
): void {
  const range = type === "i32" ? { ...I32, ...own } : own;
  const found = numberType(scope, value);
  if (found.type === "error") return;
  const constant = evaluateConstant(value, scope.module);
  const isFraction = type === "i32" && (constant === undefined ? found.type === "f32" : !Number.isInteger(constant));
  if (found.shape === "column") scope.diagnostics.push(mustBeScalar(value.span, `\`${name}\``, false));
  else if (found.rate !== "static")
    scope.diagnostics.push(staticNeedsStatic(value.span, name, callee, uniformsIn(scope, value)));
  else if (isFraction)
    scope.diagnostics.push(mustBeWhole(value.span, `\`${name}\``, String(constant ?? "a value of type f32")));
  else if (constant !== undefined && !isInRange(range, constant))
    scope.diagnostics.push(
      outOfRange(value.span, name, describeRange(range), String(constant), { meant: fractionMeant(range, constant) }),
    );
}
