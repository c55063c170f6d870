/** Arguments that are computed before the graph runs. */
import { givesOf } from "../builtins/builtin.js";
import type { Expr } from "../syntax/ast.js";
import { drawIndexUnknown, mustBeWhole, notASeed, windowUnknown } from "../diagnostics/types.js";
import { node, noteName, report, scalarType, type Scope, type Typing } from "./scope.js";
import type * as T from "./tree.js";
import { partsOf } from "./walk.js";

/** Whether an expression is computed before the graph runs. */
export function isKnownBefore(e: T.Expr): boolean {
  switch (e.kind) {
    case "call": {
      const gives = givesOf(e.builtin, e.args.length);
      return gives === "uniform" || (gives === "map" && partsOf(e).every(isKnownBefore));
    }
    // the graph may compute the last rounds of a `repeat`
    case "apply":
    case "repeat":
    case "input":
      return false;
    case "builtin":
      return e.rate !== "runtime";
    case "local":
      return e.local.kind !== "let" || e.rate === "static" || e.local.isOfFunction === true;
    case "member":
      return e.id !== undefined && isKnownBefore(e.id);
    default:
      return partsOf(e).every(isKnownBefore);
  }
}

/** A window is an integer that is known before the graph runs. */
export function typedWindow({ typedNumber }: Typing, scope: Scope, value: Expr): T.Expr {
  const found = typedNumber(scope, value);
  if (found.type === "error" || found.rate === "static") return found;
  if (!isKnownBefore(found)) return report(scope, windowUnknown(value.span));
  return found.type === "f32" ? report(scope, mustBeWhole(value.span, "a window", "a value of type f32")) : found;
}

/** A draw index is computed before the graph runs, from parameters, states and `step`. */
export function typedIndex({ typedNumber }: Typing, scope: Scope, value: Expr): T.Expr {
  const found = typedNumber(scope, value);
  if (found.type !== "error" && !isKnownBefore(found)) scope.diagnostics.push(drawIndexUnknown(value.span));
  return found;
}

/** A seed is a parameter of that type, an integer, or `random`. The constant of a faulty one may have another fault. */
export function typedSeed({ typed }: Typing, scope: Scope, value: Expr): T.Expr {
  if (value.kind === "name" && value.text === "random") {
    noteName(scope, value);
    return node<T.Random>(scalarType("seed", "uniform"), { kind: "random", span: value.span });
  }
  const found = typed(scope, value);
  const isSeed = found.type === "seed" || found.type === "error" || (found.type === "i32" && found.rate === "static");
  return isSeed ? found : { ...report(scope, notASeed(value.span)), constant: found.constant };
}
