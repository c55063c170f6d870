/** A look at a source's lexemes before the parser, whose time and memory grow with them. */
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { limitExceeded } from "../diagnostics/limits.js";
import { nestedTooDeep, unclosedComment } from "../diagnostics/syntax.js";
import type { Limits } from "../limits/limits.js";
import { isWordLexeme } from "../source/lexemes.js";
import { lexemesIn, type SourceFile, type Span } from "../source/source.js";

/** The nesting limit of brackets: the parser is recursive. */
const MAX_DEPTH = 100;

/** The number of lexemes that are no comments, or the first limit that they exceed. */
export function scan(source: SourceFile, limits: Limits): number | Diagnostic {
  const { length } = source.text;
  const at = (start: number, size: number): Span => ({ source, start, end: start + size });
  if (length > limits.sourceLength) return limitExceeded(at(0, 0), "sourceLength", limits.sourceLength, length);
  let [tokens, depth] = [0, 0];
  for (const lexeme of lexemesIn(source)) {
    const { kind, text: token, start } = lexeme;
    if (kind === "comment" && isUnclosed(token)) return unclosedComment(at(start, 2));
    if (kind === "comment" || kind === "doc") continue;
    if (++tokens > limits.tokens) return limitExceeded(at(start, token.length), "tokens", limits.tokens);
    if (token === "(" || token === "[" || token === "{") depth++;
    else if (token === ")" || token === "]" || token === "}") depth--;
    if (depth > MAX_DEPTH) return nestedTooDeep(at(start, 1), MAX_DEPTH);
    const limit = kind === "text" ? "textLength" : isWordLexeme(lexeme) ? "nameLength" : undefined;
    if (limit && token.length > limits[limit])
      return limitExceeded(at(start, Math.min(token.length, limits[limit])), limit, limits[limit], token.length);
  }
  return tokens;
}

/** Whether a comment in `/` and `*` has no end. */
const isUnclosed = (comment: string): boolean =>
  comment.startsWith("/*") && (comment.length < 4 || !comment.endsWith("*/"));
