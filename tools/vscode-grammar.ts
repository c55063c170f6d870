/**
 * Generates the TextMate grammar of the editor extension from the language's own tables: the lexemes and keywords of
 * compiler/source and the builtins of compiler/builtins/. `npm run vscode:grammar` writes it; `--check` fails if it
 * is stale.
 */
import { TOKEN_CLASSES } from "@ggsl/compiler/graph/sets.js";
import { format } from "prettier";
import { FUNCTIONS, NAMES } from "@ggsl/compiler/builtins/builtins.js";
import { DOC, LINE_COMMENT, MARK, NUMBER, PATTERN, WORD, WORD_CHARACTER } from "@ggsl/compiler/source/lexemes.js";
import { KEYWORDS, type Keyword } from "@ggsl/compiler/source/keywords.js";
import { readArguments } from "./lib/arguments.js";
import { checkGenerated, writeGenerated } from "./lib/generated.js";

const FILE = "editors/vscode/syntaxes/ggsl.tmLanguage.json";

/** Alternatives, the longest first, so that no word hides another. */
const oneOf = (words: readonly string[]): string =>
  words.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1)).join("|");
const whole = (words: readonly string[]): string => `(?<![\\w.])(?:${oneOf(words)})(?![\\w])`;
const wordsOf = (...groups: Keyword["group"][]): string[] =>
  Object.keys(KEYWORDS).filter((word) => groups.includes(KEYWORDS[word]!.group));

/** Keywords of tests and after `by` are names elsewhere, so only their own rules match them. */
const isReserved = (word: string): boolean =>
  ![
    "logits",
    "probs",
    "history",
    "vocab",
    "bias",
    "steps",
    "run",
    "expect",
    "kept",
    "order",
    "token",
    "tokens",
    "grammar",
    "from",
    "sparse",
    "sample",
    "argmax",
    "fn",
    "as",
  ].includes(word);

const FOLDS = ["sum", "min", "max", "any", "all", "repeat"];
/** An expression of the language's lexemes in the dialect of the editor's engine, which sees one line at a time. */
const dialect = (source: string): string =>
  source.replace(/\\u\{(\w+)\}/g, String.raw`\x{$1}`).replaceAll("[^]", String.raw`[\x{0}-\x{10ffff}]`);
const NAME = dialect(WORD);
const CHARACTER = dialect(WORD_CHARACTER);
const match = (name: string, pattern: string) => ({ name, match: pattern });

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
          match: `(?<!\\w)(input)\\s+(${NAME})\\s*(:)\\s*(logits)\\b`,
          captures: {
            1: { name: "keyword.declaration.ggsl" },
            2: { name: "variable.other.definition.ggsl" },
            3: { name: "keyword.operator.ggsl" },
            4: { name: "storage.type.ggsl" },
          },
        },
        {
          match: `(?<!\\w)(fn)\\s+(${NAME})(?=\\s*\\()`,
          captures: { 1: { name: "keyword.declaration.ggsl" }, 2: { name: "entity.name.function.ggsl" } },
        },
        {
          match: `(${NAME})\\s+(as)\\s+(?=${NAME})`,
          captures: { 1: { name: "variable.other.ggsl" }, 2: { name: "keyword.other.ggsl" } },
        },
        {
          match: `(?<!\\w)(${oneOf(FOLDS)})\\s+(${NAME})(?=\\s+in\\b)`,
          captures: { 1: { name: "keyword.control.fold.ggsl" }, 2: { name: "variable.other.definition.ggsl" } },
        },
        {
          match: `(?<!\\w)(with)\\s+(${NAME})(?=\\s*=[^=])`,
          captures: { 1: { name: "keyword.control.fold.ggsl" }, 2: { name: "variable.other.definition.ggsl" } },
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
          match: "^\\s*(expect)\\s+(probs|logits|kept|order|tokens|token|state)\\b",
          captures: { 1: { name: "keyword.control.test.ggsl" }, 2: { name: "keyword.other.test.ggsl" } },
        },
        {
          match: "^\\s*(logits|probs|history|accept|vocab|bias)(?=\\s*\\[)",
          captures: { 1: { name: "keyword.control.test.ggsl" } },
        },
        {
          match: `^\\s*(run)\\s+(?!host\\b)(${NAME})`,
          captures: { 1: { name: "keyword.control.test.ggsl" }, 2: { name: "entity.name.function.call.ggsl" } },
        },
        { match: '^\\s*(text)(?=\\s*")', captures: { 1: { name: "keyword.control.test.ggsl" } } },
        { match: `^\\s*(run|steps)(?=\\s+[\\w(])`, captures: { 1: { name: "keyword.control.test.ggsl" } } },
      ],
    },
    common: {
      patterns: [
        { name: "comment.block.ggsl", begin: "/\\*", end: "\\*/" },
        match("keyword.control.fold.ggsl", "(?<!\\w)repeat(?=\\s+[^=]*\\bwith\\b)"),
        match("comment.line.double-slash.ggsl", dialect(LINE_COMMENT)),
        match("comment.line.documentation.ggsl", dialect(DOC)),
        {
          match: `(?<=[(,]\\s*)${dialect(PATTERN)}`,
          name: "string.regexp.ggsl",
        },
        {
          name: "string.quoted.double.ggsl",
          begin: '"',
          end: '"|$',
          patterns: [
            match("constant.character.escape.ggsl", '\\\\[ntr"\\\\]'),
            match("invalid.illegal.escape.ggsl", "\\\\."),
          ],
        },
        match("constant.numeric.ggsl", `(?:(?<!${CHARACTER}|\\.)|(?<=\\.\\.))${dialect(NUMBER)}(?!${CHARACTER})`),
        match("constant.language.ggsl", whole([...wordsOf("constant"), "random"])),
        match("support.constant.ggsl", `(?<!\\w)tokens\\s*\\.\\s*(?:${oneOf(TOKEN_CLASSES)})(?!\\w)`),
        match("support.function.ggsl", "(?<![\\w.])tokens(?=\\s*\\()"),
        match("keyword.operator.word.ggsl", whole(wordsOf("operator"))),
        match("storage.type.ggsl", `(?<=:|->)\\s*(?:${oneOf(wordsOf("type"))})(?!\\w)`),
        match("keyword.declaration.ggsl", whole([...wordsOf("declaration").filter(isReserved), "let", "state"])),
        match("keyword.control.ggsl", whole(wordsOf("statement").filter((word) => word !== "let" && word !== "state"))),
        match("storage.modifier.ggsl", whole(wordsOf("modifier").filter(isReserved))),
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
        match("keyword.operator.ggsl", `(?![()\\[\\]{},.;](?!\\.))(?:${dialect(MARK)})`),
        match("punctuation.ggsl", "[()\\[\\]{},;]"),
      ],
    },
  },
};

export async function main(args: readonly string[]): Promise<number> {
  const command = "npm run vscode:grammar";
  const { values } = readArguments(`${command} -- [--check]`, {
    args,
    options: { check: { type: "boolean", default: false } },
  });
  const text = await format(JSON.stringify(grammar), { parser: "json", printWidth: 120 });
  if (values.check) return checkGenerated(FILE, text, command) ? 0 : 1;
  writeGenerated(FILE, text);
  return 0;
}
