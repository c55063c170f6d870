/** Words of documents. */
import { isWordLexeme } from "@ggsl/compiler/source/lexemes.js";
import { lexemesIn, type SourceFile, type Span } from "@ggsl/compiler/source/source.js";

/** The word at an offset, outside of comments and text literals. */
export function wordAt(source: SourceFile, offset: number): { text: string; span: Span } | undefined {
  const found = lexemesIn(source).find((one) => one.start <= offset && offset <= one.end && isWordLexeme(one));
  return found && { text: found.text, span: { source, start: found.start, end: found.end } };
}
