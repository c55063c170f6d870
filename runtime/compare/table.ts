/** A comparison as a table: a row for each measure, a column for each chain. */
import { formatTable } from "../core/table.js";
import type { Comparison } from "./comparison.js";
import { MEASURE_NAMES, MEASURES, titleOf, valueText } from "./measures.js";

export interface CompareRow {
  /** With its unit. */
  readonly title: string;
  readonly doc: string;
  /** The value of each chain. */
  readonly values: readonly string[];
}

export const compareRows = ({ chains }: Comparison): CompareRow[] =>
  MEASURE_NAMES.map((name) => ({
    title: titleOf(name),
    doc: MEASURES[name].doc,
    values: chains.map(({ measures }) => valueText(name, measures[name])),
  }));

/** The longest name of a column. */
const LONGEST = 16;

/** For a terminal. Long names of chains are listed above, and the columns have letters. */
export function compareText(comparison: Comparison): string {
  const names = comparison.chains.map(({ name }) => name);
  const isShort = names.every(({ length }) => length <= LONGEST);
  const columns = isShort ? names : names.map((_, i) => String.fromCharCode(65 + i));
  const legend = isShort
    ? ""
    : `${formatTable(
        ["", ""],
        names.map((name, i) => [columns[i]!, name]),
      ).trimStart()}\n`;
  const rows = compareRows(comparison).map(({ title, values }) => [title, ...values]);
  return `${legend}${formatTable(["", ...columns], rows)}`;
}
