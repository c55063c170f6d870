/** Words and tokens of a text, which may be incomplete. */
import type { SourceFile, Span } from "@ggsl/compiler/source/source.js";

const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$(?![^]))|"(?:\\.|[^"\\\n])*"?|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][-+]?\d+)?|[\p{L}_][\p{L}\d_]*|\|>|[-+*/<>=!]=|\S/gu;

export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export const tokensOf = (text: string, offset = 0): Token[] =>
  [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({
    text: token,
    start: offset + index,
    end: offset + index + token.length,
  }));

export const isWord = (text: string): boolean => /^[\p{L}_][\p{L}\d_]*$/u.test(text);

/** The word at an offset, outside of comments and text literals. */
export function wordAt(source: SourceFile, offset: number): { text: string; span: Span } | undefined {
  const end = source.text.indexOf("\n", offset);
  // from the start of the file, since a comment may begin on a line before
  const tokens = tokensOf(source.text.slice(0, end < 0 ? undefined : end));
  const found = tokens.find((t) => t.start <= offset && offset <= t.end && isWord(t.text));
  return found && { text: found.text, span: { source, start: found.start, end: found.end } };
}
