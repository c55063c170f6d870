/** Syntax errors: what ohm expected, and what is there instead. */
import type { MatchResult } from "ohm-js";
import { ggsl } from "./ggsl.generated.js";
import type { Diagnostic } from "../check/diagnostics.js";
import { syntaxError, type Found } from "../check/diagnostics/syntax.js";
import { MARKS } from "../check/diagnostics/foreign.js";
import type { SourceFile } from "./source.js";

/** The tokens for the span of a fault. */
const TOKEN = /\/\/\/.*|[A-Za-z_][A-Za-z_0-9]*|[0-9.]+|\|>|&&|\|\||\*\*|->|=>|::|[-+*/<>=!]=|\S/y;

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
  return syntaxError(span, expected, { token, isKeyword, ...before(source, position), mark: markAt(source, position) });
}

/** What is before a token. */
function before(source: SourceFile, position: number): Pick<Found, "isFirst" | "previous"> {
  // sources can be long, and words are short
  const text = source.text.slice(Math.max(0, position - 200), position);
  const [, line, word, space] = /([^\n]*?)([A-Za-z_]\w*)(\s*)$/.exec(text) ?? [];
  const end = position - (space?.length ?? 0);
  const isFirst = /(?:^|\n)[ \t\r]*$/.test(text);
  if (line === undefined || word === undefined) return { isFirst, previous: undefined };
  const span = { source, start: end - word.length, end };
  return { isFirst, previous: { text: word, span, isFirst: /(?:^|[{};])\s*$/.test(line), glued: line.at(-1) ?? "" } };
}

/** The foreign mark around a place, of which the parser may have taken the beginning for another one. */
function markAt(source: SourceFile, position: number): Found["mark"] {
  const { text } = source;
  for (const mark of Object.keys(MARKS)) {
    for (let taken = 0; taken < mark.length; taken++) {
      const start = position - taken;
      if (!text.startsWith(mark, start)) continue;
      const [whole] = /^(['`])(?:(?!\1)[^\n])*\1/.exec(text.slice(start, start + MAX_QUOTED)) ?? [];
      const quoted = whole && {
        text: JSON.stringify(whole.slice(1, -1)),
        span: { source, start, end: start + whole.length },
      };
      return { text: mark, span: { source, start, end: start + mark.length }, ...(quoted && { quoted }) };
    }
  }
  return undefined;
}

/** Longer texts in foreign quotes are not rewritten. */
const MAX_QUOTED = 1000;

/** The parts of ohm's failed matches that its types omit. */
type Failure = MatchResult & {
  getRightmostFailures(): { toString(): string }[];
  getRightmostFailurePosition(): number;
};
