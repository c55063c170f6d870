/** Words of other languages are not words of this one, and what replaces them is. */
import { expect, test } from "@jest/globals";
import { FUNCTIONS as BUILTINS, findName } from "../../compiler/builtins/builtins.js";
import { check } from "../../compiler/check/check.js";
import * as tables from "../../compiler/diagnostics/foreign.js";
import { STD_NAMES } from "../../compiler/std/library.js";
import { ggsl } from "../../compiler/syntax/ggsl.generated.js";
import { KEYWORDS } from "../../compiler/source/keywords.js";

const { BLOCKS, FUNCTIONS, NAMES, STAGES, STATEMENTS, TYPES, OPERATORS, MARKS } = tables;
const isKeyword = (word: string): boolean => ggsl.match(word, "keyword").succeeded();

test("no foreign word is one of the language in that place", () => {
  expect(Object.keys(FUNCTIONS).filter((word) => Object.hasOwn(BUILTINS, word))).toEqual([]);
  expect(Object.keys(NAMES).filter((word) => findName(word) !== undefined)).toEqual([]);
  expect(Object.keys(STAGES).filter((word) => STD_NAMES.includes(word))).toEqual([]);
  const begins = ["declaration", "statement"];
  expect(Object.keys(STATEMENTS).filter((word) => begins.includes(KEYWORDS[word]?.group ?? ""))).toEqual([]);
  expect(Object.keys(TYPES).filter((word) => KEYWORDS[word]?.group === "type")).toEqual([]);
  const words = [FUNCTIONS, NAMES, STAGES, STATEMENTS].flatMap((table) => Object.keys(table));
  expect(words.filter(isKeyword)).toEqual([]);
});

test("what replaces a word is one of the language in that place", () => {
  const texts = (table: tables.ForeignTable): string[] => Object.values(table).flatMap(({ text }) => text ?? []);
  expect(texts(FUNCTIONS).filter((word) => !Object.hasOwn(BUILTINS, word))).toEqual([]);
  expect(texts(NAMES).filter((word) => findName(word) === undefined && !isKeyword(word))).toEqual([]);
  expect(texts(STAGES).filter((word) => !STD_NAMES.includes(word))).toEqual([]);
  expect(texts(TYPES).filter((word) => ggsl.match(word, "type").failed())).toEqual([]);
});

test("a longer mark comes before those that it contains", () => {
  const marks = Object.keys(MARKS);
  marks.forEach((mark, i) => expect(marks.slice(0, i).filter((earlier) => mark.includes(earlier))).toEqual([]));
  expect(Object.keys(OPERATORS)).toContain("AND");
});

/** Programs with `@` in place of a word of a table. */
const PLACES: readonly (readonly [string, tables.ForeignTable, readonly string[]])[] = [
  ["functions", FUNCTIONS, ["sampler s() { logit = @(prob) }", "fn f(x: f32) -> f32 = @(x)"]],
  ["names", NAMES, ["sampler s() { logit = @ }", "fn f(x: f32) -> f32 = x + @"]],
  ["statements", STATEMENTS, ["sampler s() { @ x }", "sampler s() {\n  sort\n  @ x\n}", "@ x"]],
  ["operators", OPERATORS, ["sampler s() { keep (n > 3 @ n < 5) }"]],
  ["words before a block", BLOCKS, ["sampler s() { if n > 3 @ { logit = 1 } }"]],
  ["types", TYPES, ["sampler s(a: @) { }", "fn f(a: @) -> f32 = a", "fn f(a: f32) -> @ = a"]],
  ["stages", STAGES, ["chain c = @(1)", "chain c = top_k(40) |> @(1)"]],
];

test.each(PLACES)("each word of the table of %s has its help where it is found", (_, table, programs) => {
  for (const program of programs)
    for (const [word, { help }] of Object.entries(table)) {
      const text = program.replace("@", word);
      const found = check({ name: "a.ggsl", text }).diagnostics.map((diagnostic) => diagnostic.help);
      expect({ text, found }).toEqual({ text, found: expect.arrayContaining([help]) });
    }
});

test("each mark of the table has its help where it is found", () => {
  const places = ["logit = logit @ 2", "logit @ 2", "keep @(n > 3)", "logit @", "@ a comment"];
  for (const [mark, { help }] of Object.entries(MARKS)) {
    const found = places.flatMap((place) => {
      const text = `sampler s() {\n  ${place.replace("@", () => mark)}\n}`;
      return check({ name: "a.ggsl", text }).diagnostics.map((diagnostic) => diagnostic.help);
    });
    expect({ mark, found }).toEqual({ mark, found: expect.arrayContaining([help]) });
  }
});
