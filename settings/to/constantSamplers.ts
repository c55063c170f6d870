/** Recognises samplers that are settings in other tools: biases of single tokens, and a grammar. */
import type { Bias } from "../from/plan.js";
import type { Expr, Sampler, Stmt } from "@ggsl/compiler/syntax/ast.js";

/** A sampler's biases, if each of its statements adds a constant to the logit of one token or bans one token. */
export function biasesOf({ params, body }: Sampler): Bias[] | undefined {
  if (params.length > 0 || body.length === 0) return undefined;
  const found = body.map(biasOf);
  return found.every((b) => b !== undefined) ? found : undefined;
}

/** `keep token != 5`, `logit += token == 7 ? 1.5 : 0` */
function biasOf(stmt: Stmt): Bias | undefined {
  if (stmt.kind === "keep" && !stmt.atLeast) {
    const token = tokenOf(stmt.cond, "!=");
    return token === undefined ? undefined : { token, bias: -Infinity };
  }
  if (stmt.kind !== "assign" || stmt.target.text !== "logit" || stmt.op !== "+=") return undefined;
  if (stmt.value.kind !== "conditional" || numberOf(stmt.value.else) !== 0) return undefined;
  const [token, bias] = [tokenOf(stmt.value.cond, "=="), numberOf(stmt.value.then)];
  return token === undefined || bias === undefined ? undefined : { token, bias };
}

function tokenOf(expr: Expr, op: "==" | "!="): number | undefined {
  if (expr.kind !== "binary" || expr.op !== op) return undefined;
  return expr.left.kind === "name" && expr.left.text === "token" ? numberOf(expr.right) : undefined;
}

function numberOf(expr: Expr): number | undefined {
  if (expr.kind === "unary" && expr.op === "-") {
    const value = numberOf(expr.operand);
    return value === undefined ? undefined : -value;
  }
  return expr.kind === "number" ? expr.value : undefined;
}

/** The grammar of a sampler whose only statement is `keep allowed("...")`. */
export function grammarOf({ params, body: [only, ...more] }: Sampler): string | undefined {
  if (params.length > 0 || more.length > 0 || only?.kind !== "keep" || only.atLeast) return undefined;
  const { cond } = only;
  if (cond.kind !== "call" || cond.callee.text !== "allowed") return undefined;
  const text = cond.args[0]?.value;
  return text?.kind === "string" ? text.value : undefined;
}
