/** Source files and places in them. */

export interface SourceFile {
  /** The name shown in diagnostics, as the user gave it; `std/min_p.ggsl` for the standard library. */
  readonly name: string;
  readonly text: string;
}

/** Offsets into `source.text`, in UTF-16 code units; `end` is excluded. */
export interface Span {
  readonly source: SourceFile;
  readonly start: number;
  readonly end: number;
}

/** Lines and columns count from 1; columns count UTF-16 code units. */
export function lineColumn(source: SourceFile, offset: number): { line: number; column: number } {
  const before = source.text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - before.lastIndexOf("\n") };
}
