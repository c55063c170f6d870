/** E01xx and W01xx: text that is not GGSL, or not what it looks like. */
import { DECLARATIONS } from "../source/declarations.js";
import { isWord, WORD_CHARACTER } from "../source/lexemes.js";
import type { Span } from "../source/source.js";
import { error, warning, type Diagnostic } from "./diagnostic.js";
import { BLOCKS, foreign, MARKS, OPERATORS, STATEMENTS, type Foreign } from "./foreign.js";
import { hint, isNamePlace, type Found } from "./hints.js";
import { suggest } from "../core/suggest.js";

export function syntaxError(span: Span, expected: readonly string[], found: Found): Diagnostic {
  const isArrow = expected.includes("`->`") || expected.includes("`|>`");
  const meant = (!isArrow && found.mark ? foreignMark(found.mark) : undefined) ?? wordFault(span, expected, found);
  if (meant) return meant;
  const shown = summarize(expected).map((e) => (/^[a-z]+$/.test(e) ? `\`${e}\`` : e));
  const what = found.token === undefined ? "end of input" : `${found.isKeyword ? "keyword " : ""}\`${found.token}\``;
  const hinted = hint(expected, found);
  return error("E0101", span, `unexpected ${what}`, {
    ...(shown.length > 0 && { label: `expected ${joinOr(shown)}` }),
    ...(hinted !== undefined && { help: hinted.help }),
    ...(hinted?.text !== undefined && { fix: { kind: "replace", span, text: hinted.text } }),
  });
}

/** A mark of another language. */
function foreignMark({ span, text, quoted }: NonNullable<Found["mark"]>): Diagnostic {
  const { help, text: by } = foreign(MARKS, text)!;
  const place = quoted?.span ?? span;
  const instead = quoted?.text ?? by;
  const name = text === "'" ? "no text in single quotes" : text === "`" ? "no text in backquotes" : `no \`${text}\``;
  return error("E0108", place, `there is ${name}`, {
    help: quoted ? `write \`${quoted.text}\`` : help,
    ...(instead !== undefined && { fix: { kind: "replace", span: place, text: instead } }),
  });
}

/** A word or a number. */
const BEGINS_WORD = new RegExp(`^${WORD_CHARACTER}`, "u");

const STATEMENT_WORDS = ["let", "keep", "top", "sort", "if", "pick", "state", "after", "measure", "stop", "write"];

/** The fault of a word: a mark or word of another language, a reserved one, or one that begins a statement or a declaration and is none. */
function wordFault(span: Span, expected: readonly string[], found: Found): Diagnostic | undefined {
  const { token = "", isFirst, previous } = found;
  const reserved = reservedName(span, expected, found);
  if (reserved) return reserved;
  // a name at the start of a statement is taken for that of a column that is assigned
  if (expected.includes("`+=`") && previous) {
    const known = foreign(previous.isFirst ? STATEMENTS : OPERATORS, previous.text);
    if (known && !token.startsWith("=") && token !== "[") return notThere(previous.span, previous.text, known);
    // the word before it has ended an expression
    const { before } = previous;
    const ended = before && foreign(OPERATORS, before.text);
    if (ended) return notThere(before.span, before.text, ended);
    if (token === "(" && !isFirst) return callAsStatement(previous.span, previous.text);
    const meant = previous.isFirst ? suggest(previous.text, STATEMENT_WORDS) : undefined;
    if (meant !== undefined && meant !== previous.text)
      return unknownWord(previous.span, previous.text, "statement", meant);
  }
  // a type or a word like `mut` before the name
  const isTyped = expected.length === 1 && expected[0] === "`=`" && previous?.before && BEGINS_WORD.test(token);
  const type = isTyped ? foreign(STATEMENTS, previous.text) : undefined;
  if (type) return notThere(previous!.span, previous!.text, type);
  const joined = isWordBetween(expected, found) ? wordBetween(expected, token) : undefined;
  if (joined) return notThere(span, token, joined);
  const isDeclaration = [...DECLARATIONS].every((word) => expected.includes(word));
  if (previous?.text === "return" && BEGINS_WORD.test(token))
    return notThere(previous.span, "return", STATEMENTS["return"]!);
  const known = isDeclaration ? foreign(STATEMENTS, token) : undefined;
  if (known) return notThere(span, token, known);
  const meant = isDeclaration && isWord(token) ? suggest(token, DECLARATIONS) : undefined;
  return meant === undefined ? undefined : unknownWord(span, token, "declaration", meant);
}

/** Words that a declared name follows, and what it is the name of. */
const NAMED: Readonly<Record<string, string>> = {
  const: "a constant",
  input: "an input",
  fn: "a function",
  sampler: "a sampler",
  chain: "a chain",
  static: "a parameter",
  let: "a value",
  state: "a state",
  measure: "a measure",
  with: "a value of `repeat`",
  as: "an import",
  sum: "a counter",
  min: "a counter",
  max: "a counter",
  any: "a counter",
  all: "a counter",
  repeat: "a counter",
};

/** What a name at this place would be declared as. */
function declaredAs(expected: readonly string[], { token, previous, next = "", line }: Found): string | undefined {
  if (expected.includes("static")) return "a parameter";
  if (expected.length === 2 && expected.includes("a name") && expected.includes("`}`")) return "an import";
  if (token === "in" && previous?.text === "in") return "a counter";
  if (next === ":" && expected.includes("`)`") && /[(,]$/.test(line)) return "an argument";
  if (expected.includes("let") && /^[-+*/]?=$/.test(next)) return "a value";
  return previous && Object.hasOwn(NAMED, previous.text) ? NAMED[previous.text] : undefined;
}

/** A reserved word in place of a name that is declared. */
function reservedName(span: Span, expected: readonly string[], found: Found): Diagnostic | undefined {
  const { token = "", isKeyword, isFirst, next = "", counter } = found;
  if (counter) return reservedWord(counter.span, counter.text, "a counter");
  const taken = takenWord(expected, found);
  if (taken) return taken;
  // at the start of a line it can also begin what follows an unfinished declaration
  if (!isKeyword || (isFirst && !/^(?:[,}:(]|[-+*/]?=|as)$/.test(next))) return undefined;
  const what = declaredAs(expected, found);
  return what === undefined ? undefined : reservedWord(span, token, what);
}

/** A reserved word in place of a name that was taken for what it begins, so that the fault is after it. */
function takenWord(expected: readonly string[], { token = "", previous, line }: Found): Diagnostic | undefined {
  if (!previous?.isKeyword) return undefined;
  const refuse = (what: string): Diagnostic => reservedWord(previous.span, previous.text, what);
  if (previous.text === "static" && token === ":" && isNamePlace(expected)) return refuse("a parameter");
  if (token === ":" && /[(,]\s*(?:true|false|inf|not)$/.test(line)) return refuse("an argument");
  const isStatement = STATEMENT_WORDS.includes(previous.text);
  return isStatement && previous.isFirst && /^[-+*/]?=$/.test(token) ? refuse("a value") : undefined;
}

/** Whether a word is where only an operator, a bracket or a block can follow. */
const isWordBetween = (expected: readonly string[], { isKeyword, isFirst }: Found): boolean =>
  !isKeyword && !isFirst && expected.includes("`+`") && !expected.includes("let");

const wordBetween = (expected: readonly string[], token: string): Foreign | undefined =>
  (expected.includes("`{`") ? foreign(BLOCKS, token) : undefined) ?? foreign(OPERATORS, token);

const reservedWord = (span: Span, word: string, what: string): Diagnostic =>
  error("E0107", span, `\`${word}\` is a reserved word`, {
    label: `it cannot be the name of ${what}`,
    help: "choose another name",
  });

const notThere = (span: Span, word: string, { help, text }: Foreign): Diagnostic =>
  error("E0104", span, `there is no \`${word}\``, {
    help,
    ...(text !== undefined && { fix: { kind: "replace", span, text } }),
  });

const unknownWord = (span: Span, word: string, what: string, meant: string): Diagnostic =>
  error("E0105", span, `\`${word}\` begins no ${what}`, {
    help: `did you mean \`${meant}\`?`,
    fix: { kind: "replace", span, text: meant },
  });

const callAsStatement = (span: Span, name: string): Diagnostic =>
  error("E0106", span, `\`${name}(...)\` is no statement`, {
    label: "a call is part of an expression, or a stage of a chain",
    help: `use its value, as in \`let x = ${name}(...)\`, or join samplers in a chain: \`chain c = ${name}(...) |> ...\``,
  });

/** Phrases that summarize expected words: each replaces its words if all of `marks` are expected. */
const PHRASES: readonly { readonly phrase: string; readonly marks: readonly string[]; readonly words: RegExp }[] = [
  {
    phrase: "a declaration (import, const, input, fn, sampler, chain, test)",
    marks: ["import", "sampler", "chain"],
    words: /^(?:import|const|input|fn|sampler|chain|test|a doc comment|the end)$/,
  },
  {
    phrase: "a statement",
    marks: ["let", "keep", "sort"],
    words: /^(?:let|keep|top|sort|if|pick|state|after|measure|stop|write|a name|`;`)$/,
  },
  {
    phrase: "an expression",
    marks: ["a number", "a name"],
    words: /^(?:a number|a text in quotes|a pattern|a name|not|a fold|repeat|`(?:[-([]|true|false|inf)`)$/,
  },
  {
    phrase: "a type (f32, i32, bool, seed, text, list, tokens)",
    marks: ["`f32`", "`list`"],
    words: /^`(?:f32|i32|bool|seed|text|list|tokens)`$/,
  },
  {
    phrase: "a clause of the test",
    marks: ["run", "expect"],
    words: /^(?:logits|probs|history|vocab|bias|input|steps|run|expect)$/,
  },
];

/** Operators can follow nearly everywhere; they are listed only if nothing else can follow. */
const CONTINUATION = /^(?:`(?:[-+*/%^?(.]|[<>=!]=?|[-+*/]=)`|and|or|at|by|asc|desc)$/;

function summarize(expected: readonly string[]): string[] {
  const phrases = PHRASES.filter(({ marks }) => marks.every((mark) => expected.includes(mark)));
  // a doc comment can precede what the list names
  const rest = expected.filter((e) => e !== "a doc comment" && !phrases.some(({ words }) => words.test(e)));
  const definite = rest.filter((e) => !CONTINUATION.test(e));
  const shown = [...phrases.map(({ phrase }) => phrase), ...(phrases.length + definite.length > 0 ? definite : rest)];
  return shown.length > 6 ? [] : shown;
}

const joinOr = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;

export const nestedTooDeep = (span: Span, limit: number): Diagnostic =>
  error("E0103", span, "expressions or blocks are nested too deep", {
    label: `more than ${limit} levels`,
    help: "name parts of it with `let`",
  });

export const unclosedComment = (span: Span): Diagnostic =>
  error("E0349", span, "the comment has no end", { help: "close it with `*/`; comments do not nest" });

/** `meant`: the formula that replaces `place`, from the dividend to the end of the comment. */
export const commentAsDivision = (span: Span, comment: string, meant: string, place: Span): Diagnostic =>
  warning("W0109", span, `\`//\` begins a comment: \`${comment}\` is not part of the formula`, {
    help: `to divide and round down, write \`${meant}\`; otherwise put the comment on a line of its own`,
    fix: { kind: "replace", span: place, text: meant },
  });
