/**
 * How far the rows that came as -inf are below all others, through the arithmetic on logits. All bounds allow for rounding and for
 * the clamps that keep numbers finite.
 */
import * as I from "../graph/interval.js";
import type { Interval } from "../graph/interval.js";

/** Bounds of logits. */
export interface Gap {
  /** Rows that came as -inf are at least this far below every other row. */
  readonly size: number;
  /** No other row is lower than this. */
  readonly lowest: number;
  /** No row that came as -inf is higher than this. */
  readonly highestDropped: number;
  /** The table's `drops` when it was found: later ones are not covered. */
  readonly drops: number;
}

/** More than the relative error of an f32 operation. */
const ROUNDING = 2 ** -22;

const magnitude = ({ size, lowest }: Gap): number => Math.abs(lowest) + size;

/** Rounding, and the clamp of results that may overflow. */
const rounded = (gap: Gap, largest: number): Gap | undefined =>
  clampedGap({ ...gap, size: gap.size - largest * ROUNDING }, I.F32_MAX);

/** After clamping all rows to plus and minus `limit`, where rows may become equal. */
export function clampedGap({ size, lowest, highestDropped, drops }: Gap, limit: number): Gap | undefined {
  const left = Math.min(size, lowest + limit, limit - highestDropped);
  // also for NaN
  if (!(left > 0)) return undefined;
  return { size: left, lowest: Math.max(lowest, -limit), highestDropped: Math.max(highestDropped, -limit), drops };
}

/** After adding the same number to all rows, or with `isColumn` another one to each. */
export function shiftedGap(gap: Gap, { lo, hi }: Interval, isColumn: boolean): Gap | undefined {
  const largest = magnitude(gap) + Math.max(Math.abs(lo), Math.abs(hi));
  return rounded(
    {
      size: gap.size - (isColumn ? hi - lo : 0),
      lowest: gap.lowest + lo,
      highestDropped: gap.highestDropped + hi,
      drops: gap.drops,
    },
    largest,
  );
}

/** After multiplying all rows by the same number. */
export function stretchedGap(gap: Gap, by: Interval): Gap | undefined {
  if (!(by.lo > 0)) return undefined;
  const { lowest, highestDropped, drops } = gap;
  return rounded(
    {
      size: gap.size * by.lo,
      lowest: lowest * (lowest < 0 ? by.hi : by.lo),
      highestDropped: highestDropped * (highestDropped < 0 ? by.lo : by.hi),
      drops,
    },
    magnitude(gap) * by.lo,
  );
}
