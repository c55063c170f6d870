/** Interval arithmetic: compile-time bounds of the values of a vector. Bounds are finite f32 numbers. */
import { greatest, least } from "../core/extremes.js";

export interface Interval {
  readonly lo: number;
  readonly hi: number;
}

/** The largest finite f32; every value of a program lies within plus and minus this. */
export const F32_MAX = 3.4028234663852886e38;
/** Every integer up to this is an f32, and so is its negative; larger ones may not be. */
export const MAX_INTEGER = 2 ** 24;
/** The smallest normal f32; a divisor of 0 counts as this. */
export const F32_MIN = 1.1754943508222875e-38;

export const ANY: Interval = { lo: -Infinity, hi: Infinity };
export const UNIT: Interval = { lo: 0, hi: 1 };
/** The range of every value of a program. */
export const FINITE: Interval = { lo: -F32_MAX, hi: F32_MAX };

export const interval = (lo: number, hi: number): Interval => ({ lo, hi });
export const point = (x: number): Interval => ({ lo: x, hi: x });

/** Smallest interval that contains all `values`; with a NaN among them (inf - inf, 0 * inf) nothing is known. */
export function hull(...values: number[]): Interval {
  if (values.some(Number.isNaN)) return ANY;
  return { lo: least(values), hi: greatest(values) };
}

export const union = (a: Interval, b: Interval): Interval => hull(a.lo, a.hi, b.lo, b.hi);

export const add = (a: Interval, b: Interval): Interval => fromBounds(a.lo + b.lo, a.hi + b.hi);
export const sub = (a: Interval, b: Interval): Interval => fromBounds(a.lo - b.hi, a.hi - b.lo);
export const mul = (a: Interval, b: Interval): Interval =>
  hull(product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi));

export const neg = (a: Interval): Interval => interval(-a.hi, -a.lo);
export const abs = (a: Interval): Interval => (a.lo >= 0 ? a : a.hi <= 0 ? neg(a) : interval(0, Math.max(-a.lo, a.hi)));

/** Nothing is known if the divisor may be 0. */
export function div(a: Interval, b: Interval): Interval {
  if (b.lo <= 0 && b.hi >= 0) return ANY;
  return hull(a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi);
}

/** The image under a non-decreasing function. */
export const rising =
  (f: (x: number) => number) =>
  (a: Interval): Interval =>
    fromBounds(f(a.lo), f(a.hi));

export const clampTo = (a: Interval, lo: number, hi: number): Interval => ({
  lo: Math.min(Math.max(a.lo, lo), hi),
  hi: Math.max(Math.min(a.hi, hi), lo),
});

export const saturated = (a: Interval): Interval => clampTo(a, FINITE.lo, FINITE.hi);

export const isWithin = (a: Interval, lo: number, hi: number): boolean => a.lo >= lo && a.hi <= hi;

function fromBounds(lo: number, hi: number): Interval {
  return { lo: Number.isNaN(lo) ? -Infinity : lo, hi: Number.isNaN(hi) ? Infinity : hi };
}

/** A bound of 0 is exact, so 0 times infinity is 0. */
function product(x: number, y: number): number {
  return x === 0 || y === 0 ? 0 : x * y;
}
