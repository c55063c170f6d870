/** Lines that fit into a terminal: long ones are broken at blanks, and go on below the column in which they were broken. */

/** Colours. */
const ESCAPES = /\x1b\[[\d;]*m/g;

const widthOf = (text: string): number => Array.from(text.replace(ESCAPES, "")).length;

/** Source lines of diagnostics, and what is indented, such as a command to copy. */
const isKept = (line: string): boolean => /^( |\d+ \|)/.test(line.replace(ESCAPES, ""));

/** The least columns in which lines are broken; narrower terminals break them by themselves. */
const LEAST = 40;

/** What goes on in another line stands this far in, or below the last column of a table. */
const INDENT = 2;

/**
 * Breaks lines of more than `columns` characters at blanks. Indented lines and source lines of diagnostics stay as they are; without
 * `columns`, as for a file or a pipe, all do.
 */
export function fold(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < LEAST) return text;
  return text
    .split("\n")
    .map((line) => (isKept(line) || widthOf(line) <= columns ? line : foldLine(line, columns)))
    .join("\n");
}

function foldLine(line: string, columns: number): string {
  const indent = indentOf(line, columns);
  const lines: string[] = [];
  let present = "";
  // a word with the blanks before it
  for (const word of line.match(/ *[^ ]+/g) ?? []) {
    if (present !== "" && widthOf(present + word) > columns) {
      lines.push(present);
      present = `${" ".repeat(indent)}${word.trimStart()}`;
    } else present += word;
  }
  return [...lines, present].join("\n");
}

/** Below the last column of a table, if that begins in the left two thirds. */
function indentOf(line: string, columns: number): number {
  const plain = line.replace(ESCAPES, "");
  const last = [...plain.matchAll(/ {2,}(?=\S)/g)].at(-1);
  const start = last === undefined ? INDENT : last.index + last[0].length;
  return start <= (2 * columns) / 3 ? start : INDENT;
}
