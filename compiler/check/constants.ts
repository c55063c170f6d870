/** Constant expressions: numbers, constants and arithmetic on them, on the terms of graph/host.ts. */
import { applyHost } from "../graph/host.js";
import type { HostOp } from "../graph/graph.js";
import type { BinaryOp, Expr } from "../syntax/ast.js";
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

/** The value of a constant expression, truth as 1 and 0; undefined for anything else. */
export function evaluateConstant(expr: Expr, module: Module): number | undefined {
  const of = (e: Expr): number | undefined => evaluateConstant(e, module);
  switch (expr.kind) {
    case "number":
      return expr.value;
    case "bool":
      return expr.value ? 1 : 0;
    case "name": {
      const found = module.scope.get(expr.text);
      return found?.declaration.kind === "const" ? evaluateConstant(found.declaration.value, found.module) : undefined;
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
      const op = FUNCTIONS[expr.callee.text];
      return op && apply(op, expr.args.map(({ value }) => of(value)));
    }
    default:
      return undefined;
  }
}

function apply(op: HostOp, operands: readonly (number | undefined)[]): number | undefined {
  return operands.every((x) => x !== undefined) ? applyHost(op, operands) : undefined;
}
