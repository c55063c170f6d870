/** Syntax errors: what ohm expected, and what is there instead. */
import type { MatchResult } from "ohm-js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { syntaxError } from "../diagnostics/syntax.js";
import type { Found } from "../diagnostics/hints.js";
import { MARKS } from "../diagnostics/foreign.js";
import { isReserved, isWordLexeme, nextLexeme, type Lexeme } from "../source/lexemes.js";
import type { SourceFile, Span } from "../source/source.js";

/** A part of a file that is parsed by itself, and its lexemes, with offsets in the file. */
export interface Part {
  readonly text: string;
  readonly start: number;
  readonly lexemes: readonly Lexeme[];
}

/** What ohm expected, in the user's words, most likely first; omits what is always possible. */
export function failure(source: SourceFile, match: MatchResult, part: Part): Diagnostic {
  const fault = match as Failure;
  const failed = fault.getRightmostFailurePosition() + part.start;
  const within = part.lexemes.find(({ start, end }) => start <= failed && failed < end);
  // a word that begins with a word of the language is found after that one
  const position = within && isWordLexeme(within) ? within.start : failed;
  const expected = [...new Set(fault.getRightmostFailures().map(String))]
    .map((e) => (e === "end of input" ? "the end" : e.replace(/^"(.*)"$/, "`$1`")))
    .filter((e) => !/^not |space|comment/.test(e) || e === "a doc comment")
    .reverse();
  const token = tokenAt(source, position);
  const end = position + (token?.length ?? 0);
  const next = tokenAt(source, end);
  const mark = markAt(source, position);
  const around = { ...before(source, position, part), counter: counterBefore(source, end) };
  const isKeyword = token !== undefined && isReserved(token);
  return syntaxError({ source, start: position, end }, expected, { token, isKeyword, next, mark, ...around });
}

/** How many characters around a fault are looked at: sources can be long, and words are short. */
const MAX_LOOK = 200;

/** Marks of other languages that are shown whole. */
const FOREIGN = Object.keys(MARKS).filter((mark) => mark.length === 2);

/** The text of the token at an offset or after it: of a text only its first quotation mark, which is what was not expected. */
function tokenAt({ text }: SourceFile, offset: number): string | undefined {
  const found = nextLexeme(text, offset);
  if (!found) return undefined;
  if (found.kind === "text" || found.kind === "pattern") return found.text[0];
  return FOREIGN.find((mark) => text.startsWith(mark, found.start)) ?? found.text;
}

/** What is before a token. */
function before(
  source: SourceFile,
  position: number,
  { start: partStart, lexemes }: Part,
): Pick<Found, "isFirst" | "previous" | "line" | "comment"> {
  const { text } = source;
  const code = lexemes.filter(({ kind, end }) => kind !== "comment" && end <= position);
  const within = lexemes.find(({ start, end }) => start < position && position < end);
  const codeEnd = within ? position : (code.at(-1)?.end ?? partStart);
  const from = Math.max(text.lastIndexOf("\n", codeEnd - 1) + 1, codeEnd - MAX_LOOK);
  const place = {
    isFirst: /(?:^|\n)[ \t\r]*$/.test(text.slice(Math.max(0, position - MAX_LOOK), position)),
    line: text.slice(from, codeEnd),
    comment: text.slice(Math.max(codeEnd, position - MAX_LOOK), position).trim(),
  };
  const [last, word] = [code.at(-2), code.at(-1)];
  if (within || !word || !isWordLexeme(word)) return { ...place, previous: undefined };
  const rest = text.slice(from, word.start);
  const isBeside = last && isWordLexeme(last) && last.start >= from && /^\s+$/.test(text.slice(last.end, word.start));
  const spanOf = ({ start, end }: Lexeme): Span => ({ source, start, end });
  const previous = {
    text: word.text,
    span: spanOf(word),
    isKeyword: word.kind === "keyword",
    isFirst: /(?:^|[{};])\s*$/.test(rest),
    glued: rest.at(-1) ?? "",
    before: isBeside ? { text: last.text, span: spanOf(last) } : undefined,
  };
  return { ...place, previous };
}

/** A reserved word in place of a counter; the parser has taken the fold for a name, and finds the fault at \`in\` or at the range. */
function counterBefore(source: SourceFile, end: number): Found["counter"] {
  const from = Math.max(0, end - MAX_LOOK);
  const text = source.text.slice(from, end);
  const found = /\b(?:sum|min|max|any|all|repeat)\s+(\w+)(\s+in(?:\s[^\n:]*\.\.[\d.]*)?)$/.exec(text);
  const [, word = "", rest = ""] = found ?? [];
  if (!isReserved(word)) return undefined;
  const start = end - rest.length - word.length;
  return { text: word, span: { source, start, end: start + word.length } };
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
