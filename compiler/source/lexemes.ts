/**
 * The lexemes of a text: words, numbers, texts, marks and comments, as the grammar has them (`lexemes.generated.ts`). All readers but
 * the parser use these: they also read texts with faults, in which a comment or a text may have no end.
 */
import { RULES } from "./lexemes.generated.js";

/** A `keyword` is a reserved word; a `mark` is an operator, a bracket or a separator, or a character that begins nothing. */
export type LexemeKind = "comment" | "doc" | "text" | "keyword" | "name" | "pattern" | "number" | "mark";

export interface Lexeme {
  readonly kind: LexemeKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export const { doc: DOC, lineComment: LINE_COMMENT, mark: MARK, number: NUMBER, pattern: PATTERN } = RULES;
/** A name or a reserved word. */
export const WORD: string = RULES.word;
/** A letter, a digit or `_`; a digit begins no word. */
export const WORD_CHARACTER: string = RULES.wordCharacter;

/** What there is, in the order in which the grammar would try; what has no end comes after what has one. */
const LEXEMES = [
  String.raw`${RULES.comment}|\/\*[^]*`,
  RULES.doc,
  String.raw`${RULES.text}|"(?:\\[^\n]|[^"\\\n])*"?`,
  RULES.word,
  RULES.number,
  `${RULES.mark}|[^]`,
];
const expression = (kinds: readonly string[]): RegExp => new RegExp(kinds.join("|"), "uy");

/** A `/` divides after an operand, and begins a pattern elsewhere. */
const AFTER_OPERAND = expression(LEXEMES);
const ELSEWHERE = expression([...LEXEMES.slice(0, -1), RULES.pattern, ...LEXEMES.slice(-1)]);

const BLANKS = new RegExp(`${RULES.blanks}?`, "uy");
const WHOLE_WORD = new RegExp(`^${WORD}$`, "u");
const WHOLE_KEYWORD = new RegExp(`^${RULES.keyword}$`, "u");
const BEGINS_WITH_WORD_CHARACTER = new RegExp(`^${WORD_CHARACTER}`, "u");
const BEGINS_NUMBER = new RegExp(`^${NUMBER}`, "u");

/** Whether a text is a name or a reserved word. */
export const isWord = (text: string): boolean => WHOLE_WORD.test(text);
/** Whether a text is a reserved word, which is no name. */
export const isReserved = (text: string): boolean => WHOLE_KEYWORD.test(text);

/** The kinds by the first character, where it decides; groups of the regular expression would take thrice as long. */
function kindOf(text: string): LexemeKind {
  const first = text[0]!;
  if (first === '"') return "text";
  if (first === "/") {
    const second = text[1];
    if (second === "/") return text[2] === "/" && text[3] !== "/" ? "doc" : "comment";
    return second === "*" ? "comment" : text.length > 2 ? "pattern" : "mark";
  }
  if (BEGINS_NUMBER.test(text)) return "number";
  if (!BEGINS_WITH_WORD_CHARACTER.test(text)) return "mark";
  return isReserved(text) ? "keyword" : "name";
}

/** Whether an expression can end with a lexeme, so that a `/` after it divides. */
const endsOperand = ({ kind, text }: Lexeme): boolean => {
  if (kind === "mark") return text === ")" || text === "]" || text === "}";
  return kind === "keyword"
    ? text === "true" || text === "false" || text === "inf"
    : kind !== "comment" && kind !== "doc";
};

/** The first lexeme from an offset on; `before` is the one before it that is no comment. */
export function nextLexeme(text: string, offset: number, before?: Lexeme): Lexeme | undefined {
  const rule = before && endsOperand(before) ? AFTER_OPERAND : ELSEWHERE;
  BLANKS.lastIndex = offset;
  BLANKS.test(text);
  const start = BLANKS.lastIndex;
  rule.lastIndex = start;
  if (!rule.test(text)) return undefined;
  const end = rule.lastIndex;
  const found = text.slice(start, end);
  return { kind: kindOf(found), text: found, start, end };
}

/** The first lexeme from an offset on that is no comment. */
export function firstCode(text: string, offset = 0): Lexeme | undefined {
  let next = nextLexeme(text, offset);
  while (next && (next.kind === "comment" || next.kind === "doc")) next = nextLexeme(text, next.end);
  return next;
}

/** All lexemes of a text, comments too. */
export function lexemesOf(text: string): Lexeme[] {
  const lexemes: Lexeme[] = [];
  let before: Lexeme | undefined;
  for (let next = nextLexeme(text, 0); next; next = nextLexeme(text, next.end, before)) {
    lexemes.push(next);
    if (next.kind !== "comment") before = next;
  }
  return lexemes;
}

/** Whether a lexeme is a name or a reserved word. */
export const isWordLexeme = ({ kind }: Lexeme): boolean => kind === "name" || kind === "keyword";
