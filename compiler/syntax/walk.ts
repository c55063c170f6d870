/** Walking the syntax tree. */
import type { Call, Expr, Fn, Repeat, Sampler, Stmt } from "./ast.js";

/** The expressions directly inside an expression. */
export function children(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case "unary":
      return [e.operand];
    case "binary":
      return [e.left, e.right];
    case "member":
      return [e.value, e.set];
    case "conditional":
      return [e.cond, e.then, e.else];
    case "call":
      return e.args.map(({ value }) => value);
    case "list":
      return e.values;
    case "fold":
      return [e.bounds.from, e.bounds.to, e.body];
    case "repeat":
      return [...roundsOf(e), e.init, e.body];
    default:
      return [];
  }
}

/** The expressions that say how often a `repeat` runs. */
const roundsOf = ({ count, counter }: Repeat): Expr[] =>
  counter ? [counter.bounds.from, counter.bounds.to] : count ? [count] : [];

/** All names that an expression uses. */
export const namesIn = (e: Expr): string[] => (e.kind === "name" ? [e.text] : children(e).flatMap(namesIn));

/** All calls in an expression, in the order of the source. */
export const callsIn = (e: Expr): Call[] => [...(e.kind === "call" ? [e] : []), ...children(e).flatMap(callsIn)];

/** The expressions directly in a statement, without those of nested statements. */
function expressionsOf(s: Stmt): readonly Expr[] {
  switch (s.kind) {
    case "let":
    case "assign":
    case "measure":
      return [s.value];
    case "pick":
      return s.at ? [s.value, s.at] : [s.value];
    case "keep":
      return s.atLeast ? [s.cond, s.atLeast] : [s.cond];
    case "top":
      return s.by ? [s.count, s.by] : [s.count];
    case "sort":
      return s.by ? [s.by] : [];
    case "if":
    case "stop":
      return [s.cond];
    case "write":
      return [s.text, s.cond];
    case "state":
      return [s.init];
    case "after":
      return [];
  }
}

/** All expressions of statements, those of nested statements included, in the order of the source. */
const allExpressions = (statements: readonly Stmt[]): Expr[] =>
  statements.flatMap((s) => {
    const inside = s.kind === "if" ? [...s.then, ...(s.else ?? [])] : s.kind === "after" ? s.body : [];
    return [...expressionsOf(s), ...allExpressions(inside)];
  });

/** All expressions of a body. */
export const expressionsIn = (d: Sampler | Fn): readonly Expr[] =>
  d.kind === "sampler" ? allExpressions(d.body) : [...d.lets.map(({ value }) => value), d.result];
