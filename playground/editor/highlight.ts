/** Syntax highlighting from the language's own tables. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting, type StringStream } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";
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

export function highlighting({ keywords, types, functions, names, std }: LanguageTables): Extension {
  const words = new Map<string, string>([
    ...std.map(({ name }) => [name, "variableName.function"] as const),
    ...Object.keys({ ...functions, ...names }).map((name) => [name, "variableName.standard"] as const),
    ...Object.keys(types).map((word) => [word, "typeName"] as const),
    ...Object.keys(keywords).map((word) => [word, "keyword"] as const),
  ]);
  // a keyword that is also a builtin column (`token`, `bias`) is highlighted as the column
  for (const name of Object.keys(names)) words.set(name, "variableName.standard");
  const token = (stream: StringStream, state: { isInComment: boolean }): string | null => {
    if (state.isInComment || stream.match("/*")) {
      state.isInComment = !stream.match(/^(?:[^*]|\*(?!\/))*\*\//);
      if (state.isInComment) stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^\/\/\/.*/)) return "docComment";
    if (stream.match(/^\/\/.*/)) return "comment";
    if (stream.match(/^"(?:\\.|[^"\\])*"?/)) return "string";
    if (stream.match(/^(?:\d+\.\d+|\.\d+|\d+)(?:[eE][-+]?\d+)?/)) return "number";
    const word = stream.match(/^[\p{L}_][\p{L}\d_]*/u);
    if (word) return words.get((word as RegExpMatchArray)[0]) ?? null;
    if (stream.match(/^(?:\|>|->|\.\.|[-+*/<>=!]=|[-+*/%^<>=?:])/)) return "operator";
    stream.next();
    return null;
  };
  const language = StreamLanguage.define({
    name: "ggsl",
    startState: () => ({ isInComment: false }),
    token,
    languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
  });
  return [language, syntaxHighlighting(style)];
}
