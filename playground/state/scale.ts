/** Maps the values of a parameter to positions of a slider. */
import type { Param } from "@ggsl/compiler/graph/graph.js";

interface Scale {
  readonly min: number;
  readonly max: number;
  readonly isLogarithmic: boolean;
  readonly isWhole: boolean;
}

/** The number of positions of a slider. */
export const PLACES = 1000;

/** A range with both bounds is used unchanged; an open end becomes the larger of four times the default and 1. */
export function scaleOf({ type, range, default: value }: Pick<Param, "type" | "range" | "default">): Scale {
  const start = typeof value === "number" ? value : 0;
  const reach = Math.max(1, 4 * Math.abs(start));
  const lowest = range.min ?? Math.min(range.max === undefined ? 0 : range.max - reach, start < 0 ? start - reach : 0);
  const highest = range.max ?? Math.max(lowest + 1, start, reach);
  const inset = (highest - lowest) / PLACES;
  const isWhole = type === "i32";
  const min = range.minExcluded && !isWhole ? lowest + inset : lowest;
  const max = range.maxExcluded && !isWhole ? highest - inset : highest;
  return { min, max, isLogarithmic: !isWhole && min > 0 && max / min >= 1000, isWhole };
}

/** The value at a position from 0 to `PLACES`, rounded to the slider's resolution. */
export function valueAt({ min, max, isLogarithmic, isWhole }: Scale, place: number): number {
  const part = place / PLACES;
  const value = isLogarithmic ? min * (max / min) ** part : min + (max - min) * part;
  const clamped = Math.min(max, Math.max(min, value));
  if (isWhole) return Math.round(clamped);
  const digits = Math.max(0, Math.ceil(-Math.log10((isLogarithmic ? clamped : max - min) / PLACES)));
  return place === 0 ? min : place === PLACES ? max : Number(clamped.toFixed(Math.min(digits, 12)));
}

/** The position of a value, clamped to the scale. */
export function placeOf({ min, max, isLogarithmic }: Scale, value: number): number {
  if (max <= min) return 0;
  const part = isLogarithmic ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
  return Math.round(PLACES * Math.min(1, Math.max(0, Number.isNaN(part) ? 0 : part)));
}
