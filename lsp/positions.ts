/** Places in files as the protocol has them: lines and columns from 0, columns in UTF-16 code units. */
import type { Location, Position, Range } from "vscode-languageserver";
import type { SourceFile, Span } from "../compiler/syntax/source.js";

const lineStarts = new WeakMap<SourceFile, readonly number[]>();

function startsOf(source: SourceFile): readonly number[] {
  const present = lineStarts.get(source);
  if (present) return present;
  const starts = [0, ...[...source.text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  lineStarts.set(source, starts);
  return starts;
}

export function positionOf(source: SourceFile, offset: number): Position {
  const starts = startsOf(source);
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return { line: low, character: offset - starts[low]! };
}

/** The offset of a position; one behind the end of its line, or of the text, is moved there. */
export function offsetOf(source: SourceFile, { line, character }: Position): number {
  const starts = startsOf(source);
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
