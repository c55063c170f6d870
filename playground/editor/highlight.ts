/** Syntax highlighting from the language's own tables. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting, type StringStream } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";
import { MARK, nextLexeme, type Lexeme } from "@ggsl/compiler/source/lexemes.js";
import type { LanguageTables } from "../engine/messages.js";

/** The colours are the page's variables, so dark mode needs no second style. */
const style = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: tags.typeName, color: "var(--code-type)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.comment, color: "var(--code-comment)" },
  { tag: tags.docComment, color: "var(--code-doc)" },
  { tag: tags.standard(tags.variableName), color: "var(--code-builtin)" },
  { tag: tags.function(tags.variableName), color: "var(--code-stage)" },
  { tag: tags.operator, color: "var(--code-operator)" },
]);

/** What is known at the start of a line: whether it is in a comment, and the lexeme before it. */
interface State {
  isInComment: boolean;
  before: Lexeme | undefined;
}

const STYLES = { comment: "comment", doc: "docComment", text: "string", pattern: "string", number: "number" } as const;
/** Marks that are no operators, and characters that begin nothing. */
const BRACKETS = new RegExp(`^(?:[(){}[\\],;.]|(?!${MARK})[^])$`, "u");

export function highlighting({ keywords, types, functions, names, std }: LanguageTables): Extension {
  const words = new Map<string, string>([
    ...std.map(({ name }) => [name, "variableName.function"] as const),
    ...Object.keys({ ...functions, ...names }).map((name) => [name, "variableName.standard"] as const),
    ...Object.keys(types).map((word) => [word, "typeName"] as const),
    ...Object.keys(keywords).map((word) => [word, "keyword"] as const),
  ]);
  // a keyword that is also a builtin column (`token`, `bias`) is highlighted as the column
  for (const name of Object.keys(names)) words.set(name, "variableName.standard");
  const styleOf = ({ kind, text }: Lexeme): string | null => {
    if (kind === "name" || kind === "keyword") return words.get(text) ?? null;
    return kind === "mark" ? (BRACKETS.test(text) ? null : "operator") : STYLES[kind];
  };
  const token = (stream: StringStream, state: State): string | null => {
    if (state.isInComment) {
      state.isInComment = !stream.match(/^.*?\*\//);
      if (state.isInComment) stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    const next = nextLexeme(stream.string, stream.pos, state.before);
    if (!next) return (stream.skipToEnd(), null);
    stream.pos = next.end;
    if (next.kind === "comment") state.isInComment = next.text.startsWith("/*") && !/^\/\*.*\*\/$/.test(next.text);
    else state.before = next;
    return styleOf(next);
  };
  const language = StreamLanguage.define({
    name: "ggsl",
    startState: (): State => ({ isInComment: false, before: undefined }),
    token,
    languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
  });
  return [language, syntaxHighlighting(style)];
}
