/** Values while lowering: a uniform expression, or a node of the graph, with what is known about it. */
import type { UniformExpr, NodeId } from "../../graph/graph.js";
import { applyUniformOp, uniformRange, uniformOpRule, type UniformOp } from "../../graph/uniformOps.js";
import * as I from "../../graph/interval.js";
import type { Interval } from "../../graph/interval.js";

export type Value = UniformValue | NodeValue;

/** A scalar that is worked out before the graph runs: a constant, or an expression of parameters, draws and states. */
export interface UniformValue {
  readonly kind: "uniform";
  readonly expr: UniformExpr;
  readonly range: Interval;
}

/** A scalar (one row) or a column (a row for each row of the table) that the graph computes. */
export interface NodeValue {
  readonly kind: "node";
  readonly id: NodeId;
  readonly isColumn: boolean;
  readonly range: Interval;
  readonly facts: Facts;
}

/**
 * What lowering has proved of a node, about the table as it stood when the node was made. An absent fact is not known,
 * which is always a safe thing to say.
 */
export interface Facts {
  /** The column never rises, or never falls, along the present order of the rows. */
  readonly trend?: "falls" | "rises" | undefined;
  /** Every dropped row holds 0. */
  readonly isZeroDropped?: boolean;
  /** This scalar is at most the largest value that the column of this node has among the rows left. */
  readonly atMostMaxOf?: NodeId | undefined;
  /** A condition that holds for the row of the largest value in the column of this node. */
  readonly holdsForMaxOf?: NodeId | undefined;
  /** A condition that holds for at least one of the rows left. */
  readonly holdsSomewhere?: boolean;
  /** Running sum of the column of this node, this row included. */
  readonly cumsumOf?: NodeId;
  /** The first row's value, where the first row is one of those left. */
  readonly first?: Interval;
  /** Logits: rows that were -inf on the way in lie at least this far below every other row. */
  readonly gap?: number | undefined;
  /** Beside `gap`: by how much the logits were stretched at most, which says what a clamp may do to the gap. */
  readonly stretch?: number | undefined;
}

export const NO_FACTS: Facts = {};

export const constant = (x: number): UniformValue => ({ kind: "uniform", expr: x, range: I.point(x) });

export const uniformValue = (expr: UniformExpr, range: Interval): UniformValue =>
  range.lo === range.hi ? constant(range.lo) : { kind: "uniform", expr, range };

/** What stays true of a column when rows are dropped after it was made. */
export const outlastingFacts = ({ trend, gap, stretch, cumsumOf }: Facts): Facts => ({
  trend,
  gap,
  stretch,
  ...(cumsumOf !== undefined && { cumsumOf }),
});

export const isConstant = (v: Value): v is UniformValue & { readonly expr: number } =>
  v.kind === "uniform" && typeof v.expr === "number";

export const isColumn = (v: Value): boolean => v.kind === "node" && v.isColumn;

/** Applies a uniform operation; constants fold, and so does what the operands' ranges decide. */
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

/** A uniform expression that has grown too large to be evaluated for every token. */
export class UniformTooLarge extends Error {}

/** Parts of a uniform expression at most; a `let` that uses another twice doubles it. */
export const MAX_UNIFORM_SIZE = 4096;

const sizes = new WeakMap<object, number>();

const sizeOf = (expr: UniformExpr): number => (typeof expr === "object" ? (sizes.get(expr) ?? 1) : 1);

function checkSize(expr: readonly [UniformOp, ...UniformExpr[]]): UniformExpr {
  const size = expr.slice(1).reduce((total: number, part) => total + sizeOf(part as UniformExpr), 1);
  if (size > MAX_UNIFORM_SIZE) throw new UniformTooLarge();
  sizes.set(expr, size);
  return expr;
}
