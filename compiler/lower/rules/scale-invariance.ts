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
import { findFunction } from "../../builtins/builtins.js";
import { OPERATORS } from "../../builtins/operators.js";
import type { Expr } from "../../syntax/ast.js";
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

/** Whether a condition is invariant when the columns in `isRelative` are multiplied by a positive number. */
export function isScaleInvariant(condition: Expr, isRelative: (name: string) => boolean): boolean {
  if (condition.kind === "member") return true;
  if (condition.kind !== "binary") return false;
  const { op, left, right } = condition;
  const { takes, isOrdering } = OPERATORS[op];
  if (takes === "condition") return isScaleInvariant(left, isRelative) && isScaleInvariant(right, isRelative);
  if (!isOrdering) return false;
  const [a, b] = [degree(left, isRelative), degree(right, isRelative)];
  return a !== undefined && a > 0 && a === b;
}

/** The power of f by which an expression scales when these columns scale by f; undefined if there is none. */
function degree(e: Expr, isRelative: (name: string) => boolean): number | undefined {
  const of = (part: Expr): number | undefined => degree(part, isRelative);
  if (!mentions(e, isRelative)) return 0;
  switch (e.kind) {
    case "name":
      return 1;
    case "unary":
      return e.op === "-" ? of(e.operand) : undefined;
    case "call": {
      if (!findFunction(e.callee.text)?.isHomogeneous) return undefined;
      const [first, ...rest] = e.args.map(({ value }) => of(value));
      return rest.every((d) => d === first) ? first : undefined;
    }
    case "binary": {
      const [a, b] = [of(e.left), of(e.right)];
      if (a === undefined || b === undefined) return undefined;
      return OPERATORS[e.op].degree?.(a, b, e.right.kind === "number" ? e.right.value : undefined);
    }
    default:
      return undefined;
  }
}

/** Whether an expression depends on these columns, directly or indirectly. */
const mentions = (e: Expr, isRelative: (name: string) => boolean): boolean =>
  (e.kind === "name" && isRelative(e.text)) ||
  (e.kind === "call" && findFunction(e.callee.text)?.readsProb === true) ||
  children(e).some((part) => mentions(part, isRelative));
