/**
 * Uniform expressions: numbers that are computed once per token on the host. The constant evaluator and the runtimes share the
 * definitions in uniformOps.ts.
 */
import type { UniformExpr } from "./graph.js";
import { applyUniformOp, uniformOpRule, isUniformOp, saturate } from "./uniformOps.js";
import { LIMITS } from "../limits/format.js";
import { show } from "./show.js";

/** The values of the leaves of a uniform expression for one token. */
export interface UniformEnvironment {
  readonly param: (name: string) => number;
  readonly draw: (index: number) => number;
  readonly state: (index: number) => number;
  readonly step: number;
  readonly vocab: number;
  readonly isMember: (token: number, set: number) => boolean;
}

export function evaluateUniform(expr: UniformExpr, env: UniformEnvironment): number {
  if (typeof expr === "number") return saturate(expr);
  if (expr === "step") return env.step;
  if (expr === "vocab") return env.vocab;
  if ("param" in expr) return saturate(env.param(expr.param));
  if ("draw" in expr) return env.draw(expr.draw);
  if ("state" in expr) return saturate(env.state(expr.state));
  if ("member" in expr) return env.isMember(evaluateUniform(expr.member, env), expr.of) ? 1 : 0;
  const [op, ...operands] = expr;
  return applyUniformOp(
    op,
    operands.map((operand) => evaluateUniform(operand, env)),
  );
}

/** The valid leaves of a uniform expression. */
export interface UniformLeaves {
  readonly params: ReadonlySet<string>;
  readonly draws: number;
  readonly states: number;
  readonly sets: number;
}

export type UniformChecker = (expr: unknown, known: UniformLeaves) => string | undefined;

/** A validator of untrusted expressions, which returns the fault, if any; its limit is on all of them together. */
export function uniformChecker(): UniformChecker {
  let parts = 0;
  const visit = (e: unknown, known: UniformLeaves, depth: number): string | undefined => {
    if (++parts > LIMITS.uniformParts) return `all expressions together have more than ${LIMITS.uniformParts} parts`;
    if (depth > LIMITS.uniformDepth) return `the expression is nested more than ${LIMITS.uniformDepth} deep`;
    if (isMember(e)) {
      const { of } = e;
      const isSet = Number.isInteger(of) && (of as number) >= 0 && (of as number) < known.sets;
      return isSet ? visit(e.member, known, depth + 1) : `there is no set ${show(of)}`;
    }
    if (!Array.isArray(e)) return leafFault(e, known);
    const [op] = e as unknown[];
    if (!isUniformOp(op)) return `unknown operation ${show(op)}`;
    const { arity } = uniformOpRule(op);
    if (e.length - 1 !== arity) return `\`${op}\` takes ${arity} operands, found ${e.length - 1}`;
    for (const operand of e.slice(1)) {
      const fault = visit(operand, known, depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return (expr, known) => visit(expr, known, 0);
}

const isMember = (e: unknown): e is { readonly member: unknown; readonly of: unknown } =>
  typeof e === "object" && e !== null && Object.keys(e).sort().join() === "member,of";

function leafFault(e: unknown, known: UniformLeaves): string | undefined {
  if (typeof e === "number") return Number.isFinite(e) ? undefined : `${e} is not a finite number`;
  if (e === "step" || e === "vocab") return undefined;
  const entries = typeof e === "object" && e !== null ? Object.entries(e as Record<string, unknown>) : [];
  const [kind, which] = entries[0] ?? [];
  const isIndex = (count: number): boolean =>
    Number.isInteger(which) && (which as number) >= 0 && (which as number) < count;
  if (entries.length !== 1) return `${show(e)} is not an expression`;
  if (kind === "param") return known.params.has(which as string) ? undefined : `unknown parameter ${show(which)}`;
  if (kind === "draw") return isIndex(known.draws) ? undefined : `there is no draw ${show(which)}`;
  if (kind === "state") return isIndex(known.states) ? undefined : `there is no state ${show(which)}`;
  return `${show(e)} is not an expression`;
}
