/** Tests of counts against probabilities, and of several such tests together. */
import { gammaTail } from "ggsl/core/gamma.js";

/** Cells with fewer expected counts are joined: then the statistic is close to chi-square. */
const LEAST_EXPECTED = 5;

interface Cell {
  readonly expected: number;
  readonly observed: number;
}

export interface TestResult {
  /** Pearson's: the sum of `(observed - expected)^2 / expected`; infinite where something was observed that has probability 0. */
  readonly statistic: number;
  /** One less than the number of cells. */
  readonly degrees: number;
  /** The probability of this statistic or a larger one, if the counts have these probabilities. */
  readonly p: number;
}

/** Pearson's test of counts. Cells of few expected counts are joined, smallest first. */
export function testCounts(cells: readonly Cell[]): TestResult {
  const pooled = joined(cells.filter(({ expected }) => expected > 0));
  const degrees = Math.max(pooled.length - 1, 0);
  if (cells.some(({ expected, observed }) => expected <= 0 && observed > 0))
    return { statistic: Infinity, degrees, p: 0 };
  const statistic = pooled.reduce((sum, { expected, observed }) => sum + (observed - expected) ** 2 / expected, 0);
  return { statistic, degrees, p: degrees === 0 ? 1 : chiSquareTail(statistic, degrees) };
}

function joined(cells: readonly Cell[]): Cell[] {
  const result: Cell[] = [];
  let open: Cell | undefined;
  for (const cell of cells.toSorted((a, b) => a.expected - b.expected)) {
    open = open ? sumOf(open, cell) : cell;
    if (open.expected < LEAST_EXPECTED) continue;
    result.push(open);
    open = undefined;
  }
  if (!open) return result;
  const last = result.pop();
  return [...result, last ? sumOf(last, open) : open];
}

const sumOf = (a: Cell, b: Cell): Cell => ({
  expected: a.expected + b.expected,
  observed: a.observed + b.observed,
});

/** The p-value of independent tests together, by Fisher's method: `-2 sum(log p)` is chi-square with two degrees for each. */
export function fisher(p: readonly number[]): number {
  if (p.length === 0) return 1;
  if (p.some((one) => one === 0)) return 0;
  return chiSquareTail(-2 * p.reduce((sum, one) => sum + Math.log(one), 0), 2 * p.length);
}

/** p-values by Holm's method: below a level, all tests with a smaller one are significant together. In the order of the tests. */
export function holm(p: readonly number[]): number[] {
  const order = [...p.keys()].sort((a, b) => p[a]! - p[b]!);
  const adjusted = p.slice();
  let least = 0;
  order.forEach((test, i) => {
    least = Math.max(least, Math.min(1, p[test]! * (p.length - i)));
    adjusted[test] = least;
  });
  return adjusted;
}

/** The probability that chi-square with so many degrees of freedom is at least x. */
export const chiSquareTail = (x: number, degrees: number): number => gammaTail(degrees / 2, x / 2);
