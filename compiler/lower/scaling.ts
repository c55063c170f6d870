/** What scales with probabilities: the rule `scale-invariance` needs to know. */
import { OPERATORS } from "../builtins/operators.js";
import type { BuiltinCall, Expr, Local } from "../check/tree.js";
import { partsOf } from "../check/walk.js";
import type { Meter } from "../limits/meter.js";

/** The powers of f by which what loops and functions declare scales, if probabilities scale by f. */
interface Degrees {
  readonly locals: ReadonlyMap<Local, number | undefined>;
  readonly meter: Meter;
}

/** Whether a condition is invariant when probabilities are multiplied by a positive number. */
export function isScaleInvariant(condition: Expr, meter: Meter): boolean {
  if (condition.kind === "member") return true;
  if (condition.kind !== "binary") return false;
  const { op, left, right } = condition;
  const { takes, isOrdering } = OPERATORS[op];
  if (takes === "condition") return isScaleInvariant(left, meter) && isScaleInvariant(right, meter);
  if (!isOrdering) return false;
  const [a, b] = [left, right].map((side) => degree(side, { locals: new Map(), meter }));
  return a !== undefined && a > 0 && a === b;
}

/** The power of f by which an expression scales; undefined if there is none. */
function degree(e: Expr, degrees: Degrees): number | undefined {
  const { locals } = degrees;
  const of = (part: Expr): number | undefined => degree(part, degrees);
  degrees.meter.spend(1);
  switch (e.kind) {
    case "local":
      return locals.has(e.local) ? locals.get(e.local) : 0;
    case "builtin":
      return e.builtin.isRelative ? 1 : 0;
    case "unary":
      return e.op === "-" ? of(e.operand) : level(of(e.operand));
    case "call":
      return degreeOfCall(e, degrees);
    case "apply": {
      const inner = new Map(e.body.params.map((local, i) => [local, of(e.args[i]!)]));
      for (const { local, value } of e.body.lets) inner.set(local, degree(value, { ...degrees, locals: inner }));
      return degree(e.body.result, { ...degrees, locals: inner });
    }
    case "binary": {
      const [a, b] = [of(e.left), of(e.right)];
      if (a === undefined || b === undefined) return undefined;
      const literal = e.right.kind === "number" ? e.right.value : undefined;
      return a === 0 && b === 0 ? 0 : OPERATORS[e.op].degree?.(a, b, literal);
    }
    case "fold": {
      const body = of(e.body);
      return e.how === "any" || e.how === "all" ? level(body) : body;
    }
    case "repeat": {
      const init = of(e.init);
      const body = degree(e.body, { ...degrees, locals: new Map([...locals, [e.repeated, init]]) });
      return body === init ? init : undefined;
    }
    default:
      return partsOf(e).every((part) => of(part) === 0) ? 0 : undefined;
  }
}

/** The degree of what is not homogeneous. */
const level = (operand: number | undefined): number | undefined => (operand === 0 ? 0 : undefined);

function degreeOfCall({ builtin, args }: BuiltinCall, degrees: Degrees): number | undefined {
  const [first, ...rest] = args.map(({ value }) => degree(value, degrees));
  if (builtin.readsProb) return undefined;
  if (builtin.isHomogeneous) return rest.every((d) => d === first) ? first : undefined;
  if (first === undefined && args.length > 0) return undefined;
  return rest.every((d) => d === 0) ? level(first ?? 0) : undefined;
}
