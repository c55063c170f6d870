/** Scales of axes. */

/** From values to places in a drawing. */
export interface Scale {
  readonly at: (value: number) => number;
  /** Round values within the range. */
  readonly ticks: readonly number[];
}

/**
 * A linear scale.
 * @param domain the least and the greatest value
 * @param range where they are drawn
 * @param most about how many ticks
 */
export function linear(
  [least, most]: readonly [number, number],
  range: readonly [number, number],
  count: number,
): Scale {
  const span = most - least || 1;
  const at = (value: number): number => range[0] + ((range[1] - range[0]) * (value - least)) / span;
  return { at, ticks: ticksOf(least, least + span, count) };
}

/** Multiples of 1, 2 or 5 times a power of 10: about `count`, at least 2, and at least one of them. */
export function ticksOf(least: number, most: number, count: number): number[] {
  const rough = (most - least) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  // a step that is wider than the range could miss it
  const steps = [1, 2, 5, 10].map((factor) => factor * power).filter((step) => step <= most - least);
  const step = steps.find((step) => step >= rough * 0.999) ?? steps.at(-1)!;
  const [first, last] = [Math.ceil(least / step - 1e-9), Math.floor(most / step + 1e-9)];
  // a multiplication, since sums of 0.1 drift; `+ 0` makes 0 of -0
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)) + 0);
}
