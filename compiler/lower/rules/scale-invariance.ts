/**
 * A comparison of probabilities with each other (`prob >= p * max(prob)`) stays the same when all of them are multiplied by
 * one positive number, as dropping rows does: weights from before rows were dropped serve as well.
 *
 *     %9 = soft_max(%1)                    %9 = soft_max(%1)
 *     ...                                  ...
 *     %13 = scale(mask) s=1e33 b=-1e33     %13 = mul(%9, mask)
 *     %14 = soft_max(%1, %13)          ->  %14 = view(%13) offset=0 count=1
 *     %15 = view(%14) offset=0 count=1
 */
import type { Expr } from "../../syntax/ast.js";
import { children } from "../../syntax/walk.js";
import type { Rule } from "./rule.js";

export const scaleInvariance: Rule = {
  name: "scale-invariance",
  doc: "comparing probabilities with each other needs none that sum to 1",
  example: `import { top_k, top_p, dist } from "std"

sampler relative(p: f32) {
  keep prob >= p * max(prob)
}

chain c = top_k(40) |> top_p(0.9) |> relative(0.1) |> dist(42)
`,
};

const COMPARISONS: ReadonlySet<string> = new Set([">", ">=", "<", "<="]);

/** Whether a condition stays the same when `prob` is multiplied by a positive number. */
export function isScaleInvariant(condition: Expr, isProb: (name: string) => boolean): boolean {
  if (condition.kind !== "binary") return false;
  const { op, left, right } = condition;
  if (op === "and" || op === "or") return isScaleInvariant(left, isProb) && isScaleInvariant(right, isProb);
  if (!COMPARISONS.has(op)) return false;
  const [a, b] = [degree(left, isProb), degree(right, isProb)];
  return a !== undefined && a > 0 && a === b;
}

/** The power of f by which an expression grows when `prob` grows by a factor f; undefined if by none. */
function degree(e: Expr, isProb: (name: string) => boolean): number | undefined {
  const of = (part: Expr): number | undefined => degree(part, isProb);
  const isPlain = (part: Expr): boolean => !mentionsProb(part, isProb);
  if (isPlain(e)) return 0;
  if (e.kind === "name") return 1;
  if (e.kind === "unary" && e.op === "-") return of(e.operand);
  if (e.kind === "call" && (e.callee.text === "max" || e.callee.text === "min" || e.callee.text === "sum")) {
    const [first, ...rest] = e.args.map(({ value }) => of(value));
    return rest.every((d) => d === first) ? first : undefined;
  }
  if (e.kind !== "binary") return undefined;
  const [a, b] = [of(e.left), of(e.right)];
  if (a === undefined || b === undefined) return undefined;
  switch (e.op) {
    case "*":
      return a + b;
    case "/":
      return a - b;
    case "+":
    case "-":
      return a === b ? a : undefined;
    case "^":
      return e.right.kind === "number" ? a * e.right.value : undefined;
    default:
      return undefined;
  }
}

/** Whether an expression depends on `prob`, by itself or through what is made of it. */
const mentionsProb = (e: Expr, isProb: (name: string) => boolean): boolean =>
  (e.kind === "name" && isProb(e.text)) ||
  (e.kind === "call" && OF_PROB.has(e.callee.text)) ||
  children(e).some((part) => mentionsProb(part, isProb));

/** Functions that look at `prob` unasked. */
const OF_PROB: ReadonlySet<string> = new Set(["entropy"]);
