/** Means for each position of a text. */
import { greatest } from "@ggsl/compiler/core/extremes.js";

/** One entry for each position of a token, from the first one after the prompt on. */
export interface Curve {
  /** The mean over the texts that have a token there. */
  readonly means: readonly number[];
  /** The standard error of the mean, the sample's standard deviation divided by the square root of the texts; 0 for one text. */
  readonly errors: readonly number[];
  /** How many texts have a token there. */
  readonly texts: readonly number[];
}

/** @param rows the values of each text, in the order of its tokens */
export function curveOf(rows: readonly (readonly number[])[]): Curve {
  const length = greatest(
    rows.map((row) => row.length),
    0,
  );
  const columns = Array.from({ length }, (_, at) => rows.flatMap((row) => (at < row.length ? [row[at]!] : [])));
  const means = columns.map((column) => column.reduce((sum, value) => sum + value, 0) / column.length);
  return {
    means,
    errors: columns.map((column, at) => errorOf(column, means[at]!)),
    texts: columns.map((c) => c.length),
  };
}

function errorOf(values: readonly number[], mean: number): number {
  const { length } = values;
  if (length === 1) return 0;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (length - 1) / length);
}
