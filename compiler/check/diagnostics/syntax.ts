/** E01xx: text that is not GGSL. */
import type { Span } from "../../syntax/source.js";
import { error, type Diagnostic } from "../diagnostics.js";
import { foreign, MARKS, OPERATORS, STATEMENTS, TYPES, type Foreign } from "./foreign.js";
import { suggest } from "../suggest.js";

/** What is found at a fault: a token, or the end of the text. */
export interface Found {
  readonly token: string | undefined;
  /** A reserved word. */
  readonly isKeyword: boolean;
  /** Whether it is the first token of its line. */
  readonly isFirst: boolean;
  /** The word before it, if there is nothing else between; `glued` is the character right before the word. */
  readonly previous:
    { readonly text: string; readonly span: Span; readonly isFirst: boolean; readonly glued: string } | undefined;
  /** A mark of another language there, and the text in its quotes as one of GGSL. */
  readonly mark:
    | { readonly text: string; readonly span: Span; readonly quoted?: { readonly text: string; readonly span: Span } }
    | undefined;
}

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

const STATEMENT_WORDS = ["let", "keep", "top", "sort", "if", "pick", "state", "after", "measure"];
const DECLARATIONS = ["import", "const", "input", "fn", "sampler", "chain", "test"];

/** The fault of a word: a mark or word of another language, a reserved one, or one that begins a statement or a declaration and is none. */
function wordFault(span: Span, expected: readonly string[], found: Found): Diagnostic | undefined {
  const { token = "", isFirst, previous } = found;
  const reserved = reservedName(span, expected, found);
  if (reserved) return reserved;
  // a name at the start of a statement is taken for that of a column that is assigned
  if (expected.includes("`+=`") && previous) {
    const known = foreign(previous.isFirst ? STATEMENTS : OPERATORS, previous.text);
    if (known && !token.startsWith("=") && token !== "[") return notThere(previous.span, previous.text, known);
    if (token === "(" && !isFirst) return callAsStatement(previous.span, previous.text);
    const meant = previous.isFirst ? suggest(previous.text, STATEMENT_WORDS) : undefined;
    if (meant !== undefined && meant !== previous.text)
      return unknownWord(previous.span, previous.text, "statement", meant);
  }
  const isDeclaration = DECLARATIONS.every((word) => expected.includes(word));
  if (previous?.text === "return" && /^\w/.test(token)) return notThere(previous.span, "return", STATEMENTS["return"]!);
  const known = isDeclaration ? foreign(STATEMENTS, token) : undefined;
  if (known) return notThere(span, token, known);
  const meant = isDeclaration && /^\w+$/.test(token) ? suggest(token, DECLARATIONS) : undefined;
  return meant === undefined ? undefined : unknownWord(span, token, "declaration", meant);
}

/** Words that a declared name follows, and what it is the name of. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ const: "a constant", input: "an input", fn: "a function", sampler: "a sampler", chain: "a chain" },
  ...{
    static: "a parameter",
    let: "a value",
    state: "a state",
    measure: "a measure",
    with: "a value of `repeat`",
    as: "an import",
  },
  ...{ sum: "a counter", min: "a counter", max: "a counter", any: "a counter", all: "a counter", repeat: "a counter" },
};

/** A reserved word in place of a name that is declared. */
function reservedName(span: Span, expected: readonly string[], found: Found): Diagnostic | undefined {
  const { token = "", isKeyword, isFirst, previous } = found;
  if (!isKeyword || isFirst) return undefined;
  const isCounter = token === "in" && previous?.text === "in";
  const isImport = expected.length === 2 && expected.includes("a name") && expected.includes("`}`");
  const what = expected.includes("static")
    ? "a parameter"
    : isImport
      ? "an import"
      : isCounter
        ? "a counter"
        : NAMED[previous?.text ?? ""];
  return what === undefined ? undefined : reservedWord(span, token, what);
}

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
    words: /^(?:let|keep|top|sort|if|pick|state|after|a name|`;`)$/,
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

/** Hints for habits from other languages. */
function hint(expected: readonly string[], found: Found): Foreign | undefined {
  const { token = "", previous } = found;
  const say = (help: string): Foreign => ({ help });
  const follows = expected.includes("`+`");
  const form = formHint(expected, found);
  if (form) return form;
  if (token === "}" && expected.includes("let") && expected.includes("a number"))
    return say("a function ends with its result; where that begins with `-` or `(`, end the `let` before it with `;`");
  if (token === "|" && follows) return say("conditions are joined with `or`");
  if (token.startsWith("///"))
    return say("a doc comment must precede a declaration or a parameter; start any other comment with `//`");
  if (token === '"') return say("the closing quote is missing on this line");
  if (/^[<>=!]=?$/.test(token) && !expected.includes(`\`${token}\``) && follows)
    return token === "="
      ? { help: "`==` compares", text: "==" }
      : say("comparisons do not chain: write `a < b and b < c`");
  if (expected.includes("`f32`")) return foreign(TYPES, token);
  if (previous && /[\d.]/.test(previous.glued) && expected.includes("`+=`"))
    return say(
      previous.glued === "."
        ? "a function has no prefix, and takes its values in brackets: `log(prob)`"
        : "a number is written as in 10, 0.5 or 1e-3",
    );
  if (token === "(" && previous?.glued === ".")
    return say("a function has no prefix, and takes its values in brackets: `log(prob)`");
  if (token === "[") return say(follows ? INDEXED : "`logit = token == 3 ? 2 : logit` assigns the logit of one token");
  if (token === ":" && expected.length === 1 && expected[0] === "`=`")
    return say("a `let` and a `measure` have no type: `let x = expr`");
  if (expected.includes("sample") && expected.includes("argmax"))
    return say(
      "`pick sample(seed)` draws a row by its probability, `pick argmax(expr)` takes the one of the largest value",
    );
  return keywordHint(expected, found);
}

/** Forms that are known by what alone can follow. */
const FORMS: Readonly<Record<string, string>> = {
  "`:`": "a parameter is written `name: type`, as in `p: f32 = 0.9`",
  "`->`": "a function names the type of its result: `fn f(x: f32) -> f32 = x`",
  "`(`": "values are in brackets, as in `pick argmax(logit)`",
  in: "a function takes its values in brackets, as in `max(prob)`; a loop is `sum i in 1..8: expr`",
  "`(` `=`": "a chain is written `chain c = top_k(40) |> dist()`",
};

function formHint(expected: readonly string[], { token = "", previous }: Found): Foreign | undefined {
  if (previous?.text === "import" && expected.includes("`{`"))
    return { help: 'an import is written `import { top_k } from "std"`' };
  const form = FORMS[expected.toSorted().join(" ")];
  if (form !== undefined && token !== "") return { help: form };
  if (expected.includes("`|>`")) {
    if (token === "|" || token === ">") return { help: "stages are joined with `|>`", text: "|>" };
    if (/^(?:[,.&+]|->|=>|::)$/.test(token)) return { help: "stages are joined with `|>`" };
    if (/^["\d]/.test(token)) return { help: "arguments are in brackets, as in `top_k(40)`" };
  }
  if (token === "=" && previous && expected.includes("`:`") && expected.includes("`)`"))
    return { help: "an argument by name is written `name: value`", text: ":" };
  return undefined;
}

const INDEXED =
  "a column has a value for each row and no index: `sum(token == 3 ? prob : 0)` is the value in one row, `last(1)` the last token of the text";

/** Hints for words of the language in the wrong place. */
function keywordHint(expected: readonly string[], { token = "", isKeyword, isFirst }: Found): Foreign | undefined {
  const say = (help: string): Foreign => ({ help });
  if (expected.includes("`{`") && token === "else") return foreign(OPERATORS, "if");
  if (expected.includes("`{`") && (token === ":" || isKeyword))
    return say("the statements of a block are in braces: `{ ... }`");
  if (token === "const" && expected.includes("let")) return say("inside a sampler, `let` names a value");
  if (!isKeyword || isFirst) return undefined;
  if (token === "if") return foreign(OPERATORS, "if");
  if (token === "else") return say("an `else` follows the `}` of its `if`");
  if (token === "by" || token === "asc" || token === "desc")
    return say("write `sort by expr asc` or `sort by expr desc`; `top k by expr` has the largest values first");
  return expected.includes("a name") ? say(`\`${token}\` is a reserved word`) : undefined;
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
