/** Walking the typed tree. */
import type { Expr, Stmt } from "./tree.js";

/** The expressions directly inside an expression. */
export function partsOf(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case "unary":
      return [e.operand];
    case "binary":
      return [e.left, e.right];
    case "conditional":
      return [e.cond, e.then, e.else];
    case "member":
      return e.id ? [e.id] : [];
    case "fold":
      return [...e.rounds.ends, e.body];
    case "repeat":
      return [...e.rounds.ends, e.init, e.body];
    case "call":
      return e.args.map(({ value }) => value);
    case "apply":
      return e.args;
    default:
      return [];
  }
}

/** The expressions directly in a statement, without those of nested statements. */
export function expressionsOf(s: Stmt): readonly Expr[] {
  const found = (...all: readonly (Expr | undefined)[]): Expr[] => all.filter((e) => e !== undefined);
  switch (s.kind) {
    case "let":
    case "assign":
    case "measure":
      return [s.value];
    case "keep":
      return found(s.cond, s.atLeast);
    case "top":
      return found(s.count, s.by);
    case "sort":
      return found(s.by);
    case "if":
    case "stop":
    case "write":
      return [s.cond];
    case "pick":
      return found(s.value, s.at);
    case "state":
      return [s.init];
    case "after":
      return [];
  }
}

/** The statements directly in a statement. */
export const statementsIn = (s: Stmt): readonly Stmt[] =>
  s.kind === "if" ? [...s.then, ...s.else] : s.kind === "after" ? s.body : [];

/** All expressions of statements, those of nested statements included. */
export const allExpressions = (statements: readonly Stmt[]): Expr[] =>
  statements.flatMap((s) => [...expressionsOf(s), ...allExpressions(statementsIn(s))]);
