/** Ranges of parameters. */

/** The values a parameter may take. An absent bound is infinite. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
  /** The lower bound itself is excluded (`> 0`). */
  readonly minExcluded?: boolean;
  readonly maxExcluded?: boolean;
}

export function isInRange({ min = -Infinity, max = Infinity, minExcluded, maxExcluded }: Range, x: number): boolean {
  return (minExcluded ? x > min : x >= min) && (maxExcluded ? x < max : x <= max);
}

/** A range in words: `in [0, 1]`, `> 0`, `any number`. */
export function describeRange({ min, max, minExcluded, maxExcluded }: Range): string {
  if (min !== undefined && max !== undefined && !minExcluded && !maxExcluded) return `in [${min}, ${max}]`;
  const lower = min === undefined ? undefined : `${minExcluded ? ">" : ">="} ${min}`;
  const upper = max === undefined ? undefined : `${maxExcluded ? "<" : "<="} ${max}`;
  return [lower, upper].filter((s) => s !== undefined).join(" and ") || "any number";
}

/** Smaller numbers above 1 are rarely percentages. */
const LEAST_PERCENTAGE = 3;

/** What a percentage is as a fraction, for a range up to 1: 0.95 for 95; undefined for other ranges and numbers. */
export const fractionMeant = ({ min = 0, max }: Range, x: number): number | undefined =>
  max === 1 && min >= 0 && x >= LEAST_PERCENTAGE && x <= 100 ? Number((x / 100).toPrecision(12)) : undefined;
