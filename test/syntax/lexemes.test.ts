/** The table of lexemes against the grammar, and its readers against each other. */
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Node } from "ohm-js";
import { assignment } from "../../cli/assignment.js";
import { check } from "../../compiler/check/check.js";
import { KEYWORDS } from "../../compiler/source/keywords.js";
import { RULES } from "../../compiler/source/lexemes.generated.js";
import { isReserved, isWord, lexemesOf, type LexemeKind } from "../../compiler/source/lexemes.js";
import { ggsl } from "../../compiler/syntax/ggsl.generated.js";
import { contextAt } from "../../lsp/context.js";
import { wordAt } from "../../lsp/words.js";
import { formOf } from "../../server/samplers/form.js";
import { regexOf, type Rules } from "../../tools/lib/lexicon.js";
import { corpus } from "./corpus.js";

const isRule = (text: string, rule: string): boolean => ggsl.match(text, rule).succeeded();

/** Letters of several alphabets, one beyond 16 bits, and what is no letter: numerals, an accent, blanks, an emoji, half of a pair. */
const LETTERS = "a e z A Z _ 0 9 é ß Ω я 名 ʰ ǅ 𝒳";
const CHARACTERS = [...LETTERS.split(" "), "ⅷ", "٣", "\u{301}", "\u{a0}", "\u{200d}", "🙂", "\u{d835}", "-", " "];
const words = fc.oneof(
  fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 6 }),
  fc
    .tuple(fc.constantFrom(...Object.keys(KEYWORDS)), fc.constantFrom("", "_", "1", "é", " "))
    .map(([word, end]) => word + end),
);
const names = words.filter((text) => isRule(text, "name"));

test("words and names are those of the grammar", () => {
  fc.assert(
    fc.property(words, (text) => {
      expect([text, isWord(text) && !isReserved(text)]).toEqual([text, isRule(text, "name")]);
      expect([text, isReserved(text)]).toEqual([text, isRule(text, "keyword")]);
    }),
    { numRuns: 1500 },
  );
});

const PARTS: Readonly<Record<string, readonly string[]>> = {
  comment: ["/", "//", "///", "/*", "*/", "*", "\n", "\r", "\u{2028}", "a", '"', " ", "é"],
  doc: ["/", "///", "\n", "\r", "a", "\u{2028}"],
  string: ['"', "\\", "\\n", '\\"', "\\q", "\n", "\r", "\u{2028}", "a", "//", "𝒳", "\u{0}", "\u{d835}"],
  pattern: ["/", "\\/", "\\", "*", "[", "\n", "\r", "a", '"', "\u{2028}", "𝒳"],
  number: ["0", "12", ".", "..", "e", "E", "+", "-", "x", "1e5", "٣"],
};
const NAMED: Readonly<Record<string, keyof typeof RULES>> = { string: "text" };

describe.each(Object.keys(PARTS))("what is a %s for the grammar", (rule) => {
  const first = new RegExp(RULES[NAMED[rule] ?? (rule as keyof typeof RULES)], "uy");
  const isWhole = (text: string): boolean => {
    first.lastIndex = 0;
    return first.test(text) && first.lastIndex === text.length;
  };
  test("is one for the table", () => {
    const texts = fc.string({ unit: fc.constantFrom(...PARTS[rule]!), maxLength: 8 });
    fc.assert(
      fc.property(texts, (text) => expect([text, isWhole(text)]).toEqual([text, isRule(text, rule)])),
      { numRuns: 1500 },
    );
  });
});

/** Lexemes that can stand anywhere, by kind. */
const LEXEMES: Readonly<Record<Exclude<LexemeKind, "pattern">, fc.Arbitrary<string>>> = {
  comment: fc.constantFrom('// a \r \u{2028} "b', "//", "//// c", "/**/", '/* \n // " */', "/***/"),
  doc: fc.constantFrom("///", '/// a " /* b', "/// \u{2028}"),
  text: fc.constantFrom('""', '"a // b"', '"\\\\"', '"\\"/*"', '"\\n𝒳\r"', '"("'),
  keyword: fc.constantFrom(...Object.keys(KEYWORDS).filter(isReserved)),
  name: names,
  number: fc.constantFrom("0", "1.5", ".5", "1e-3", "7E+2", "2.5e10", ".1e1"),
  mark: fc.constantFrom(...["(", ")", "{", "}", "[", "]", ",", ":", "=", "->", "|>", "..", "<=", "-", "^", "?", ";"]),
};
interface Wanted {
  readonly kind: LexemeKind;
  readonly text: string;
}

/** A lexeme, after one that it must follow: a pattern follows no operand, and a division follows one. */
const anyLexemes: fc.Arbitrary<Wanted[]> = fc.oneof(
  ...(Object.keys(LEXEMES) as (keyof typeof LEXEMES)[]).map((kind) => LEXEMES[kind].map((text) => [{ kind, text }])),
  fc.constantFrom("/a/", '/"/', "/\\/\\//", "/(/").map((text): Wanted[] => [
    { kind: "mark", text: "(" },
    { kind: "pattern", text },
  ]),
  fc.constantFrom("/", "/=").map((text): Wanted[] => [
    { kind: "name", text: "é" },
    { kind: "mark", text },
  ]),
);

test("a text of lexemes is read as these lexemes", () => {
  const blanks = fc.constantFrom(" ", "\n", "\t", "\r\n", "\u{0}");
  fc.assert(
    fc.property(fc.array(anyLexemes, { maxLength: 12 }), blanks, (parts, blank) => {
      const wanted = parts.flat();
      const isLast = (i: number): boolean => i === wanted.length - 1;
      const text = wanted
        .map((one, i) => one.text + (isLast(i) ? "" : one.text.startsWith("//") ? "\n" : blank))
        .join("");
      expect(lexemesOf(text).map((one) => ({ kind: one.kind, text: one.text }))).toEqual(wanted);
    }),
    { numRuns: 1000 },
  );
});

test("every character but blanks is in a lexeme, also in texts with faults", () => {
  const texts = fc.string({
    unit: fc.constantFrom(
      '"',
      "/",
      "*",
      "//",
      "/*",
      "\\",
      "\n",
      "a",
      "é",
      "1",
      ".",
      "(",
      " ",
      "#",
      "\u{a0}",
      "🙂",
      "\u{d835}",
    ),
    maxLength: 20,
  });
  fc.assert(
    fc.property(texts, (text) => {
      let end = 0;
      for (const one of lexemesOf(text)) {
        expect(text.slice(end, one.start)).toMatch(/^[\0- ]*$/);
        expect(text.slice(one.start, one.end)).toBe(one.text);
        expect(one.end).toBeGreaterThan(one.start);
        end = one.end;
      }
      expect(text.slice(end)).toMatch(/^[\0- ]*$/);
    }),
    { numRuns: 1000 },
  );
});

type Leaf = readonly [start: number, end: number];
const semantics = ggsl.createSemantics();
const leaves = (nodes: readonly Node[]): Leaf[] =>
  nodes.flatMap((node) => (node as Node & { leaves(): Leaf[] }).leaves());
semantics.addOperation<Leaf[]>("leaves", {
  _iter: (...children) => leaves(children),
  _terminal() {
    return [[this.source.startIdx, this.source.endIdx]];
  },
  _nonterminal(...children) {
    const isLexical = /^[a-z]/.test(this.ctorName) && this.ctorName !== "listOf";
    return isLexical ? [[this.source.startIdx, this.source.endIdx]] : leaves(children);
  },
});

test("the lexemes of programs are what the parser reads, also with names of other alphabets", () => {
  for (const { name, text } of corpus()) {
    const isOwn = ({ kind, text: word }: { readonly kind: LexemeKind; readonly text: string }): boolean =>
      kind === "name" && !Object.hasOwn(KEYWORDS, word);
    let foreign = "";
    let end = 0;
    for (const one of lexemesOf(text)) {
      foreign += text.slice(end, one.end) + (isOwn(one) ? "é𝒳" : "");
      end = one.end;
    }
    for (const source of [text, foreign + text.slice(end)]) {
      const match = ggsl.match(source, "File");
      expect([name, match.succeeded()]).toEqual([name, true]);
      const parsed = (semantics(match) as unknown as { leaves(): Leaf[] })
        .leaves()
        .filter(([start, stop]) => stop > start)
        .toSorted(([a], [b]) => a - b);
      const read = lexemesOf(source).filter(({ kind }) => kind !== "comment");
      expect(read.map((one) => [one.start, one.end])).toEqual(parsed);
    }
  }
});

test("a name is one for the parser, the checker, the language server, the server and the command line", () => {
  fc.assert(
    fc.property(names, (name) => {
      fc.pre(!Object.hasOwn(KEYWORDS, name) && name !== "n" && name !== "s");
      const text = `sampler s(${name}: f32) { keep prob > ${name} }\nchain c = s(${name}: 0.5)`;
      const source = { name: "a.ggsl", text };
      expect(check(source).diagnostics.filter(({ code }) => code !== "E0208")).toEqual([]);
      const start = text.indexOf(name, text.indexOf(">"));
      expect(wordAt(source, start + name.length)).toMatchObject({ text: name, span: { start } });
      const open = { name: "a.ggsl", text: `chain c = s(${name}: 0.5, ` };
      expect(contextAt(open, open.text.length).call?.given).toEqual([name]);
      expect(formOf(`${name}(1)`)).toBe("pipeline");
      expect(assignment("(.*)").exec(`${name}=0.5`)?.slice(1)).toEqual([name, "0.5"]);
      // a syntax error at a name is shown as the whole name
      expect(check({ name: "a.ggsl", text: `sampler ${name} ${name}` }).diagnostics[0]?.message).toBe(
        `unexpected \`${name}\``,
      );
    }),
    { numRuns: 150 },
  );
});

test("rules of a grammar as regular expressions", () => {
  const of = (body: unknown): string => regexOf({ a: ["define", {}, null, [], body] } as unknown as Rules, "a");
  const [x, star] = [
    ["terminal", {}, "x"],
    ["plus", {}, ["range", {}, "0", "9"]],
  ];
  // a repetition in a repetition would be tried in exponentially many ways
  expect(of(["star", {}, ["alt", {}, x, star]])).toBe("(?:[x0-9]*)");
  expect(of(["seq", {}, ["not", {}, x], ["terminal", {}, "."], ["opt", {}, ["app", {}, "letter", []]]])).toBe(
    String.raw`(?:(?!x)\.(?:[\p{L}]?))`,
  );
  expect(() => of(["param", {}, 0])).toThrow("has no form as a regular expression");
});
