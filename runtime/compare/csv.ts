/** A comparison as CSV (RFC 4180), a value in each line: measures first, then the curves, with the position of the token, from 1. */
import { CURVE_NAMES, CURVES, type ChainResult, type Comparison } from "./comparison.js";
import { MEASURE_NAMES, MEASURES } from "./measures.js";

export const CSV_HEAD = ["chain", "measure", "unit", "position", "value", "standard_error", "texts"] as const;

type Cell = string | number;

export const writeCsv = ({ chains }: Comparison): string =>
  [CSV_HEAD, ...chains.flatMap(rowsOf)].map((row) => `${row.map(cell).join(",")}\r\n`).join("");

function rowsOf({ name, measures, curves, texts }: ChainResult): Cell[][] {
  return [
    ...MEASURE_NAMES.map((key) => {
      const { title, unit = "" } = MEASURES[key];
      return [name, title, unit, "", measures[key], "", texts.length];
    }),
    ...CURVE_NAMES.flatMap((key) =>
      curves[key].means.map((mean, at) => [
        ...[name, MEASURES[key].title, CURVES[key].unit, at + 1],
        ...[mean, curves[key].errors[at]!, curves[key].texts[at]!],
      ]),
    ),
  ];
}

/** Numbers have at most six digits after the point; one that is not finite is an empty cell. */
function cell(value: Cell): string {
  const text = typeof value === "string" ? value : Number.isFinite(value) ? String(Number(value.toFixed(6))) : "";
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
