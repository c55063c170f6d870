/** Constant expressions: numbers, constants and arithmetic on them. */
import { foldBinary, foldCall } from "../builtins/fold.js";
import { applyUniformOp, saturate } from "../graph/uniformOps.js";
import type { Const, Expr, ListLit, StringLit } from "../syntax/ast.js";
import { builtinCalled, type Module } from "./program.js";

/** Values of constants: each is evaluated once. */
const values = new WeakMap<Const, { readonly value: number | undefined }>();

export const isEvaluated = (declaration: Const): boolean => values.has(declaration);

/** The value of a declared constant; `module` is where it is declared. */
export function evaluateConst(declaration: Const, module: Module): number | undefined {
  const present = values.get(declaration);
  if (present) return present.value;
  const value = evaluateConstant(declaration.value, module);
  values.set(declaration, { value });
  return value;
}

/** The value of a constant expression, booleans as 1 and 0; undefined if it is not constant. */
export function evaluateConstant(expr: Expr, module: Module): number | undefined {
  const of = (e: Expr): number | undefined => evaluateConstant(e, module);
  switch (expr.kind) {
    case "number":
      return saturate(expr.value);
    case "bool":
      return expr.value ? 1 : 0;
    case "name": {
      const found = module.scope.get(expr.text);
      return found?.declaration.kind === "const" ? evaluateConst(found.declaration, found.module) : undefined;
    }
    case "unary": {
      const x = of(expr.operand);
      return x === undefined ? undefined : applyUniformOp(expr.op === "-" ? "neg" : "not", [x]);
    }
    case "binary": {
      const [a, b] = [of(expr.left), of(expr.right)];
      return a === undefined || b === undefined ? undefined : foldBinary(expr.op, a, b);
    }
    case "conditional": {
      const condition = of(expr.cond);
      return condition === undefined ? undefined : of(condition !== 0 ? expr.then : expr.else);
    }
    case "call": {
      if (!builtinCalled(module, expr.callee.text)) return undefined;
      const numbers = expr.args.map(({ value }) => of(value)).filter((x) => x !== undefined);
      return numbers.length === expr.args.length ? foldCall(expr.callee.text, numbers) : undefined;
    }
    default:
      return undefined;
  }
}

/** The text or the list that an expression is or names; undefined for all others. */
export function textConstant(module: Module, expr: Expr): StringLit | ListLit | undefined {
  if (expr.kind === "string" || expr.kind === "list") return expr;
  const found = expr.kind === "name" ? module.scope.get(expr.text) : undefined;
  return found?.declaration.kind === "const" ? textConstant(found.module, found.declaration.value) : undefined;
}

/** The text of a list of one text: a parameter that takes lists of token ids takes texts in this form. */
export const textAlone = (e: StringLit | ListLit): StringLit | undefined =>
  e.kind === "list" && e.values.length === 1 && e.values[0]!.kind === "string" ? e.values[0] : undefined;
