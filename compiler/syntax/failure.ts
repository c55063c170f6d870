/** Syntax errors: what ohm expected, and what is there instead. */
import type { MatchResult } from "ohm-js";
import { ggsl } from "./ggsl.generated.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { syntaxError } from "../diagnostics/syntax.js";
import type { Found } from "../diagnostics/hints.js";
import { MARKS } from "../diagnostics/foreign.js";
import type { SourceFile } from "../source/source.js";

/** The tokens for the span of a fault. */
const TOKEN = /\/\/\/.*|[A-Za-z_][A-Za-z_0-9]*|[0-9.]+|\|>|&&|\|\||\*\*|->|=>|::|[-+*/<>=!]=|\S/y;

/** What ohm expected, in the user's words, most likely first; omits what is always possible. */
export function failure(source: SourceFile, match: MatchResult, offset: number): Diagnostic {
  const fault = match as Failure;
  const position = wordStart(source.text, fault.getRightmostFailurePosition() + offset);
  const expected = [...new Set(fault.getRightmostFailures().map(String))]
    .map((e) => (e === "end of input" ? "the end" : e.replace(/^"(.*)"$/, "`$1`")))
    .filter((e) => !/^not |space|comment/.test(e) || e === "a doc comment")
    .reverse();
  const token = tokenAt(source, position);
  const end = position + (token?.length ?? 0);
  const next = tokenAt(source, end + /^\s*/.exec(source.text.slice(end, end + MAX_LOOK))![0].length);
  const mark = markAt(source, position);
  const around = { ...before(source, position), counter: counterBefore(source, end) };
  const isKeyword = token !== undefined && isReserved(token);
  return syntaxError({ source, start: position, end }, expected, { token, isKeyword, next, mark, ...around });
}

/** How many characters around a fault are looked at: sources can be long, and words are short. */
const MAX_LOOK = 200;

/** The start of the word around a place: a word that begins with a word of the language is found after that one. */
function wordStart(text: string, position: number): number {
  if (!/\w/.test(text[position] ?? "")) return position;
  const [part = ""] = /[A-Za-z_]\w*$/.exec(text.slice(Math.max(0, position - MAX_LOOK), position)) ?? [];
  return position - part.length;
}

const isReserved = (word: string): boolean => ggsl.match(word, "keyword").succeeded();

function tokenAt(source: SourceFile, position: number): string | undefined {
  TOKEN.lastIndex = position;
  return TOKEN.exec(source.text)?.[0];
}

/** What is before a token. */
function before(source: SourceFile, position: number): Pick<Found, "isFirst" | "previous" | "line" | "comment"> {
  const from = Math.max(0, position - MAX_LOOK);
  const text = source.text.slice(from, position);
  const isFirst = /(?:^|\n)[ \t\r]*$/.test(text);
  const code = codeOf(text);
  const line = code.slice(code.lastIndexOf("\n") + 1);
  const place = { isFirst, line, comment: text.slice(code.length).trim() };
  const [, rest, word] = /^(.*?)([A-Za-z_]\w*)$/.exec(line) ?? [];
  if (rest === undefined || word === undefined) return { ...place, previous: undefined };
  const end = from + code.length;
  const start = end - word.length;
  const [spaced, other] = /([A-Za-z_]\w*)\s+$/.exec(rest) ?? [];
  const otherStart = start - (spaced?.length ?? 0);
  const previous = {
    text: word,
    span: { source, start, end },
    isKeyword: isReserved(word),
    isFirst: /(?:^|[{};])\s*$/.test(rest),
    glued: rest.at(-1) ?? "",
    before:
      other === undefined
        ? undefined
        : { text: other, span: { source, start: otherStart, end: otherStart + other.length } },
  };
  return { ...place, previous };
}

/** A text without the space and the comments at its end. */
function codeOf(text: string): string {
  const code = text.trimEnd();
  const isLineOver = text.includes("\n", code.length);
  const start = code.endsWith("*/") ? code.lastIndexOf("/*") : isLineOver ? lineComment(code) : -1;
  return start < 0 ? code : codeOf(code.slice(0, start));
}

/** Where the comment of the last line begins, or -1. */
function lineComment(code: string): number {
  const start = code.lastIndexOf("\n") + 1;
  const [, line] = /^((?:"(?:\\.|[^"\\])*"|(?!\/\/)[^"])*)\/\//.exec(code.slice(start)) ?? [];
  return line === undefined ? -1 : start + line.length;
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
