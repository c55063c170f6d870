/** Walking the syntax tree. */
import type { Expr } from "./ast.js";

/** The expressions directly inside an expression. */
export function children(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case "unary":
      return [e.operand];
    case "binary":
      return [e.left, e.right];
    case "conditional":
      return [e.cond, e.then, e.else];
    case "call":
      return e.args.map(({ value }) => value);
    case "list":
      return e.values;
    default:
      return [];
  }
}

/** Every name that an expression uses. */
export const namesIn = (e: Expr): string[] => (e.kind === "name" ? [e.text] : children(e).flatMap(namesIn));
