/** E01xx: text that is not GGSL. */
import type { Span } from "../../syntax/source.js";
import { error, type Diagnostic } from "../diagnostics.js";
import { suggest } from "../suggest.js";

/** What is found at a fault: a token, or the end of the text. */
export interface Found {
  readonly token: string | undefined;
  /** A reserved word. */
  readonly isKeyword: boolean;
  /** Whether it is the first token of its line. */
  readonly isFirst: boolean;
  /** The word before it, if there is nothing else between. */
  readonly previous: { readonly text: string; readonly span: Span } | undefined;
}

export function syntaxError(span: Span, expected: readonly string[], found: Found): Diagnostic {
  const meant = wordFault(span, expected, found);
  if (meant) return meant;
  const shown = summarize(expected).map((e) => (/^[a-z]+$/.test(e) ? `\`${e}\`` : e));
  const what = found.token === undefined ? "end of input" : `${found.isKeyword ? "keyword " : ""}\`${found.token}\``;
  const help = hint(expected, found);
  return error("E0101", span, `unexpected ${what}`, {
    ...(shown.length > 0 && { label: `expected ${joinOr(shown)}` }),
    ...(help !== undefined && { help }),
  });
}

/** Words of other languages, and what GGSL has instead. */
const HABITS: Readonly<Record<string, string>> = {
  for: "a statement is for all rows at once, and reductions such as `sum` and `any` are over all rows",
  while: "a statement is for all rows at once, and reductions such as `sum` and `any` are over all rows",
  return: "a sampler changes the table: `keep` drops rows, `logit = ...` changes logits, `pick` chooses the token",
  break: "`keep` drops rows, and `if` decides which statements apply",
  continue: "`keep` drops rows, and `if` decides which statements apply",
  drop: "`keep` names the rows that stay, as in `keep not (token == 3)`",
  var: "`let` declares a column or a scalar, and `state` a number that is kept from token to token",
  set: "`logit = ...` assigns logits, and `let` declares a column or a scalar",
  print: "`measure name = expr` reports a number with each token",
  def: "a function is declared with `fn name(x: f32) -> f32 = ...`, a sampler with `sampler name(parameters) { ... }`",
  function:
    "a function is declared with `fn name(x: f32) -> f32 = ...`, a sampler with `sampler name(parameters) { ... }`",
};

const STATEMENTS = ["let", "keep", "top", "sort", "if", "pick", "state", "after", "measure"];
const DECLARATIONS = ["import", "const", "input", "fn", "sampler", "chain", "test"];

/** The fault of a word that begins a statement or a declaration, and is the name of none. */
function wordFault(
  span: Span,
  expected: readonly string[],
  { token = "", isFirst, previous }: Found,
): Diagnostic | undefined {
  // a name at the start of a statement is taken for that of a column that is assigned
  if (expected.includes("`+=`") && previous) {
    if (Object.hasOwn(HABITS, previous.text)) return notThere(previous.span, previous.text);
    if (token === "(" && !isFirst) return callAsStatement(previous.span, previous.text);
    const meant = suggest(previous.text, STATEMENTS);
    if (meant !== undefined) return unknownWord(previous.span, previous.text, "statement", meant);
  }
  const isDeclaration = DECLARATIONS.every((word) => expected.includes(word));
  if (isDeclaration && Object.hasOwn(HABITS, token)) return notThere(span, token);
  const meant = isDeclaration && /^\w+$/.test(token) ? suggest(token, DECLARATIONS) : undefined;
  return meant === undefined ? undefined : unknownWord(span, token, "declaration", meant);
}

const notThere = (span: Span, word: string): Diagnostic =>
  error("E0104", span, `there is no \`${word}\``, { help: HABITS[word]! });

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
    words: /^(?:let|keep|top|sort|if|pick|state|after|a name|`;`)$/,
  },
  {
    phrase: "an expression",
    marks: ["a number", "a name"],
    words: /^(?:a number|a text in quotes|a name|not|a fold|repeat|`(?:[-([]|true|false|inf)`)$/,
  },
  {
    phrase: "a clause of the test",
    marks: ["run", "expect"],
    words: /^(?:logits|probs|history|vocab|bias|input|steps|run|expect)$/,
  },
];

/** Operators can follow nearly everywhere; they are listed only if nothing else can follow. */
const CONTINUATION = /^(?:`(?:[-+*/%^?(]|[<>=!]=?|[-+*/]=)`|and|or|at|by|asc|desc)$/;

function summarize(expected: readonly string[]): string[] {
  const phrases = PHRASES.filter(({ marks }) => marks.every((mark) => expected.includes(mark)));
  // a doc comment can precede what the list names
  const rest = expected.filter((e) => e !== "a doc comment" && !phrases.some(({ words }) => words.test(e)));
  const definite = rest.filter((e) => !CONTINUATION.test(e));
  const shown = [...phrases.map(({ phrase }) => phrase), ...(phrases.length + definite.length > 0 ? definite : rest)];
  return shown.length > 6 ? [] : shown;
}

/** Hints for habits from other languages. */
function hint(expected: readonly string[], { token = "", isKeyword, isFirst }: Found): string | undefined {
  const words: Readonly<Record<string, string>> = { "&&": "`and`", "||": "`or`", "!": "`not`", "**": "`^`" };
  if (Object.hasOwn(words, token)) return `write ${words[token]}`;
  if (token === "|" && expected.includes("`|>`")) return "stages are joined with `|>`";
  if (token === "}" && expected.includes("let") && expected.includes("a number"))
    return "a function ends with its result; where that begins with `-` or `(`, end the `let` before it with `;`";
  if (token.startsWith("///"))
    return "a doc comment must precede a declaration or a parameter; start any other comment with `//`";
  if (token === '"') return "the closing quote is missing on this line";
  if (/^[<>=!]=?$/.test(token) && !expected.includes(`\`${token}\``) && expected.includes("`+`"))
    return token === "=" ? "`==` compares" : "comparisons do not chain: write `a < b and b < c`";
  if (token === "const" && expected.includes("let")) return "inside a sampler, `let` names a value";
  // the first word of a line begins a statement, and what is missing comes before it
  if (isKeyword && expected.includes("a name") && !isFirst)
    return `\`${token}\` is a reserved word: choose another name`;
  return undefined;
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
