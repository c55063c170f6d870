/** The table of docs/runtimes.md: each runtime's tests write a column, with `GGSL_BLESS=1`, and otherwise compare it. */
import { expect } from "@jest/globals";
import { readFileSync, writeFileSync } from "node:fs";
import { STANDARD } from "./chains.js";

const PAGE = "docs/runtimes.md";
const FIRST = "sampler";

const cellsOf = (line: string): string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
const lineOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** The page's lines before the table, the rows of the table with its head, and the lines after it. */
function tableIn(page: string): { before: string[]; rows: string[][]; after: string[] } {
  const lines = page.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${FIRST} |`));
  const length = lines.slice(start).findIndex((line) => !line.startsWith("|"));
  const rows = lines.slice(start, start + length).map(cellsOf);
  return { before: lines.slice(0, start), rows: [rows[0]!, ...rows.slice(2)], after: lines.slice(start + length) };
}

/** Expects that a column of the table says this of each standard sampler. */
export function expectColumn(runtime: string, textOf: (sampler: string) => string): void {
  const { before, rows, after } = tableIn(readFileSync(PAGE, "utf8"));
  const [head] = rows;
  const column = head!.indexOf(runtime);
  const known = new Map(rows.slice(1).map((cells) => [cells[0], cells]));
  const wanted = STANDARD.map(({ name }) =>
    head!.map((_, i) => (i === 0 ? name : i === column ? textOf(name) : (known.get(name)?.[i] ?? ""))),
  );
  if (process.env["GGSL_BLESS"] === "1") {
    const table = [head!, head!.map(() => "---"), ...wanted].map(lineOf);
    writeFileSync(PAGE, [...before, ...table, ...after].join("\n"));
  } else expect(rows.slice(1)).toEqual(wanted);
  expect(column).toBeGreaterThan(0);
}
