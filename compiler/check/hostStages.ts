/** Stages of the host tail; their arguments are known at compile time. */
import type { Range } from "../graph/graph.js";
import { isSeed, SEED_RANGE } from "../graph/param.js";
import { describeRange, isInRange } from "../graph/range.js";
import type { Expr, StageCall } from "../syntax/ast.js";
import { evaluateConstant } from "./constants.js";
import { unknownHostStage } from "./diagnostics/names.js";
import { outOfRange } from "./diagnostics/params.js";
import { mustBeScalar, mustBeWhole, staticNeedsStatic } from "./diagnostics/types.js";
import { HOST_SAMPLERS, resolveHostArgs, type HostParam } from "./host.js";
import { numberType, seedType, textType, uniformsIn, type Scope } from "./types.js";

/** Returns whether the stage picks the token. */
export function checkHostStage(scope: Scope, stage: StageCall): boolean {
  const { text, span } = stage.name;
  const sampler = Object.hasOwn(HOST_SAMPLERS, text) ? HOST_SAMPLERS[text] : undefined;
  if (!sampler) {
    scope.diagnostics.push(unknownHostStage(span, text, Object.keys(HOST_SAMPLERS)));
    return false;
  }
  const { bound, diagnostics } = resolveHostArgs(stage);
  scope.diagnostics.push(...diagnostics);
  for (const [name, value] of bound) checkHostArgument(scope, text, name, sampler.params[name]!, value);
  return sampler.picks === true;
}

function checkHostArgument(scope: Scope, callee: string, name: string, param: HostParam, value: Expr): void {
  switch (param.type) {
    case "seed":
      seedType(scope, value);
      return checkHostSeed(scope, name, value);
    case "text":
      textType(scope, value, "text");
      return;
    case "list":
      textType(scope, value, "list");
      return;
    default:
      return checkHostNumber(scope, callee, name, param, value);
  }
}

function checkHostSeed(scope: Scope, name: string, value: Expr): void {
  const constant = evaluateConstant(value, scope.module);
  if (constant !== undefined && !isSeed(constant))
    scope.diagnostics.push(outOfRange(value.span, name, SEED_RANGE, String(constant), undefined));
}

/** The values that llama.cpp's samplers accept without a narrower range. */
const I32: Range = { min: -(2 ** 31), max: 2 ** 31 - 1 };

function checkHostNumber(
  scope: Scope,
  callee: string,
  name: string,
  { type, range: own = {} }: HostParam,
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
    scope.diagnostics.push(outOfRange(value.span, name, describeRange(range), String(constant), undefined));
}
