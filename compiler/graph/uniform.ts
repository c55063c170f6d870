/**
 * Uniform expressions: numbers that are computed once per token on the host. The constant evaluator and the runtimes share the
 * definitions in uniformOps.ts.
 */
import { exprOfFeature } from "./features.js";
import type { Ending, Graph, UniformExpr, WindowFold } from "./graph.js";
import { applyUniformOp, uniformOpRule, isUniformOp, saturate } from "./uniformOps.js";
import { LIMITS } from "../limits/format.js";
import { show } from "../core/show.js";
import { isEnding } from "./values.js";

/** The values of the leaves of a uniform expression for one token. */
export interface UniformEnvironment {
  param(name: string): number;
  draw(index: number): number;
  state(index: number): number;
  window(index: number, of: WindowFold): number;
  readonly step: number;
  readonly vocab: number;
  readonly promptLength: number;
  /** The id of the k-th last token; -1 where the text is shorter. */
  last(k: number): number;
  /** The tokens since the text last ended so; `NEVER` if it never did. */
  since(ending: Ending): number;
  /** Whether the next byte may be one of a rule. */
  isInRule(rule: number): boolean;
  isMember(token: number, set: number): boolean;
}

/** The count of `since` for a text that never ended so, and the largest that it gives. */
export const NEVER = 2 ** 24;

export function evaluateUniform(expr: UniformExpr, env: UniformEnvironment): number {
  if (typeof expr === "number") return saturate(expr);
  if (expr === "step") return env.step;
  if (expr === "vocab") return env.vocab;
  if (expr === "prompt_length") return env.promptLength;
  if ("param" in expr) return saturate(env.param(expr.param));
  if ("draw" in expr) return env.draw(expr.draw);
  if ("state" in expr) return saturate(env.state(expr.state));
  if ("window" in expr) return saturate(env.window(expr.window, expr.of));
  if ("last" in expr) return env.last(expr.last);
  if ("ends_with" in expr) return env.since(expr.ends_with) === 0 ? 1 : 0;
  if ("since" in expr) return env.since(expr.since);
  if ("in_rule" in expr) return env.isInRule(expr.in_rule) ? 1 : 0;
  if ("member" in expr) return env.isMember(evaluateUniform(expr.member, env), expr.of) ? 1 : 0;
  const operands: number[] = [];
  for (let i = 1; i < expr.length; i++) operands.push(evaluateUniform(expr[i] as UniformExpr, env));
  return applyUniformOp(expr[0], operands);
}

/** A uniform expression that has no operands. */
export type UniformLeaf = Exclude<UniformExpr, readonly [unknown, ...unknown[]]>;

/** The leaves of a uniform expression, from left to right; those of a member's token before it. */
export function leavesOf(expr: UniformExpr): UniformLeaf[] {
  if (Array.isArray(expr)) return (expr.slice(1) as UniformExpr[]).flatMap(leavesOf);
  const leaf = expr as UniformLeaf;
  return typeof leaf === "object" && "member" in leaf ? [...leavesOf(leaf.member), leaf] : [leaf];
}

/** All uniform expressions of a graph. */
export const uniformExprsOf = ({ uniforms, states, draws, features, writes = [] }: Graph): UniformExpr[] => [
  ...uniforms.map(({ expr }) => expr),
  ...states.map(({ init }) => init),
  ...draws.flatMap(({ at }) => (at === undefined ? [] : [at])),
  ...features.map(exprOfFeature).filter((expr) => expr !== undefined),
  ...writes.map(({ when }) => when),
];

/** The texts and lists of token ids that a leaf compares the text with. */
export const endingOf = (leaf: UniformLeaf): Ending | undefined =>
  typeof leaf !== "object"
    ? undefined
    : "ends_with" in leaf
      ? leaf.ends_with
      : "since" in leaf
        ? leaf.since
        : undefined;

/** How much a leaf counts in the size of an expression: an ending counts each of its characters or ids. */
export const leafParts = (leaf: UniformLeaf): number => 1 + (endingOf(leaf)?.length ?? 0);

/** The valid leaves of a uniform expression. */
export interface UniformLeaves {
  readonly params: ReadonlySet<string>;
  readonly draws: number;
  readonly states: number;
  readonly windows: number;
  readonly sets: number;
  readonly rules: number;
}

type UniformChecker = (expr: unknown, known: UniformLeaves) => string | undefined;

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
    if (!Array.isArray(e)) {
      const fault = leafFault(e, known);
      parts += fault === undefined ? leafParts(e as UniformLeaf) - 1 : 0;
      return fault;
    }
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

/** What can be computed of a window. */
const FOLDS: readonly unknown[] = ["sum", "min", "max"] satisfies WindowFold[];

function leafFault(e: unknown, known: UniformLeaves): string | undefined {
  if (typeof e === "number") return Number.isFinite(e) ? undefined : `${e} is not a finite number`;
  if (e === "step" || e === "vocab" || e === "prompt_length") return undefined;
  const entries = typeof e === "object" && e !== null ? Object.entries(e as Record<string, unknown>) : [];
  const [kind, which] = entries[0] ?? [];
  if (entries.length === 2 && Object.hasOwn(e as object, "window") && Object.hasOwn(e as object, "of")) {
    const { window, of } = e as { readonly window: unknown; readonly of: unknown };
    if (!FOLDS.includes(of)) return `${show(e)} is not an expression`;
    const isWindow = Number.isInteger(window) && (window as number) >= 0 && (window as number) < known.windows;
    return isWindow ? undefined : `there is no window ${show(window)}`;
  }
  const isIndex = (count: number): boolean =>
    Number.isInteger(which) && (which as number) >= 0 && (which as number) < count;
  if (entries.length !== 1) return `${show(e)} is not an expression`;
  if (kind === "param") return known.params.has(which as string) ? undefined : `unknown parameter ${show(which)}`;
  if (kind === "draw") return isIndex(known.draws) ? undefined : `there is no draw ${show(which)}`;
  if (kind === "in_rule") return isIndex(known.rules) ? undefined : `there is no rule ${show(which)} to ask about here`;
  if (kind === "state") return isIndex(known.states) ? undefined : `there is no state ${show(which)}`;
  if (kind === "last")
    return isIndex(LIMITS.dim + 1) && which !== 0
      ? undefined
      : `\`last\` must be an integer from 1 to ${LIMITS.dim}, found ${show(which)}`;
  if (kind === "ends_with" || kind === "since")
    return isEnding(which)
      ? undefined
      : `\`${kind}\` must be a text or a list of token ids, of 1 to ${LIMITS.ending} characters or ids, found ${show(which)}`;
  return `${show(e)} is not an expression`;
}
