/** Stages of the host tail; their arguments are known at compile time. */
import { isSeed, SEED_RANGE } from "../graph/param.js";
import { describeRange, fractionMeant, isInRange, type Range } from "../core/range.js";
import type { Expr, Param, StageCall } from "../syntax/ast.js";
import { unknownTailStage } from "../diagnostics/names.js";
import { outOfRange } from "../diagnostics/params.js";
import { mustBeScalar, mustBeWhole, staticNeedsStatic } from "../diagnostics/types.js";
import { TAIL_SAMPLERS, type TailParam, type TailSampler } from "../llama/samplers.js";
import { typedSeed } from "./known.js";
import { noteUse } from "./names.js";
import { boundArguments } from "./params.js";
import { uniformsIn, visit, type Scope } from "./scope.js";
import { typedText } from "./textArguments.js";
import type * as T from "./tree.js";
import { typedNumber, TYPING } from "./types.js";

export function typedTailStage(scope: Scope, call: StageCall): T.Stage {
  const { text, span } = call.name;
  const sampler = Object.hasOwn(TAIL_SAMPLERS, text) ? TAIL_SAMPLERS[text] : undefined;
  if (!sampler) {
    for (const { value } of call.args) visit(TYPING, scope, value);
    scope.diagnostics.push(unknownTailStage(span, text, Object.keys(TAIL_SAMPLERS)));
    return { kind: "error", call };
  }
  noteUse(scope.uses, call.name, { kind: "host" }, { stage: call });
  const { bound } = boundArguments(TYPING, scope, paramsOf(call, sampler), call.args, { name: text, span });
  for (const { name } of call.args)
    if (name && Object.hasOwn(sampler.params, name.text))
      noteUse(scope.uses, name, { kind: "tailParameter", stage: text });
  const args = [...bound].map(
    ([name, value]) => [name, typedArgument(scope, text, name, sampler.params[name]!, value)] as const,
  );
  return { kind: "tail", call, args };
}

function typedArgument(scope: Scope, callee: string, name: string, param: TailParam, given: Expr): T.Expr {
  switch (param.type) {
    case "seed": {
      const seed = typedSeed(TYPING, scope, given);
      if (seed.constant !== undefined && !isSeed(seed.constant))
        scope.diagnostics.push(outOfRange(given.span, name, SEED_RANGE, String(seed.constant)));
      return seed;
    }
    case "text":
    case "list":
      return typedText(TYPING, scope, given, { expected: param.type });
    default:
      return typedTailNumber(scope, callee, name, param, given);
  }
}

/** The values that llama.cpp's samplers accept without a narrower range. */
const I32: Range = { min: -(2 ** 31), max: 2 ** 31 - 1 };

function typedTailNumber(
  scope: Scope,
  callee: string,
  name: string,
  { type, range: own = {} }: TailParam,
  value: Expr,
): T.Expr {
  const range = type === "i32" ? { ...I32, ...own } : own;
  const found = typedNumber(scope, value);
  const { constant } = found;
  if (found.type === "error") return found;
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
  return found;
}

/** The parameters of a tail stage, as if they were declared where it is called. */
const paramsOf = ({ name: { span } }: StageCall, { params }: TailSampler): Param[] =>
  Object.entries(params).map(([name, p]): Param => {
    const value: Expr = { kind: "number", value: 0, isInt: true, span };
    return {
      name: { text: name, span },
      type: "f32",
      isStatic: true,
      ...(p.default !== undefined && { default: value }),
      span,
    };
  });
