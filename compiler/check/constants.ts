/** Constant expressions: numbers, constants and arithmetic on them, on the terms of graph/hostOps.ts. */
import { applyHost, hostRule, saturate, type HostOp } from "../graph/hostOps.js";
import type { BinaryOp, Const, Expr } from "../syntax/ast.js";
import type { Module } from "./program.js";

const BINARY: Readonly<Partial<Record<BinaryOp, HostOp>>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "div",
  "%": "mod",
  "^": "pow",
  ">": "gt",
  ">=": "ge",
  "==": "eq",
  and: "and",
  or: "or",
};

const FUNCTIONS: Readonly<Record<string, HostOp>> = {
  ...{ exp: "exp", log: "log", log2: "log2", sqrt: "sqrt", abs: "abs", clamp: "clamp", floor: "floor", ceil: "ceil" },
  ...{ round: "round", sign: "sign", sigmoid: "sigmoid", tanh: "tanh", min: "min", max: "max" },
};

/** Values of constants: each is evaluated once, however many expressions name it. */
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

/** The value of a constant expression, truth as 1 and 0; undefined for anything else. */
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
    case "unary":
      return apply(expr.op === "-" ? "neg" : "not", [of(expr.operand)]);
    case "binary": {
      const [a, b] = [of(expr.left), of(expr.right)];
      if (expr.op === "<") return apply("gt", [b, a]);
      if (expr.op === "<=") return apply("ge", [b, a]);
      if (expr.op === "!=") return apply("not", [apply("eq", [a, b])]);
      return apply(BINARY[expr.op]!, [a, b]);
    }
    case "conditional": {
      const condition = of(expr.cond);
      return condition === undefined ? undefined : of(condition !== 0 ? expr.then : expr.else);
    }
    case "call": {
      const op = Object.hasOwn(FUNCTIONS, expr.callee.text) ? FUNCTIONS[expr.callee.text] : undefined;
      return op && hostRule(op).arity === expr.args.length
        ? apply(
            op,
            expr.args.map(({ value }) => of(value)),
          )
        : undefined;
    }
    default:
      return undefined;
  }
}

function apply(op: HostOp, operands: readonly (number | undefined)[]): number | undefined {
  return operands.every((x) => x !== undefined) ? applyHost(op, operands) : undefined;
}
