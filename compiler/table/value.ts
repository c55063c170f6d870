/** Values while lowering: a uniform expression, or a node of the graph, with what is known about it. */
import type { UniformExpr, NodeId } from "../graph/graph.js";
import { applyUniformOp, uniformRange, uniformOpRule, type UniformOp } from "../graph/uniformOps.js";
import * as I from "../graph/interval.js";
import type { Interval } from "../graph/interval.js";
import { leafParts, type UniformLeaf } from "../graph/uniform.js";
import { LIMITS } from "../limits/format.js";
import type { Gap } from "./gap.js";
import { greatest } from "../core/extremes.js";

export type Value = UniformValue | NodeValue;

/** A scalar computed before the graph runs: a constant, or an expression of parameters, draws and states. */
export interface UniformValue {
  readonly kind: "uniform";
  readonly expr: UniformExpr;
  readonly range: Interval;
}

/** A scalar (one row) or a column (one row for each row of the table) that the graph computes. */
export interface NodeValue {
  readonly kind: "node";
  readonly id: NodeId;
  readonly isColumn: boolean;
  readonly range: Interval;
  readonly facts: Facts;
}

/**
 * What lowering has proved of a node, for the table at the time that the node was created. An absent fact is unknown, which
 * is always safe.
 */
export interface Facts {
  /** The column is non-increasing or non-decreasing in the present order of the rows. */
  readonly trend?: "falls" | "rises" | undefined;
  /** Every dropped row holds 0. */
  readonly isZeroDropped?: boolean;
  /** This scalar is at most the maximum of that node's column over the rows left. */
  readonly atMostMaxOf?: NodeId | undefined;
  /** A condition that holds for the row with the largest value in that node's column. */
  readonly holdsForMaxOf?: NodeId | undefined;
  /** A condition that holds for at least one of the rows left. */
  readonly holdsSomewhere?: boolean;
  /** Prefix sum of that node's column, this row included. */
  readonly cumsumOf?: NodeId;
  /** The first row's value, if the first row is left. */
  readonly first?: Interval;
  /** Every value is 0 or 1. */
  readonly isCondition?: boolean;
  /** The bounds of a column of logits. */
  readonly gap?: Gap | undefined;
  /** The column is `condition ? then : otherwise`. */
  readonly choice?: Choice;
}

interface Choice {
  readonly condition: NodeValue;
  readonly then: Value;
  readonly otherwise: Value;
}

export const NO_FACTS: Facts = {};

export const constant = (x: number): UniformValue => ({ kind: "uniform", expr: x, range: I.point(x) });

export const uniformValue = (expr: UniformExpr, range: Interval): UniformValue =>
  range.lo === range.hi ? constant(range.lo) : { kind: "uniform", expr, range };

/** The facts of a column that stay true when rows are dropped later. */
export const outlastingFacts = ({ trend, gap, cumsumOf, isCondition }: Facts): Facts => ({
  trend,
  gap,
  ...(isCondition && { isCondition }),
  ...(cumsumOf !== undefined && { cumsumOf }),
});

export const isConstant = (v: Value): v is UniformValue & { readonly expr: number } =>
  v.kind === "uniform" && typeof v.expr === "number";

/** Whether every value is 0 or 1. */
export const isConditionValue = (v: Value): boolean =>
  v.kind === "node" ? v.facts.isCondition === true : isConstant(v) && (v.expr === 0 || v.expr === 1);

export const isColumn = (v: Value): boolean => v.kind === "node" && v.isColumn;

/** Applies a uniform operation; folds constants and results that the operands' ranges determine. */
export function uniformOp(op: UniformOp, ...operands: readonly UniformValue[]): UniformValue {
  if (operands.every(isConstant)) {
    return constant(
      applyUniformOp(
        op,
        operands.map((v) => v.expr),
      ),
    );
  }
  const [a, b] = operands;
  if (b && isConstant(b) && uniformOpRule(op).identity === b.expr) return a!;
  const range = uniformRange(
    op,
    operands.map((v) => v.range),
  );
  return uniformValue(checkSize([op, ...operands.map((v) => v.expr)]), range);
}

/** Thrown for a uniform expression that is too large to evaluate for every token; the message is its size. */
export class UniformTooLarge extends Error {}

/** The most parts of a uniform expression; a `let` that uses another twice doubles them. */
const MAX_SIZE = 4096;

interface Size {
  readonly parts: number;
  readonly depth: number;
}

const LEAF: Size = { parts: 1, depth: 0 };
const sizes = new WeakMap<object, Size>();

function measure(expr: UniformExpr): Size {
  if (Array.isArray(expr)) return sizes.get(expr) ?? LEAF;
  const leaf = expr as UniformLeaf;
  if (typeof leaf !== "object" || !("member" in leaf)) return { parts: leafParts(leaf), depth: 0 };
  const { parts, depth } = measure(leaf.member);
  return { parts: parts + 1, depth: depth + 1 };
}

/** How many operations and leaves a uniform expression has. */
export const sizeOf = (expr: UniformExpr): number => measure(expr).parts;

/** Whether a uniform expression should not grow further. */
export function isLarge(v: Value): v is UniformValue {
  if (v.kind === "node") return false;
  const { parts, depth } = measure(v.expr);
  return parts > MAX_SIZE / 16 || depth > LIMITS.uniformDepth / 2;
}

function checkSize(expr: readonly [UniformOp, ...UniformExpr[]]): UniformExpr {
  const operands = expr.slice(1).map((part) => measure(part as UniformExpr));
  const parts = operands.reduce((sum, o) => sum + o.parts, 1);
  const depth = greatest(operands.map((o) => o.depth)) + 1;
  if (parts > MAX_SIZE) throw new UniformTooLarge(`more than ${MAX_SIZE} parts`);
  if (depth > LIMITS.uniformDepth) throw new UniformTooLarge(`more than ${LIMITS.uniformDepth} levels`);
  sizes.set(expr, { parts, depth });
  return expr;
}
