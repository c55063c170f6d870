/** Positions in the protocol's form: lines and columns from 0, columns in UTF-16 code units. */
import type { Location, Position, Range, TextEdit } from "vscode-languageserver";
import type { Edit } from "@ggsl/compiler/check/fixes.js";
import { lineColumn, lineStartsOf, type SourceFile, type Span } from "@ggsl/compiler/source/source.js";

export function positionOf(source: SourceFile, offset: number): Position {
  const { line, column } = lineColumn(source, offset);
  return { line: line - 1, character: column - 1 };
}

/** The offset of a position, clamped to the end of its line and of the text. */
export function offsetOf(source: SourceFile, { line, character }: Position): number {
  const starts = lineStartsOf(source);
  const start = starts[Math.max(0, line)];
  if (start === undefined) return source.text.length;
  const end = (starts[line + 1] ?? source.text.length + 1) - 1;
  return Math.min(start + Math.max(0, character), end);
}

export const rangeOf = ({ source, start, end }: Span): Range => ({
  start: positionOf(source, start),
  end: positionOf(source, end),
});

/** Whether an offset is inside a span or at its end. */
export const touches = ({ start, end }: Span, offset: number): boolean => start <= offset && offset <= end;

export const locationOf = (uriOf: (source: SourceFile) => string, span: Span): Location => ({
  uri: uriOf(span.source),
  range: rangeOf(span),
});

export const textEdit = ({ span, text }: Edit): TextEdit => ({ range: rangeOf(span), newText: text });
