/** The help of a syntax error: what is written in GGSL in place of a habit from another language. */
import { KEYWORDS } from "../source/keywords.js";
import type { Span } from "../source/source.js";
import { foreign, OPERATORS, TYPES, type Foreign } from "./foreign.js";

/** What is found at a fault: a token, or the end of the text. */
export interface Found {
  readonly token: string | undefined;
  /** A reserved word. */
  readonly isKeyword: boolean;
  /** Whether it is the first token of its line. */
  readonly isFirst: boolean;
  /** The word before it, if there is nothing else between; `glued` is the character right before the word. */
  readonly previous:
    | {
        readonly text: string;
        readonly span: Span;
        readonly isKeyword: boolean;
        /** Whether it begins its line or a statement. */
        readonly isFirst: boolean;
        readonly glued: string;
        /** The word before it on its line, if there is nothing else between. */
        readonly before: { readonly text: string; readonly span: Span } | undefined;
      }
    | undefined;
  /** The token after it. */
  readonly next: string | undefined;
  /** What is before it on the line of the last token. */
  readonly line: string;
  /** A comment between that and the token. */
  readonly comment: string;
  /** A reserved word in place of the counter of a fold or of `repeat`. */
  readonly counter: { readonly text: string; readonly span: Span } | undefined;
  /** A mark of another language there, and the text in its quotes as one of GGSL. */
  readonly mark:
    | { readonly text: string; readonly span: Span; readonly quoted?: { readonly text: string; readonly span: Span } }
    | undefined;
}

/** Whether only a name can be there. */
export const isNamePlace = (expected: readonly string[]): boolean =>
  expected.includes("a name") && expected.every((e) => e === "a name" || e === "host");

/** A habit that is known by what is around the fault: each part that is given must match. */
interface Habit {
  /** What is before the fault on its line. */
  readonly line?: RegExp;
  readonly token?: RegExp;
  /** What could follow instead: all of these. */
  readonly expects?: readonly string[];
  readonly help: string;
}

const A_NUMBER = "a number is written as in 10, 0.5 or 1e-3";
const CHOICE = OPERATORS["if"]!.help;
const BY = "the key follows `by`, as in `sort by logit desc`; without one, `sort` has the largest logits first";
const OUTSIDE = "declarations stand outside of samplers; is a `}` missing before it?";
const STOPS = 'a stop has a condition and a name: `stop when n == 1 as "certain"`';
const WRITES = 'a text is written where a condition begins to hold: `write "text" when step == 8`';
const INSIDE = "statements stand inside a sampler: `sampler name() { ... }`";
const LOOP = "a loop is `sum i in 1..8: expr`, with both bounds";
const ROUNDS = "a value after a number of rounds is `repeat 40 with x = init: expr`";
const DECLARES = ["sampler", "chain", "const"];

/** The most special ones first. */
const HABITS: readonly Habit[] = [
  { line: /^\s*\w+\s*=$/, token: /^=$/, help: "`=` assigns, and `==` compares" },
  { token: /^<$/, line: /^\s*\w+$/, expects: ["`+=`"], help: "`=` assigns" },
  { line: /\bin$/, token: /^\{$/, help: "a set of tokens is written `tokens(1, 2)`" },
  { line: /\bin\s*\([^()]*$/, token: /^,$/, help: "a set of tokens is written `tokens(1, 2)`" },
  { line: /\?$/, token: /^[?:.]$/, help: CHOICE },
  { line: /\?[^:]*$/, expects: ["`:`", "`+`"], help: CHOICE },
  { line: /\bsort$/, token: /^\($/, help: BY },
  { line: /\bsort\s+\w+$/, expects: ["`+=`"], help: BY },
  { line: /\d%$/, expects: ["a number"], help: A_NUMBER },
  { line: /\d$/, token: /^\.$/, expects: ["`+`"], help: A_NUMBER },
  { token: /^\+$/, expects: ["a number", "a name"], help: "a number is written without `+`" },
  { token: /^\|$/, expects: ["a number", "a name"], help: "write `abs(x)`" },
  { line: /\w$/, token: /^"$/, expects: ["`+`"], help: 'a text stands alone, as in `"a"`' },
  { line: /\blet$/, token: /^[([{]$/, help: "a `let` declares one name" },
  { line: /\blet\s+\w+$/, token: /^,$/, help: "a `let` declares one name" },
  { line: /\b(?:sum|min|max|any|all|repeat)\s+\w+\s+in\b.*$/, expects: ["`..`"], help: LOOP },
  { line: /\b(?:sum|min|max|any|all|repeat)\s+\w+$/, token: /^(?:from|of|to|=|:)$/, expects: ["in"], help: LOOP },
  {
    line: /\b(?:sum|min|max|any|all)\s*\(\s*\w+\s+in\b/,
    token: /^\.\./,
    help: "a loop has no brackets: `sum i in 1..8: expr`",
  },
  { line: /\.\.\s*[\w.]+$/, expects: ["`:`"], help: LOOP },
  { line: /\brepeat\b/, expects: ["with"], help: ROUNDS },
  { line: /\brepeat$/, expects: ["`+=`"], help: ROUNDS },
  { line: /\bstate\s+\w+(?:\s+\w+)?$/, expects: ["`:`"], help: "a state is written `state name: type = value`" },
  { line: /\binput\s+\w+(?:\s+\w+)?$/, expects: ["`:`"], help: "an input is written `input name: type`" },
  {
    line: /\bsampler\s+\w+$/,
    expects: ["`(`"],
    help: "a sampler has brackets also without parameters: `sampler s() { ... }`",
  },
  {
    line: /\bfn\s+\w+$/,
    expects: ["`(`"],
    help: "a function has brackets also without parameters: `fn f() -> f32 = 1`",
  },
  { line: /\bafter$/, expects: ["pick"], help: "write `after pick { ... }`" },
  { line: /\bafter\s+pick$/, expects: ["`{`"], help: "write `after pick { ... }`" },
  { line: /^\s*stop$/, token: /^(?:if|\()$/, expects: ["`+=`"], help: STOPS },
  { line: /\bstop\s+when\b.*$/, expects: ["as"], help: STOPS },
  { line: /^\s*write$/, token: /^(?:if|when|\()$/, expects: ["`+=`"], help: WRITES },
  { line: /^\s*write\s+(?:\w+|".*")$/, expects: ["when"], help: WRITES },
  {
    line: /\bat$/,
    expects: ["least"],
    help: "`at least m` is the smallest number of rows that stay; `top m` keeps at most `m`",
  },
  { line: /\bfrom$/, expects: ["a text in quotes"], help: 'a path is a text, as in `from "std"`' },
  { line: /\btest$/, expects: ["a text in quotes"], help: 'a test has a text as name: `test "a name" { ... }`' },
  {
    line: /\)$/,
    token: /^=$/,
    expects: ["`{`"],
    help: "a sampler has a block: `sampler s() { ... }`; stages are joined in a `chain`",
  },
  { line: /=$/, token: /^\[$/, expects: ["host"], help: "a chain is written `chain c = top_k(40) |> dist()`" },
  {
    line: /\bhost$/,
    expects: ["a name"],
    help: "`host` stands before the name of a stage, as in `host dist(seed: 7)`",
  },
  { token: /^\|\|$/, expects: ["`|>`"], help: "stages are joined with `|>`" },
  { token: /^;$/, expects: DECLARES, help: "a declaration ends without `;`" },
  { token: /^(?:let|keep|top|sort|if|pick|state|after|measure|stop|write|logit)$/, expects: DECLARES, help: INSIDE },
  { token: /^(?:import|input|fn|sampler|chain|test)$/, expects: ["let", "keep"], help: OUTSIDE },
  { line: /\bfn$/, expects: ["`+=`"], help: OUTSIDE },
  { token: /^\{$/, expects: ["let", "keep"], help: "a block follows `if`, `else` or `after pick`" },
  {
    line: /=$/,
    token: /^\{$/,
    expects: ["a number"],
    help: "a block follows the type without `=`: `fn f(x: f32) -> f32 { ... }`",
  },
];

/** Letters of names other than those of English. */
const LETTERS = /(?![A-Za-z])\p{L}/gu;

function habit(expected: readonly string[], { token = "", line: before }: Found): string | undefined {
  // `\w` and `\b` know only these letters
  const ascii = before.replace(LETTERS, "x");
  const fits = ({ line, token: word, expects = [] }: Habit): boolean =>
    (line?.test(ascii) ?? true) && (word?.test(token) ?? true) && expects.every((e) => expected.includes(e));
  return HABITS.find(fits)?.help;
}

/** Hints for habits from other languages. */
export function hint(expected: readonly string[], found: Found): Foreign | undefined {
  const { token = "", previous } = found;
  const say = (help: string): Foreign => ({ help });
  const follows = expected.includes("`+`");
  const usual = habit(expected, found);
  if (usual !== undefined) return say(usual);
  const form = formHint(expected, found);
  if (form) return form;
  // a comment that has taken the closing bracket
  const closes = expected.includes("`)`") && follows && /^[^(]*\)/.test(found.comment);
  if (found.comment.startsWith("//") && (expected.includes("`+=`") || closes))
    return say("`//` begins a comment; write `floor(a / b)`");
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
  // nothing is expected inside of a word that begins with a type, like `boolean`
  if (expected.includes("`f32`") || expected.length === 0) return foreign(TYPES, token);
  if (previous && /[\d.]/.test(previous.glued) && expected.includes("`+=`"))
    return say(
      previous.glued === "." ? "a function has no prefix, and takes its values in brackets: `log(prob)`" : A_NUMBER,
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
  if (isNamePlace(expected) && found.isKeyword)
    return say(found.line.endsWith(".") ? `names have no prefix: \`${token}\`` : reserved(token));
  if (previous && !previous.isFirst && expected.includes("`+=`")) return say(missing(previous));
  return keywordHint(expected, found);
}

/** What a reserved word is for. */
const reserved = (word: string): string =>
  `\`${word}\` is a reserved word: ${KEYWORDS[word]?.doc ?? "choose another name"}`;

/** A word follows an expression, and was taken for the beginning of a statement. */
const missing = ({ text, before }: NonNullable<Found["previous"]>): string =>
  before
    ? `an operator or brackets are missing between \`${before.text}\` and \`${text}\``
    : `an operator is missing before \`${text}\``;

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
  return expected.includes("a name") ? say(reserved(token)) : undefined;
}
