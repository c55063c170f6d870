/**
 * Makes the TextMate grammar of the editor extension from the language's own tables: the words of compiler/syntax/keywords.ts
 * and the built-in names of compiler/builtins/. `npm run vscode:grammar` writes it; `--check` fails when it is
 * stale. The compiler must be built (`npm run build`).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { FUNCTIONS, NAMES } from "../dist/compiler/builtins/builtins.js";
import { KEYWORDS } from "../dist/compiler/syntax/keywords.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const FILE = join(root, "editors/vscode/syntaxes/ggsl.tmLanguage.json");

/** The longest first, so that none hides another. */
const oneOf = (words) => words.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1)).join("|");
const whole = (words) => `(?<![\\w.])(?:${oneOf(words)})(?![\\w])`;
const wordsOf = (...groups) => Object.keys(KEYWORDS).filter((word) => groups.includes(KEYWORDS[word].group));

/** Words of tests and after `by` are names elsewhere, so these are scoped where the grammar sets them. */
const isReserved = (word) =>
  ![
    "logits",
    "probs",
    "history",
    "bias",
    "steps",
    "run",
    "expect",
    "kept",
    "order",
    "token",
    "tokens",
    "from",
    "sparse",
    "sample",
    "argmax",
  ].includes(word);

const NAME = "[A-Za-z_]\\w*";
const match = (name, pattern) => ({ name, match: pattern });

const grammar = {
  $schema: "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
  name: "GGSL",
  scopeName: "source.ggsl",
  patterns: [{ include: "#declarations" }, { include: "#clauses" }, { include: "#common" }],
  repository: {
    declarations: {
      patterns: [
        {
          match: `(?<!\\w)(sampler|chain)\\s+(${NAME})`,
          captures: { 1: { name: "keyword.declaration.ggsl" }, 2: { name: "entity.name.function.ggsl" } },
        },
        {
          match: `(?<!\\w)(const|input|let|state)\\s+(${NAME})(?=\\s*[:=])`,
          captures: { 1: { name: "keyword.declaration.ggsl" }, 2: { name: "variable.other.definition.ggsl" } },
        },
        {
          match: `(\\|>)\\s*(host)\\s+(${NAME})`,
          captures: {
            1: { name: "keyword.operator.ggsl" },
            2: { name: "storage.modifier.ggsl" },
            3: { name: "entity.name.function.host.ggsl" },
          },
        },
        {
          match: `(?<!\\w)(host)\\s+(${NAME})`,
          captures: { 1: { name: "storage.modifier.ggsl" }, 2: { name: "entity.name.function.host.ggsl" } },
        },
        {
          match: `(?<!\\w)(pick)\\s+(sample|argmax)\\b`,
          captures: { 1: { name: "keyword.control.ggsl" }, 2: { name: "support.function.ggsl" } },
        },
        { match: "(?<=\\})\\s*(from)\\b", captures: { 1: { name: "keyword.other.ggsl" } } },
        { match: "(?<!\\w)(sparse)(?=\\s*\\()", captures: { 1: { name: "storage.modifier.ggsl" } } },
      ],
    },
    clauses: {
      patterns: [
        {
          match: "^\\s*(expect)\\s+(probs|logits|kept|order|tokens|token)\\b",
          captures: { 1: { name: "keyword.control.test.ggsl" }, 2: { name: "keyword.other.test.ggsl" } },
        },
        {
          match: "^\\s*(logits|probs|history|bias)(?=\\s*\\[)",
          captures: { 1: { name: "keyword.control.test.ggsl" } },
        },
        {
          match: `^\\s*(run)\\s+(?!host\\b)(${NAME})`,
          captures: { 1: { name: "keyword.control.test.ggsl" }, 2: { name: "entity.name.function.call.ggsl" } },
        },
        { match: `^\\s*(run|steps)(?=\\s+[\\w(])`, captures: { 1: { name: "keyword.control.test.ggsl" } } },
      ],
    },
    common: {
      patterns: [
        match("comment.line.documentation.ggsl", "///(?!/).*$"),
        match("comment.line.double-slash.ggsl", "//.*$"),
        {
          name: "string.quoted.double.ggsl",
          begin: '"',
          end: '"|$',
          patterns: [
            match("constant.character.escape.ggsl", '\\\\[ntr"\\\\]'),
            match("invalid.illegal.escape.ggsl", "\\\\."),
          ],
        },
        match("constant.numeric.ggsl", "(?<![\\w.])(?:\\d+\\.\\d+|\\.\\d+|\\d+)(?:[eE][-+]?\\d+)?(?!\\w)"),
        match("constant.language.ggsl", whole([...wordsOf("constant"), "random"])),
        match("keyword.operator.word.ggsl", whole(wordsOf("operator"))),
        match("storage.type.ggsl", `(?<=:)\\s*(?:${oneOf(wordsOf("type"))})(?!\\w)`),
        match("keyword.declaration.ggsl", whole([...wordsOf("declaration"), "let", "state"])),
        match("keyword.control.ggsl", whole(wordsOf("statement").filter((word) => word !== "let" && word !== "state"))),
        match("storage.modifier.ggsl", whole(wordsOf("modifier").filter((word) => isReserved(word)))),
        {
          match: `([(,])\\s*(${NAME})(?=\\s*:)`,
          captures: { 1: { name: "punctuation.ggsl" }, 2: { name: "variable.parameter.ggsl" } },
        },
        {
          match: `(\\|>)\\s*(${NAME})`,
          captures: { 1: { name: "keyword.operator.ggsl" }, 2: { name: "entity.name.function.call.ggsl" } },
        },
        match("support.function.ggsl", `(?<!\\w)(?:${oneOf(Object.keys(FUNCTIONS))})(?=\\s*\\()`),
        match("entity.name.function.call.ggsl", `${NAME}(?=\\s*\\()`),
        match("support.variable.ggsl", whole(Object.keys(NAMES))),
        match("variable.other.ggsl", NAME),
        match("keyword.operator.ggsl", "\\|>|[-+*/<>=!]=|[-+*/%^<>=?:]"),
        match("punctuation.ggsl", "[()\\[\\]{},;]"),
      ],
    },
  },
};

const text = await format(JSON.stringify(grammar), { parser: "json", printWidth: 120 });
const isStale = !existsSync(FILE) || readFileSync(FILE, "utf8") !== text;
if (isStale && process.argv.includes("--check")) {
  console.error("editors/vscode/syntaxes/ggsl.tmLanguage.json is stale; run `npm run vscode:grammar`");
  process.exitCode = 1;
} else if (isStale) {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, text);
  console.log("wrote editors/vscode/syntaxes/ggsl.tmLanguage.json");
}
