/** Calls of a program's functions: their types follow from the body, for the types of the arguments. */
import { LimitExceeded } from "../limits/meter.js";
import type { Call, Param } from "../syntax/ast.js";
import { isError, keyOf, type Diagnostic } from "../diagnostics/diagnostic.js";
import { faultOfCall, resultOfType } from "../diagnostics/functions.js";
import { limitDiagnostic } from "../diagnostics/limits.js";
import { mustBeWhole, staticNeedsStatic } from "../diagnostics/types.js";
import { noteUse, topLevel } from "./names.js";
import { boundArguments, checkedParams } from "./params.js";
import { ERROR, kindOf, node, RATES, scalarType, typeOf, withName, type Scope, type Typing } from "./scope.js";
import type * as T from "./tree.js";
import { greatest } from "../core/extremes.js";

/** Where a function is called, as far as its body depends on it. */
type CallSite = Pick<Scope, "hasRows" | "isAfterPick" | "canUsePicked">;

/** The place where every body is as valid as it can be. */
const ANYWHERE: CallSite = { hasRows: true, isAfterPick: true, canUsePicked: true };

type CheckedBody = T.Found<T.Body | undefined>;

/** Checks the body for the arguments that allow most. */
export const checkBody = (typing: Typing, fn: T.FnBinding): CheckedBody =>
  bodyFor(
    typing,
    fn,
    fn.declaration.params.map(({ type }) => scalarType(type, "static")),
    ANYWHERE,
  );

/** Notes the meanings of the names in a body, for arguments as its parameters are declared. */
export function noteBody(typing: Typing, fn: T.FnBinding): void {
  const { params } = fn.declaration;
  const args = params.map(({ type, isStatic }) => scalarType(type, isStatic ? "static" : "uniform"));
  typedBody(typing, fn, args, { ...ANYWHERE, diagnostics: [], uses: fn.module.uses });
}

export function typedFunctionCall(typing: Typing, scope: Scope, fn: T.FnBinding, call: Call): T.Expr {
  const { declaration } = fn;
  const { callee, span } = call;
  const { text } = callee;
  noteUse(scope.uses, callee, topLevel(scope.module, text));
  const { bound, isValid } = boundArguments(typing, scope, declaration.params, call.args, { name: text, span });
  const args = declaration.params.map((param): T.Expr | undefined => {
    const value = bound.get(param.name.text);
    return value && argument(typing, scope, text, param, value);
  });
  if (!isValid || args.some((a) => a?.type === "error")) return ERROR;
  // what calls a function is no constant, which is reported where a constant is needed
  if (scope.isConstant) return { ...ERROR, ...scalarType(declaration.type, "static") };
  const declared = checkBody(typing, fn);
  if (declared.diagnostics.some(isError)) return ERROR;
  const known = new Set(declared.diagnostics.map(keyOf));
  const types = args.map((a, i): T.Type => {
    const { type } = declaration.params[i]!;
    return a ? { ...a, type } : scalarType(type, "static");
  });
  const { value: body, diagnostics: faults } = bodyFor(typing, fn, types, scope);
  for (const d of faults) if (!known.has(keyOf(d))) scope.diagnostics.push(faultOfCall(span, text, d));
  if (!body) return ERROR;
  const params = checkedParams(typing, fn).value;
  const filled = args.map((a, i) => a ?? params[i]!.default!);
  const rate =
    RATES[
      greatest(
        types.map((t) => RATES.indexOf(t.rate)),
        RATES.indexOf("uniform"),
      )
    ]!;
  const type = body.type.rate === "uniform" ? { ...body.type, rate } : body.type;
  return node<T.FunctionCall>(type, { kind: "apply", body, args: filled, span });
}

function argument(
  { typedNumber, typedCondition }: Typing,
  scope: Scope,
  fn: string,
  param: Param,
  value: Call["args"][number]["value"],
): T.Expr {
  const name = param.name.text;
  const found = param.type === "bool" ? typedCondition(scope, value) : typedNumber(scope, value);
  if (found.type === "error") return ERROR;
  if (param.isStatic && found.rate !== "static") {
    const uniforms = value.kind === "name" && scope.uniforms.has(value.text) ? [value.text] : [];
    scope.diagnostics.push(staticNeedsStatic(value.span, name, fn, uniforms));
    return ERROR;
  }
  const constant = found.type === "f32" ? found.constant : undefined;
  if (param.type === "i32" && found.type === "f32" && !Number.isInteger(constant)) {
    const shown = String(constant ?? "a value of type f32");
    scope.diagnostics.push(mustBeWhole(value.span, `\`${name}\` of \`${fn}\``, shown));
    return ERROR;
  }
  return found;
}

function bodyFor(typing: Typing, fn: T.FnBinding, args: readonly T.Type[], place: CallSite): CheckedBody {
  // a uniform and a value known at run time are the same to a body
  const given = args.map((t): T.Type => (t.shape === "scalar" && t.rate === "runtime" ? { ...t, rate: "uniform" } : t));
  const { hasRows, isAfterPick, canUsePicked } = place;
  const key = JSON.stringify([given.map(({ shape, rate }) => [shape, rate]), [hasRows, isAfterPick, canUsePicked]]);
  const present = fn.bodies.get(key);
  if (present) return present;
  const diagnostics: Diagnostic[] = [];
  const checked = {
    value: meteredBody(typing, fn, given, { hasRows, isAfterPick, canUsePicked, diagnostics }),
    diagnostics,
  };
  fn.bodies.set(key, checked);
  return checked;
}

type BodyScope = CallSite & Pick<Scope, "diagnostics" | "uses">;

function meteredBody(typing: Typing, fn: T.FnBinding, args: readonly T.Type[], place: BodyScope): T.Body | undefined {
  const { span, name } = fn.declaration;
  try {
    fn.module.meter.spend(span.end - span.start);
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    place.diagnostics.push(limitDiagnostic(name.span, error));
    return undefined;
  }
  return typedBody(typing, fn, args, place);
}

function typedBody(
  typing: Typing,
  { declaration, module }: T.FnBinding,
  args: readonly T.Type[],
  place: BodyScope,
): T.Body | undefined {
  const { name: fn, params: declared, lets: statements, result: last, type } = declaration;
  const params = declared.map((param, i): T.Local => {
    const { span } = param.name;
    return { kind: "parameter", span, type: args[i]!, param };
  });
  const names = new Map(declared.map(({ name }, i) => [name.text, params[i]!]));
  let scope: Scope = { module, names, uniforms: new Set(), used: new Set(), ...place, drawless: "fn" };
  const lets = statements.map(({ name, value }) => {
    const found = typing.typedValue(scope, value);
    const local: T.Local = { kind: "let", span: name.span, type: typeOf(found), isOfFunction: true };
    scope = withName(scope, name, local);
    return { local, value: found };
  });
  const result = typing.typedValue(scope, last);
  if (result.type === "error") return undefined;
  if ((result.type === "bool") !== (type === "bool") || (type === "i32" && result.type === "f32")) {
    const what = result.type === "f32" ? "an f32" : kindOf(result);
    scope.diagnostics.push(resultOfType(last.span, fn.text, type, what));
    return undefined;
  }
  const { shape, rate } = result;
  return { type: { type, shape, rate }, params, lets, result };
}
