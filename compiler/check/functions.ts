/** Calls of a program's functions: their types follow from the body, for the types of the arguments. */
import { LimitExceeded } from "../limits/meter.js";
import type { Call, Fn, Param } from "../syntax/ast.js";
import { resolveArgs } from "./arguments.js";
import { evaluateConstant } from "./constants.js";
import { isError, keyOf, type Diagnostic } from "./diagnostics.js";
import { faultOfCall, resultOfType } from "./diagnostics/functions.js";
import { limitDiagnostic } from "./diagnostics/limits.js";
import { mustBeWhole, staticNeedsStatic } from "./diagnostics/types.js";
import type { Binding, Module } from "./program.js";
import { ERROR, kindOf, RATES, scalarType, withName, type Local, type Scope, type Type, type Typing } from "./scope.js";
import { greatest } from "../extremes.js";

export interface FunctionBinding extends Binding {
  readonly declaration: Fn;
}

export const isFunction = (binding: Binding | undefined): binding is FunctionBinding =>
  binding?.declaration.kind === "fn";

/** A body that was checked for some types of arguments. */
interface CheckedBody {
  readonly type: Type;
  readonly diagnostics: readonly Diagnostic[];
}

/** Where a function is called, as far as its body depends on it. */
type Place = Pick<Scope, "hasRows" | "isAfterPick" | "canUsePicked">;

/** The place where every body is as valid as it can be. */
const ANYWHERE: Place = { hasRows: true, isAfterPick: true, canUsePicked: true };

/** Bodies by module, and there by function, types of the arguments and place: each is checked once. */
const bodies = new WeakMap<Module, Map<string, CheckedBody>>();

/** Checks the body for the arguments that allow most. */
export const checkBody = (typing: Typing, fn: FunctionBinding): CheckedBody =>
  bodyFor(
    typing,
    fn,
    fn.declaration.params.map(({ type }) => scalarType(type, "static")),
    ANYWHERE,
  );

export function typeOfFunctionCall(typing: Typing, scope: Scope, fn: FunctionBinding, call: Call): Type {
  const { declaration } = fn;
  const { text } = call.callee;
  const { bound, diagnostics } = resolveArgs(declaration.params, call.args, { name: text, span: call.span });
  for (const one of diagnostics) scope.diagnostics.push(one);
  const given = declaration.params.map((param): Type => {
    const value = bound.get(param.name.text)?.value;
    return value ? argumentType(typing, scope, text, param, value) : scalarType(param.type, "static");
  });
  if (diagnostics.length > 0 || given.some((t) => t.type === "error")) return ERROR;
  // what calls a function is no constant, which is reported where a constant is needed
  if (scope.isConstant) return scalarType(declaration.type, "static");
  const declared = checkBody(typing, fn);
  if (declared.diagnostics.some(isError)) return ERROR;
  const known = new Set(declared.diagnostics.map(keyOf));
  const body = bodyFor(typing, fn, given, scope);
  for (const d of body.diagnostics) if (!known.has(keyOf(d))) scope.diagnostics.push(faultOfCall(call.span, text, d));
  if (body.type.rate !== "uniform") return body.type;
  return {
    ...body.type,
    rate: RATES[
      greatest(
        given.map((t) => RATES.indexOf(t.rate)),
        RATES.indexOf("uniform"),
      )
    ]!,
  };
}

function argumentType(
  { numberType, conditionType }: Typing,
  scope: Scope,
  fn: string,
  param: Param,
  value: Call["args"][number]["value"],
): Type {
  const name = param.name.text;
  const found = param.type === "bool" ? conditionType(scope, value) : numberType(scope, value);
  if (found.type === "error") return ERROR;
  if (param.isStatic && found.rate !== "static") {
    const uniforms = value.kind === "name" && scope.uniforms.has(value.text) ? [value.text] : [];
    scope.diagnostics.push(staticNeedsStatic(value.span, name, fn, uniforms));
    return ERROR;
  }
  const constant = found.type === "f32" ? evaluateConstant(value, scope.module) : undefined;
  if (param.type === "i32" && found.type === "f32" && !Number.isInteger(constant)) {
    const shown = String(constant ?? "a value of type f32");
    scope.diagnostics.push(mustBeWhole(value.span, `\`${name}\` of \`${fn}\``, shown));
    return ERROR;
  }
  return { ...found, type: param.type };
}

function bodyFor(typing: Typing, fn: FunctionBinding, args: readonly Type[], place: Place): CheckedBody {
  const { declaration, module } = fn;
  // a uniform and a value known at run time are the same to a body
  const given = args.map((t): Type => (t.shape === "scalar" && t.rate === "runtime" ? { ...t, rate: "uniform" } : t));
  const key = JSON.stringify([
    declaration.name.text,
    given.map(({ shape, rate }) => [shape, rate]),
    [place.hasRows, place.isAfterPick, place.canUsePicked],
  ]);
  const present = bodies.get(module)?.get(key);
  if (present) return present;
  const diagnostics: Diagnostic[] = [];
  const checked = { type: typeOfBody(typing, fn, given, { place, diagnostics }), diagnostics };
  bodies.set(module, (bodies.get(module) ?? new Map<string, CheckedBody>()).set(key, checked));
  return checked;
}

function typeOfBody(
  typing: Typing,
  { declaration, module }: FunctionBinding,
  args: readonly Type[],
  { place, diagnostics }: { place: Place; diagnostics: Diagnostic[] },
): Type {
  const { params, lets, result, type: declared, span } = declaration;
  const names = new Map(params.map((p, i): [string, Local] => [p.name.text, { type: args[i]!, span: p.name.span }]));
  const { hasRows, isAfterPick, canUsePicked } = place;
  let scope: Scope = {
    ...{ module, names, uniforms: new Set(), hasRows, isAfterPick, canUsePicked, diagnostics },
    drawless: "fn",
  };
  try {
    module.meter.spend(span.end - span.start);
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    diagnostics.push(limitDiagnostic(declaration.name.span, error));
    return ERROR;
  }
  for (const { name, value } of lets) scope = withName(scope, name, typing.valueType(scope, value));
  const found = typing.valueType(scope, result);
  if (found.type === "error") return ERROR;
  if ((found.type === "bool") !== (declared === "bool") || (declared === "i32" && found.type === "f32")) {
    const what = found.type === "f32" ? "an f32" : kindOf(found);
    diagnostics.push(resultOfType(result.span, declaration.name.text, declared, what));
    return ERROR;
  }
  return { ...found, type: declared };
}
