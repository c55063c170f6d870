/**
 * A comparison of probabilities with each other (`prob >= p * max(prob)`) is invariant under a positive factor, and dropping rows
 * only multiplies the rest by one: the weights from before rows were dropped can be reused.
 *
 *     %9 = soft_max(%1)                    %9 = soft_max(%1)
 *     ...                                  ...
 *     %13 = scale(mask) s=1e33 b=-1e33     %13 = mul(%9, mask)
 *     %14 = soft_max(%1, %13)          ->  %14 = view(%13) offset=0 count=1
 *     %15 = view(%14) offset=0 count=1
 */
import { findFunction, findName } from "../../builtins/builtins.js";
import { OPERATORS } from "../../builtins/operators.js";
import { resolveArgs } from "../../check/arguments.js";
import { isFunction } from "../../check/functions.js";
import type { Module } from "../../check/program.js";
import type { Meter } from "../../limits/meter.js";
import type { Call, Expr } from "../../syntax/ast.js";
import { children } from "../../syntax/walk.js";
import type { Rule } from "./rule.js";

export const scaleInvariance: Rule = {
  name: "scale-invariance",
  doc: "comparing probabilities with each other needs no normalisation",
  example: `import { top_k, top_p, dist } from "std"

sampler relative(p: f32) {
  keep prob >= p * max(prob)
}

chain c = top_k(40) |> top_p(0.9) |> relative(0.1) |> dist(42)
`,
};

/** How the names of an expression scale. */
export interface Degrees {
  /** The degree of a name: the power of f by which it scales if probabilities scale by f; undefined if there is none. */
  ofName(name: string): number | undefined;
  /** Where the names of functions are looked up. */
  readonly module: Module;
  readonly meter: Meter;
}

/** Whether a condition is invariant when probabilities are multiplied by a positive number. */
export function isScaleInvariant(condition: Expr, degrees: Degrees): boolean {
  if (condition.kind !== "binary") return false;
  const { op, left, right } = condition;
  const { takes, isOrdering } = OPERATORS[op];
  if (takes === "condition") return isScaleInvariant(left, degrees) && isScaleInvariant(right, degrees);
  if (!isOrdering) return false;
  const [a, b] = [degree(left, degrees), degree(right, degrees)];
  return a !== undefined && a > 0 && a === b;
}

/** The power of f by which an expression scales; undefined if there is none. */
function degree(e: Expr, degrees: Degrees): number | undefined {
  const of = (part: Expr): number | undefined => degree(part, degrees);
  degrees.meter.spend(1);
  switch (e.kind) {
    case "name":
      return degrees.ofName(e.text);
    case "unary":
      return e.op === "-" ? of(e.operand) : level(of(e.operand));
    case "call":
      return degreeOfCall(e, degrees);
    case "binary": {
      const [a, b] = [of(e.left), of(e.right)];
      if (a === undefined || b === undefined) return undefined;
      const literal = e.right.kind === "number" ? e.right.value : undefined;
      return a === 0 && b === 0 ? 0 : OPERATORS[e.op].degree?.(a, b, literal);
    }
    case "fold": {
      const body = degree(e.body, named(degrees, new Map([[e.counter.text, 0]])));
      return e.how === "any" || e.how === "all" ? level(body) : body;
    }
    case "repeat": {
      const init = of(e.init);
      const counter: [string, number][] = e.counter ? [[e.counter.name.text, 0]] : [];
      const body = degree(e.body, named(degrees, new Map([...counter, [e.name.text, init]])));
      return body === init ? init : undefined;
    }
    default:
      return children(e).every((part) => of(part) === 0) ? 0 : undefined;
  }
}

/** The degree of what is not homogeneous. */
const level = (operand: number | undefined): number | undefined => (operand === 0 ? 0 : undefined);

const named = (degrees: Degrees, names: ReadonlyMap<string, number | undefined>): Degrees => ({
  ...degrees,
  ofName: (name) => (names.has(name) ? names.get(name) : degrees.ofName(name)),
});

function degreeOfCall({ callee, args }: Call, degrees: Degrees): number | undefined {
  const builtin = findFunction(callee.text);
  const found = builtin ? undefined : degrees.module.scope.get(callee.text);
  if (isFunction(found)) {
    const given = resolveArgs(found.declaration.params, args).bound;
    const names = new Map<string, number | undefined>();
    for (const { name } of found.declaration.params) {
      const value = given.get(name.text)?.value;
      names.set(name.text, value ? degree(value, degrees) : 0);
    }
    const ofName = (name: string): number => (findName(name)?.isRelative === true ? 1 : 0);
    const inner = named({ ...degrees, module: found.module, ofName }, names);
    for (const { name, value } of found.declaration.lets) names.set(name.text, degree(value, inner));
    return degree(found.declaration.result, inner);
  }
  const [first, ...rest] = args.map(({ value }) => degree(value, degrees));
  if (builtin?.readsProb) return undefined;
  if (builtin?.isHomogeneous) return rest.every((d) => d === first) ? first : undefined;
  return first === undefined && args.length > 0
    ? undefined
    : rest.every((d) => d === 0)
      ? level(first ?? 0)
      : undefined;
}
