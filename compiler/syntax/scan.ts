/** A look at a source's tokens before the parser, whose time and memory grow with them. */
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { limitExceeded } from "../diagnostics/limits.js";
import { nestedTooDeep, unclosedComment } from "../diagnostics/syntax.js";
import type { Limits } from "../limits/limits.js";
import type { SourceFile, Span } from "../source/source.js";

/** The nesting limit of brackets: the parser is recursive. */
const MAX_DEPTH = 100;

/** Comments, patterns (a `/` after a bracket or a comma begins one; looked back for only there, since blanks can be many), texts, words, numbers and marks. */
const TOKENS =
  /\/\/.*|\/\*[^]*?(?:\*\/|$)|\/(?<=[(,]\s*\/)(?:\\.|[^/\\\n])+\/|"(?:\\.|[^"\\\n])*"|[\p{L}_][\p{L}\d_]*|[\d.]+|[^\s]/gu;

/** The number of tokens without comments, or the first limit that they exceed. */
export function scan(source: SourceFile, limits: Limits): number | Diagnostic {
  const { text } = source;
  const at = (start: number, length: number): Span => ({ source, start, end: start + length });
  if (text.length > limits.sourceLength)
    return limitExceeded(at(0, 0), "sourceLength", limits.sourceLength, text.length);
  let [tokens, depth] = [0, 0];
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token.startsWith("//")) continue;
    if (token.startsWith("/*")) {
      if (token.length < 4 || !token.endsWith("*/")) return unclosedComment(at(index, 2));
      continue;
    }
    if (++tokens > limits.tokens) return limitExceeded(at(index, token.length), "tokens", limits.tokens);
    if ("([{".includes(token)) depth++;
    else if (")]}".includes(token)) depth--;
    if (depth > MAX_DEPTH) return nestedTooDeep(at(index, 1), MAX_DEPTH);
    const limit = limitOf(token);
    if (limit && token.length > limits[limit])
      return limitExceeded(at(index, Math.min(token.length, limits[limit])), limit, limits[limit], token.length);
  }
  return tokens;
}

/** The limit of a token's length. */
function limitOf(token: string): "nameLength" | "textLength" | undefined {
  if (token.startsWith('"')) return "textLength";
  return /^[\p{L}_]/u.test(token) ? "nameLength" : undefined;
}
