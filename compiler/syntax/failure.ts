/** Syntax errors: what ohm expected, and what is there instead. */
import type { MatchResult } from "ohm-js";
import { ggsl } from "./ggsl.generated.js";
import type { Diagnostic } from "../check/diagnostics.js";
import { syntaxError, type Found } from "../check/diagnostics/syntax.js";
import type { SourceFile } from "./source.js";

/** The tokens for the span of a fault. */
const TOKEN = /\/\/\/.*|[A-Za-z_][A-Za-z_0-9]*|[0-9.]+|\|>|&&|\|\||\*\*|[-+*/<>=!]=|\S/y;

/** What ohm expected, in the user's words, most likely first; omits what is always possible. */
export function failure(source: SourceFile, match: MatchResult, offset: number): Diagnostic {
  const fault = match as Failure;
  const position = fault.getRightmostFailurePosition() + offset;
  const expected = [...new Set(fault.getRightmostFailures().map(String))]
    .map((e) => (e === "end of input" ? "the end" : e.replace(/^"(.*)"$/, "`$1`")))
    .filter((e) => !/^not |space|comment/.test(e) || e === "a doc comment")
    .reverse();
  TOKEN.lastIndex = position;
  const token = TOKEN.exec(source.text)?.[0];
  const isKeyword = token !== undefined && ggsl.match(token, "keyword").succeeded();
  const span = { source, start: position, end: position + (token?.length ?? 0) };
  return syntaxError(span, expected, { token, isKeyword, ...before(source, position) });
}

/** What is before a token. */
function before(source: SourceFile, position: number): Pick<Found, "isFirst" | "previous"> {
  // sources can be long, and words are short
  const text = source.text.slice(Math.max(0, position - 200), position);
  const [, word, space] = /([A-Za-z_]\w*)(\s*)$/.exec(text) ?? [];
  const end = position - (space?.length ?? 0);
  const isFirst = /(?:^|\n)[ \t\r]*$/.test(text);
  if (word === undefined) return { isFirst, previous: undefined };
  return { isFirst, previous: { text: word, span: { source, start: end - word.length, end } } };
}

/** The parts of ohm's failed matches that its types omit. */
type Failure = MatchResult & {
  getRightmostFailures(): { toString(): string }[];
  getRightmostFailurePosition(): number;
};
