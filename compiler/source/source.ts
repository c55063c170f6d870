/** Source files and spans. */
import { lexemesOf, type Lexeme } from "./lexemes.js";
import { visible } from "./visible.js";

export interface SourceFile {
  /** The name shown in diagnostics, as given by the user; `std/min_p.ggsl` for the standard library. */
  readonly name: string;
  readonly text: string;
  /** The npm package that the file is part of, if it was imported from one. */
  readonly package?: PackageVersion;
}

/** A package as it is installed. */
export interface PackageVersion {
  readonly name: string;
  readonly version: string;
}

/** `@someone/samplers 1.2.0` */
export const packageText = ({ name, version }: PackageVersion): string => `${name} ${version}`;

/** Offsets into `source.text`, in UTF-16 code units; `end` is exclusive. */
export interface Span {
  readonly source: SourceFile;
  readonly start: number;
  readonly end: number;
}

const lineStarts = new WeakMap<SourceFile, readonly number[]>();

/** The offsets of line starts, cached for each source. */
export function lineStartsOf(source: SourceFile): readonly number[] {
  const present = lineStarts.get(source);
  if (present) return present;
  const starts = [0];
  for (let at = source.text.indexOf("\n"); at >= 0; at = source.text.indexOf("\n", at + 1)) starts.push(at + 1);
  lineStarts.set(source, starts);
  return starts;
}

const lexemes = new WeakMap<SourceFile, readonly Lexeme[]>();

/** The lexemes of a source, cached for each source. */
export function lexemesIn(source: SourceFile): readonly Lexeme[] {
  const present = lexemes.get(source) ?? lexemesOf(source.text);
  lexemes.set(source, present);
  return present;
}

/** Lines and columns count from 1; columns count UTF-16 code units. */
export function lineColumn(source: SourceFile, offset: number): { line: number; column: number } {
  const starts = lineStartsOf(source);
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - starts[low]! + 1 };
}

/** The text of a span, on one line and without control characters. */
export const textAt = ({ source, start, end }: Span): string =>
  visible(source.text.slice(start, end).replace(/\s+/g, " ").trim());
