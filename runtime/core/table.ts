/** Text tables for the terminal. */
import { visible } from "@ggsl/compiler/source/visible.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

/** Aligns columns; cells without letters (numbers) to the right. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows].map((row) => row.map(visible));
  const widths = header.map((_, i) => greatest(all.map((row) => row[i]!.length)));
  const isNumeric = header.map((_, i) => rows.every((row) => /^[-+\d.,e∞ ]*$/.test(row[i]!)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (isNumeric[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join("  ")
      .trimEnd();
  return `${all.map(line).join("\n")}\n`;
}
