/** E01xx: text that is not GGSL. */
import type { Span } from "../../syntax/source.js";
import { error, type Diagnostic } from "../diagnostics.js";

/** What is found at a fault: a token, or the end of the text. */
export interface Found {
  readonly token: string | undefined;
  /** A reserved word. */
  readonly isKeyword: boolean;
}

export function syntaxError(span: Span, expected: readonly string[], found: Found): Diagnostic {
  const shown = summarize(expected).map((e) => (/^[a-z]+$/.test(e) ? `\`${e}\`` : e));
  const what = found.token === undefined ? "end of input" : `${found.isKeyword ? "keyword " : ""}\`${found.token}\``;
  const help = hint(expected, found);
  return error("E0101", span, `unexpected ${what}`, {
    ...(shown.length > 0 && { label: `expected ${joinOr(shown)}` }),
    ...(help !== undefined && { help }),
  });
}

/** Phrases that summarize expected words: each replaces its words if all of `marks` are expected. */
const PHRASES: readonly { readonly phrase: string; readonly marks: readonly string[]; readonly words: RegExp }[] = [
  {
    phrase: "a declaration (import, const, sampler, chain)",
    marks: ["import", "sampler", "chain"],
    words: /^(?:import|const|input|sampler|chain|test|a doc comment|the end)$/,
  },
  {
    phrase: "a statement",
    marks: ["let", "keep", "sort"],
    words: /^(?:let|keep|top|sort|if|pick|state|after|a name|`;`)$/,
  },
  {
    phrase: "an expression",
    marks: ["a number", "a name"],
    words: /^(?:a number|a text in quotes|a name|not|`(?:[-([]|true|false|inf)`)$/,
  },
  {
    phrase: "a clause of the test",
    marks: ["run", "expect"],
    words: /^(?:logits|probs|history|bias|input|steps|run|expect)$/,
  },
];

/** Operators can follow nearly everywhere; they are listed only if nothing else can follow. */
const CONTINUATION = /^(?:`(?:[-+*/%^?(]|[<>=!]=?|[-+*/]=)`|and|or|at|by|asc|desc)$/;

function summarize(expected: readonly string[]): string[] {
  const phrases = PHRASES.filter(({ marks }) => marks.every((mark) => expected.includes(mark)));
  const rest = expected.filter((e) => !phrases.some(({ words }) => words.test(e)));
  const definite = rest.filter((e) => !CONTINUATION.test(e));
  const shown = [...phrases.map(({ phrase }) => phrase), ...(phrases.length + definite.length > 0 ? definite : rest)];
  return shown.length > 6 ? [] : shown;
}

/** Hints for habits from other languages. */
function hint(expected: readonly string[], { token = "", isKeyword }: Found): string | undefined {
  const words: Readonly<Record<string, string>> = { "&&": "`and`", "||": "`or`", "!": "`not`", "**": "`^`" };
  if (Object.hasOwn(words, token)) return `write ${words[token]}`;
  if (token === "|" && expected.includes("`|>`")) return "stages are joined with `|>`";
  if (token === "as") return "an import cannot be renamed";
  if (token.startsWith("///")) return "a doc comment must precede a declaration; start any other comment with `//`";
  if (token === '"') return "the closing quote is missing on this line";
  if (/^[<>=!]=?$/.test(token) && !expected.includes(`\`${token}\``) && expected.includes("`+`"))
    return token === "=" ? "`==` compares" : "comparisons do not chain: write `a < b and b < c`";
  if (isKeyword && expected.length === 1 && expected[0] === "a name") return "choose another name";
  return undefined;
}

const joinOr = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;

export const nestedTooDeep = (span: Span, limit: number): Diagnostic =>
  error("E0103", span, "expressions or blocks are nested too deep", {
    label: `more than ${limit} levels`,
    help: "name parts of it with `let`",
  });
